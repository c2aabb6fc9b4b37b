// What shared memory is called, by which another process knows whose it is: its pool, and for the
// virtual memory API its type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/hsa/agent.h"

namespace gcnjit::hsa {

class Runtime;

std::string NameOfPool(const Pool& pool, uint32_t type);

struct PoolName {
  const Pool* pool = nullptr;
  uint32_t type = 0;
};
// nullopt: not a name of NameOfPool, or of a pool that this process has not.
std::optional<PoolName> FindPoolName(const Runtime& runtime, const std::string& name);

}  // namespace gcnjit::hsa
