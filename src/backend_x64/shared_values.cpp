#include "backend_x64/shared_values.h"

#include <algorithm>

#include "backend_x64/stage_plan.h"

namespace gcnjit::backend {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// The same operation on the same lanes?
bool HasSharedArguments(const ir::Function& function, const Inst& inst,
                        const std::vector<uint8_t>& is_shared) {
  if (inst.argument_count == 0) return false;
  // A flat address may be one of scratch, where each lane has its own memory.
  if (inst.op == Op::kLoad && inst.access().space == ir::Space::kFlat) return false;
  for (int n = 0; n < inst.argument_count; ++n) {
    const Inst& argument = function[inst.args[n]];
    const bool is_mask = argument.type == Type::kU64 && TakesMask(inst, n);
    if (!is_mask && !ir::IsLanes(argument.type)) continue;
    const auto lanes = static_cast<uint64_t>(argument.imm);
    if (is_mask && argument.op == Op::kConst && (lanes == 0 || ~lanes == 0)) continue;
    if (is_shared[inst.args[n].id] == 0) return false;
  }
  return true;
}

// By value id, of lane masks: does somebody want more of it than a slice's part?
std::vector<uint8_t> FindWholeMasks(const ir::Function& function, const ir::Block& block,
                                    const std::vector<int32_t>* stage_of) {
  std::vector<uint8_t> is_whole(function.insts.size(), 0);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    for (int n = 0; n < inst.argument_count; ++n) {
      const uint32_t argument = inst.args[n].id;
      if (function.insts[argument].type != Type::kU64) continue;
      const bool is_elsewhere = stage_of != nullptr && (*stage_of)[v.id] != (*stage_of)[argument];
      if (!TakesMask(inst, n) || is_elsewhere) is_whole[argument] = 1;
    }
  }
  return is_whole;
}

}  // namespace

std::vector<uint8_t> FindRepeating(const ir::Function& function, const ir::LanePatterns* patterns,
                                   const std::vector<ir::LaneShape>& shapes, int lanes) {
  std::vector<uint8_t> repeating(function.insts.size(), 0);
  if (patterns == nullptr) return repeating;
  for (size_t id = 0; id < repeating.size(); ++id) {
    if (shapes[id].run != ir::kLanes) continue;
    const auto& offsets = (*patterns)[shapes[id].offsets].offsets;
    repeating[id] = std::equal(offsets.begin(), offsets.end() - lanes, offsets.begin() + lanes);
  }
  return repeating;
}

std::vector<uint8_t> FindShared(const ir::Function& function, const ir::Block& block,
                                const std::vector<uint8_t>& is_sliced,
                                const std::vector<uint8_t>& repeating,
                                const std::vector<int32_t>* stage_of) {
  const std::vector<uint8_t> is_whole = FindWholeMasks(function, block, stage_of);
  std::vector<uint8_t> is_shared(function.insts.size(), 0);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (inst.op == Op::kPart) {
      is_shared[v.id] = is_shared[inst.args[0].id];
    } else if (inst.op == Op::kGetVgpr) {
      is_shared[v.id] = repeating[v.id];
    } else if (is_sliced[v.id] != 0 && (effect == Effect::kPure || effect == Effect::kRead)) {
      is_shared[v.id] = (inst.type != Type::kU64 || is_whole[v.id] == 0) &&
                        HasSharedArguments(function, inst, is_shared);
    }
  }
  return is_shared;
}

}  // namespace gcnjit::backend
