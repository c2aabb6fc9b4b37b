// What the next iteration of a loop of several blocks will load, asked for from a block of the loop
// that does not access memory itself. A core has room for about 16 lines on their way from beyond
// its first cache. Loads that follow requests for as many more have to wait until some of those
// have arrived; after a barrier, among arithmetic, nothing has to wait.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "backend_x64/plan/prefetch_plan.h"
#include "ir/function.h"

namespace gcnjit::backend {

// A load of the indexed form whose index is a sum of registers, which already hold the values that
// they will have when it is executed.
struct AheadLoad {
  std::vector<int> vgprs;  // terms of the index, one of them at least
  std::vector<int> sgprs;
  int base = 0;  // SGPR pair
  ir::MemoryAccess access;
  int32_t offset = 0;  // bytes

  // So many lanes are assumed to load consecutive elements.
  static constexpr int kLanes = 16;
  // The cache lines of so many.
  int Lines() const { return (kLanes * access.bytes + kCacheLine - 1) / kCacheLine; }
};

struct LoopAhead {
  std::map<uint64_t, std::vector<AheadLoad>> asked_in;  // by begin of the block that is to ask
  std::set<uint64_t> asked_for;                         // blocks whose loads are asked for
};

LoopAhead PlanLoopAhead(const ir::Function& region);

}  // namespace gcnjit::backend
