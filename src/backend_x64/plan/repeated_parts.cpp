#include "backend_x64/plan/repeated_parts.h"

#include <bit>
#include <map>
#include <utility>

#include "ir/analysis/uses.h"
#include "ir/analysis/wanted_lanes.h"

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
    const bool is_mask = argument.type == Type::kU64 && ir::TakesMask(inst, n);
    if (!is_mask && !ir::IsLanes(argument.type)) continue;
    const auto lanes = static_cast<uint64_t>(argument.imm);
    if (is_mask && argument.op == Op::kConst && (lanes == 0 || ~lanes == 0)) continue;
    bits |= part_bits[inst.args[n].id];
  }
  return bits;
}

// By value id, of lane masks: does an operation read more of it than a slice's part?
std::vector<uint8_t> FindWholeMasks(const ir::Function& function, const ir::Block& block,
                                    const std::vector<int32_t>* stage_of) {
  std::vector<uint8_t> is_whole(function.insts.size(), 0);
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    for (int n = 0; n < inst.argument_count; ++n) {
      const uint32_t argument = inst.args[n].id;
      if (function.insts[argument].type != Type::kU64) continue;
      const bool is_elsewhere = stage_of != nullptr && (*stage_of)[v.id] != (*stage_of)[argument];
      if (!ir::TakesMask(inst, n) || is_elsewhere) is_whole[argument] = 1;
    }
  }
  return is_whole;
}

// Registers that have a lane of the mask.
uint8_t RegistersOf(uint64_t mask, int lanes) {
  uint8_t registers = 0;
  for (int n = 0; n < ir::kLanes / lanes; ++n) {
    const uint64_t own = mask >> (n * lanes) & ((uint64_t{1} << lanes) - 1);
    if (own != 0) registers |= static_cast<uint8_t>(1u << n);
  }
  return registers;
}

// The part bits with which each part that is wanted stands for itself, whatever slices the
// registers are in; of stores, none after a gap.
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

Wanted FindWanted(const ir::Function& function, const ir::Block& block, int lanes) {
  const size_t count = function.insts.size();
  Wanted wanted{ir::FindWantedLanes(function, block), std::vector<uint8_t>(count, 0xFF),
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
    } else if (ir::IsAllOrNone(function, inst)) {
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
