#include "ir/rewrite/identity_permutes.h"

#include <bit>
#include <cstddef>

#include "ir/analysis/wanted_lanes.h"

namespace gcnjit::ir {
namespace {

bool IsStill(const LanePattern& pattern, uint64_t lanes) {
  for (uint64_t left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (pattern[static_cast<size_t>(lane)] != lane) return false;
  }
  return true;
}

}  // namespace

// Values computed from it may change in lanes that are not read. Their shapes hold nevertheless,
// since the permute itself has none.
void RemoveIdentityPermutes(Function& alone, const std::vector<LaneShape>& shapes) {
  Block& block = alone.blocks[0];
  const std::vector<uint64_t> wanted = FindWantedLanes(alone, block);
  std::vector<Value> instead(alone.insts.size());
  std::erase_if(block.insts, [&](Value v) {
    Inst& inst = alone[v];
    for (int n = 0; n < inst.argument_count; ++n) {
      if (const Value source = instead[inst.args[n].id]) inst.args[n] = source;
    }
    if (inst.op != Op::kPermute || !IsLanes(alone[inst.args[0]].type)) return false;
    if (shapes[v.id] != LaneShape()) return false;
    if (!IsStill(alone.patterns[static_cast<size_t>(inst.imm)], wanted[v.id])) return false;
    instead[v.id] = inst.args[0];
    return true;
  });
}

}  // namespace gcnjit::ir
