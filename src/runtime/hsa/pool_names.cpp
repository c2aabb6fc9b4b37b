#include "runtime/hsa/pool_names.h"

#include <fmt/format.h>

#include "runtime/hsa/runtime.h"

namespace gcnjit::hsa {

std::string NameOfPool(const Pool& pool, uint32_t type) {
  const auto number = &pool - pool.agent->pools.data();
  return fmt::format("node {} pool {} type {}", pool.agent->node, number, type);
}

std::optional<PoolName> FindPoolName(const Runtime& runtime, const std::string& name) {
  for (const Agent& agent : runtime.agents()) {
    for (const Pool& pool : agent.pools) {
      for (const uint32_t type : {0u, 1u}) {
        if (pool.IsGlobal() && NameOfPool(pool, type) == name) return PoolName{&pool, type};
      }
    }
  }
  return std::nullopt;
}

}  // namespace gcnjit::hsa
