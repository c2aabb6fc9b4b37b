#include "backend_x64/shared_values.h"

#include <bit>
#include <map>
#include <utility>

#include "backend_x64/stage_plan.h"

namespace gcnjit::backend {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// Parts are alike where all arguments' are.
uint8_t BitsOfArguments(const ir::Function& function, const Inst& inst,
                        const std::vector<uint8_t>& part_bits) {
  if (inst.argument_count == 0) return kAllPartBits;
  // A flat address may be one of scratch, where each lane has its own memory.
  if (inst.op == Op::kLoad && inst.access().space == ir::Space::kFlat) return kAllPartBits;
  uint8_t bits = 0;
  for (int n = 0; n < inst.argument_count; ++n) {
    const Inst& argument = function[inst.args[n]];
    const bool is_mask = argument.type == Type::kU64 && TakesMask(inst, n);
    if (!is_mask && !ir::IsLanes(argument.type)) continue;
    const auto lanes = static_cast<uint64_t>(argument.imm);
    if (is_mask && argument.op == Op::kConst && (lanes == 0 || ~lanes == 0)) continue;
    bits |= part_bits[inst.args[n].id];
  }
  return bits;
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

constexpr uint64_t kAllLanes = ~uint64_t{0};

// Registers that have a lane of the mask.
uint8_t RegistersOf(uint64_t mask, int lanes) {
  uint8_t registers = 0;
  for (int n = 0; n < ir::kLanes / lanes; ++n) {
    const uint64_t own = mask >> (n * lanes) & ((uint64_t{1} << lanes) - 1);
    if (own != 0) registers |= static_cast<uint8_t>(1u << n);
  }
  return registers;
}

// Lanes of argument n that an operation needs which is done for `lanes`.
uint64_t LanesOfArgument(const ir::Function& function, const Inst& inst, int n, uint64_t lanes) {
  if (inst.op == Op::kPermute) {
    const ir::LanePattern& pattern = function.patterns[static_cast<size_t>(inst.imm)];
    uint64_t from = 0;
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
      const uint8_t lane = pattern[static_cast<size_t>(std::countr_zero(left))];
      if (lane != ir::kNoLane) from |= uint64_t{1} << lane;
    }
    return from;
  }
  switch (ir::InfoOf(inst.op).effect) {
    case Effect::kPure:
    case Effect::kRead:
    case Effect::kWrite:
      return ir::IsLanes(function[inst.args[n]].type) || TakesMask(inst, n) ? lanes : kAllLanes;
    default: return kAllLanes;
  }
}

// For which lanes an operation has to be done, the result of which `is_wanted`. Accesses are done
// whoever wants what is loaded, and where they have no lane it is 0, which somebody may want.
uint64_t LanesOf(const ir::Function& function, const Inst& inst, uint64_t is_wanted) {
  const auto with_mask = [&](int n) {
    const Inst& mask = function[inst.args[n]];
    return mask.op == Op::kConst ? static_cast<uint64_t>(mask.imm) | is_wanted : kAllLanes;
  };
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore: return with_mask(2);
    case Op::kLoadLds:
    case Op::kStoreLds: return with_mask(1);
    case Op::kPermute:
    case Op::kGetVgpr: return is_wanted;
    default: return ir::InfoOf(inst.op).effect == Effect::kPure ? is_wanted : kAllLanes;
  }
}

// The part bits with which each part that is wanted stands for itself, whatever slices the
// registers are in; of stores, none behind a gap.
uint8_t BitsFor(uint8_t registers, bool is_store) {
  const uint8_t parts = (registers | registers >> 4) & 0xF;
  if ((parts & ~0b0001) == 0) return 0;
  if ((parts & ~0b0011) == 0) return 1;
  if ((parts & ~0b0101) == 0 && !is_store) return 2;
  return kAllPartBits;
}

// Do blocks of `lanes` lanes hold the same in pairs?
bool IsRepeated(const ir::LanePatterns::Offsets& offsets, int lanes) {
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if (offsets[lane] != offsets[lane ^ lanes]) return false;
  }
  return true;
}

}  // namespace

std::vector<uint8_t> FindRepeating(const ir::Function& function, const ir::LanePatterns* patterns,
                                   const std::vector<ir::LaneShape>& shapes, int lanes) {
  std::vector<uint8_t> repeating(function.insts.size(), kAllPartBits);
  if (patterns == nullptr) return repeating;
  for (size_t id = 0; id < repeating.size(); ++id) {
    const auto& offsets = (*patterns)[shapes[id].offsets].offsets;
    for (const int bit : {1, 2}) {
      if (shapes[id].run < 2 * bit * lanes) break;
      if (IsRepeated(offsets, bit * lanes)) repeating[id] &= static_cast<uint8_t>(~bit);
    }
  }
  return repeating;
}

std::vector<uint64_t> FindWantedLanes(const ir::Function& function, const ir::Block& block) {
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

Wanted FindWanted(const ir::Function& function, const ir::Block& block, int lanes) {
  const size_t count = function.insts.size();
  Wanted wanted{FindWantedLanes(function, block), std::vector<uint8_t>(count, 0xFF),
                std::vector<uint8_t>(count, kAllPartBits)};
  for (const Value v : block.insts) {
    wanted.registers[v.id] = RegistersOf(wanted.lanes[v.id], lanes);
    wanted.part_bits[v.id] = BitsFor(wanted.registers[v.id], function[v].type == Type::kVoid);
  }
  return wanted;
}

std::vector<uint8_t> FindShared(const ir::Function& function, const ir::Block& block,
                                const std::vector<uint8_t>& is_sliced,
                                const std::vector<uint8_t>& repeating,
                                const std::vector<uint8_t>& wanted,
                                const std::vector<int32_t>* stage_of) {
  const std::vector<uint8_t> is_whole = FindWholeMasks(function, block, stage_of);
  std::vector<uint8_t> part_bits(function.insts.size(), kAllPartBits);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (inst.op == Op::kPart) {
      part_bits[v.id] = part_bits[inst.args[0].id];
    } else if (inst.op == Op::kStore || inst.op == Op::kStoreLds) {
      part_bits[v.id] = wanted[v.id];
    } else if (inst.op == Op::kGetVgpr) {
      part_bits[v.id] = repeating[v.id] & wanted[v.id];
    } else if (IsAllOrNone(function, inst)) {
      part_bits[v.id] = 0;
    } else if (inst.op == Op::kPermute && is_sliced[v.id] != 0) {
      part_bits[v.id] = wanted[v.id];
    } else if (is_sliced[v.id] != 0 && (effect == Effect::kPure || effect == Effect::kRead)) {
      if (inst.type == Type::kU64 && is_whole[v.id] != 0) continue;
      part_bits[v.id] = BitsOfArguments(function, inst, part_bits) & wanted[v.id];
    }
  }
  return part_bits;
}

}  // namespace gcnjit::backend
