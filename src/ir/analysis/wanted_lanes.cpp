#include "ir/analysis/wanted_lanes.h"

#include <bit>
#include <map>
#include <utility>

#include "ir/analysis/uses.h"

namespace gcnjit::ir {
namespace {

// Lanes of argument n that an operation needs which is done for `lanes`.
uint64_t LanesOfArgument(const Function& function, const Inst& inst, int n, uint64_t lanes) {
  if (inst.op == Op::kPermute) {
    const LanePattern& pattern = function.patterns[static_cast<size_t>(inst.imm)];
    uint64_t from = 0;
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
      const uint8_t lane = pattern[static_cast<size_t>(std::countr_zero(left))];
      if (lane != kNoLane) from |= uint64_t{1} << lane;
    }
    return from;
  }
  switch (InfoOf(inst.op).effect) {
    case Effect::kPure:
    case Effect::kRead:
    case Effect::kWrite:
      return IsLanes(function[inst.args[n]].type) || TakesMask(inst, n) ? lanes : kAllLanes;
    default: return kAllLanes;
  }
}

// For which lanes an operation has to be done, the result of which `is_wanted`. Accesses are done
// for all lanes of their mask whether or not the result is used; in other lanes a load's result is
// 0, which may be used.
uint64_t LanesOf(const Function& function, const Inst& inst, uint64_t is_wanted) {
  const auto with_mask = [&](int n) {
    const Inst& mask = function[inst.args[n]];
    return mask.op == Op::kConst ? static_cast<uint64_t>(mask.imm) | is_wanted : kAllLanes;
  };
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kLoadSwizzled:
    case Op::kStoreSwizzled: return with_mask(2);
    case Op::kLoadLds:
    case Op::kStoreLds: return with_mask(1);
    case Op::kPermute:
    case Op::kGetVgpr: return is_wanted;
    default: return InfoOf(inst.op).effect == Effect::kPure ? is_wanted : kAllLanes;
  }
}

}  // namespace

std::vector<uint64_t> FindWantedLanes(const Function& function, const Block& block) {
  const size_t count = function.insts.size();
  std::vector<uint64_t> lanes(count, kAllLanes);
  // Loads from LDS with the same address and mask are done for the same lanes, because they share a
  // look at the bounds.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> of_lds;
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    std::vector<uint64_t> is_wanted(count, 0);
    for (size_t n = block.insts.size(); n-- > 0;) {
      const Value v = block.insts[n];
      const Inst& inst = function[v];
      uint64_t done_for = LanesOf(function, inst, is_wanted[v.id]);
      if (inst.op == Op::kLoadLds) {
        const auto of_all = of_lds.try_emplace({inst.args[0].id, inst.args[1].id}, done_for).first;
        has_grown |= (done_for & ~of_all->second) != 0;  // others have been seen with fewer
        done_for = of_all->second |= done_for;
      }
      lanes[v.id] = done_for;
      for (int a = 0; a < inst.argument_count; ++a) {
        is_wanted[inst.args[a].id] |= LanesOfArgument(function, inst, a, done_for);
      }
    }
  }
  return lanes;
}

}  // namespace gcnjit::ir
