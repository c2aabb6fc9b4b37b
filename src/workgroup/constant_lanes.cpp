#include "workgroup/constant_lanes.h"

#include <algorithm>
#include <bit>

#include "ir/compute.h"

namespace gcnjit::workgroup {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

void ConstantRegisters::SetSgpr(size_t code, std::optional<uint32_t> value) {
  has_sgpr[code] = value.has_value();
  sgprs[code] = value.value_or(0);
}

void ConstantRegisters::SetPair(size_t code, std::optional<uint64_t> value) {
  const auto half = [value](int shift) -> std::optional<uint32_t> {
    if (!value) return std::nullopt;
    return static_cast<uint32_t>(*value >> shift);
  };
  SetSgpr(code, half(0));
  SetSgpr(code + 1, half(32));
}

std::optional<uint64_t> ConstantRegisters::Pair(size_t code) const {
  if (!has_sgpr[code] || !has_sgpr[code + 1]) return std::nullopt;
  return sgprs[code] | uint64_t{sgprs[code + 1]} << 32;
}

void ConstantRegisters::Meet(const ConstantRegisters& other) {
  for (size_t code = 0; code < has_sgpr.size(); ++code) {
    if (!other.has_sgpr[code] || other.sgprs[code] != sgprs[code]) SetSgpr(code, std::nullopt);
  }
  if (scc != other.scc) scc.reset();
  std::erase_if(vgprs, [&other](const auto& known) {
    const auto found = other.vgprs.find(known.first);
    return found == other.vgprs.end() || found->second != known.second;
  });
}

ConstantLanes::ConstantLanes(const ir::Function& function)
    : function_(function), kinds_(function.insts.size()), scalars_(function.insts.size()) {}

std::optional<uint64_t> ConstantLanes::Scalar(Value v) const {
  if (kinds_[v.id] != Kind::kScalar) return std::nullopt;
  return scalars_[v.id];
}

void ConstantLanes::SetScalar(Value v, std::optional<uint64_t> value) {
  if (!value) return;
  kinds_[v.id] = Kind::kScalar;
  scalars_[v.id] = *value & ir::OnesOf(function_[v].type);
}

void ConstantLanes::SetLanes(Value v, const LaneValues& value) {
  kinds_[v.id] = Kind::kLanes;
  lanes_[v.id] = value;
}

void ConstantLanes::Copy(Value from, Value to) {
  if (kinds_[from.id] == Kind::kLanes) return SetLanes(to, lanes_.at(from.id));
  if (kinds_[from.id] == Kind::kUnknown) return;
  LaneValues lanes;
  lanes.fill(static_cast<uint32_t>(scalars_[from.id]));
  if (function_[to].type == Type::kV32) SetLanes(to, lanes);
}

void ConstantLanes::Run(const ir::Block& block, ConstantRegisters& registers) {
  lanes_.clear();
  for (const Value v : block.insts) {
    kinds_[v.id] = Kind::kUnknown;
    Follow(v, registers);
  }
}

void ConstantLanes::Follow(Value v, ConstantRegisters& registers) {
  const Inst& inst = function_[v];
  const auto n = static_cast<size_t>(inst.imm);
  switch (inst.op) {
    case Op::kConst: return SetScalar(v, static_cast<uint64_t>(inst.imm));
    case Op::kGetSgpr:
      if (registers.has_sgpr[n]) SetScalar(v, registers.sgprs[n]);
      return;
    case Op::kGetSgpr64: return SetScalar(v, registers.Pair(n));
    case Op::kGetScc: return SetScalar(v, registers.scc);
    case Op::kGetVgpr:
      if (const auto found = registers.vgprs.find(static_cast<int>(n));
          found != registers.vgprs.end()) {
        SetLanes(v, found->second);
      }
      return;
    case Op::kSetSgpr: return registers.SetSgpr(n, Scalar(inst.args[0]));
    case Op::kSetSgpr64: return registers.SetPair(n, Scalar(inst.args[0]));
    case Op::kSetScc: registers.scc = Scalar(inst.args[0]); return;
    case Op::kSetVgpr:
      registers.vgprs.erase(static_cast<int>(n));
      if (kinds_[inst.args[0].id] == Kind::kLanes) {
        registers.vgprs.emplace(n, lanes_.at(inst.args[0].id));
      }
      return;
    case Op::kLaneId: {
      LaneValues ids;
      for (uint32_t lane = 0; lane < ids.size(); ++lane) ids[lane] = lane;
      return SetLanes(v, ids);
    }
    case Op::kSelect:
      // What is written under EXEC, of which all lanes are there: whatever the register held.
      if (const auto mask = Scalar(inst.args[0]);
          mask && function_[inst.args[0]].type == Type::kU64) {
        if (*mask == ~uint64_t{0}) return Copy(inst.args[1], v);
        if (*mask == 0) return Copy(inst.args[2], v);
      }
      [[fallthrough]];
    default:
      if (AreKnown(inst)) Compute(v);
      return;
  }
}

bool ConstantLanes::AreKnown(const Inst& inst) const {
  return inst.argument_count != 0 && inst.argument_count <= 3 &&
         std::all_of(inst.args, inst.args + inst.argument_count,
                     [this](Value argument) { return IsKnown(argument); });
}

uint64_t ConstantLanes::Lane(Value v, int lane) const {
  return kinds_[v.id] == Kind::kLanes ? lanes_.at(v.id)[static_cast<size_t>(lane)] : scalars_[v.id];
}

void ConstantLanes::Compute(Value v) {
  const Inst& inst = function_[v];
  switch (inst.op) {
    case Op::kReadLane:
      return SetScalar(
          v, Lane(inst.args[0], static_cast<int>(scalars_[inst.args[1].id] % ir::kLanes)));
    case Op::kMaskBelow: {
      const uint64_t half = inst.imm == 0   ? 0xFFFFFFFF
                            : inst.imm == 1 ? ~uint64_t{0} << 32
                                            : ~uint64_t{0};
      LaneValues below;
      for (uint32_t lane = 0; lane < below.size(); ++lane) {
        const uint64_t lower = (uint64_t{1} << lane) - 1;
        below[lane] =
            static_cast<uint32_t>(std::popcount(scalars_[inst.args[0].id] & half & lower));
      }
      return SetLanes(v, below);
    }
    default: break;
  }
  const bool makes_mask = ir::IsCompare(inst.op) && inst.type == Type::kU64;
  if (inst.type == Type::kV32 || makes_mask) return ComputeLanes(v);
  const bool has_lanes =
      std::any_of(inst.args, inst.args + inst.argument_count,
                  [this](Value argument) { return ir::IsLanes(function_[argument].type); });
  if (has_lanes || ir::IsLanes(inst.type)) return;
  uint64_t result = 0;
  const auto argument = [&](int n) {
    return n < inst.argument_count ? scalars_[inst.args[n].id] : 0;
  };
  const int width = ir::WidthOf(function_[inst.args[0]].type);
  if (ir::Compute(inst.op, width, argument(0), argument(1), argument(2), &result))
    SetScalar(v, result);
}

// Lane by lane: dwords, and masks of comparisons.
void ConstantLanes::ComputeLanes(Value v) {
  const Inst& inst = function_[v];
  const bool selects = inst.op == Op::kSelect && function_[inst.args[0]].type == Type::kU64;
  const bool makes_mask = inst.type == Type::kU64;
  for (int n = selects ? 1 : 0; n < inst.argument_count; ++n) {
    const Type type = function_[inst.args[n]].type;
    if (type != Type::kV32 && type != Type::kU32 && !(inst.op == Op::kSelect && n == 0)) return;
  }
  LaneValues lanes;
  uint64_t mask = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    uint64_t arguments[3] = {};
    for (int n = 0; n < inst.argument_count; ++n) arguments[n] = Lane(inst.args[n], lane);
    if (selects) arguments[0] = arguments[0] >> lane & 1;
    uint64_t result = 0;
    if (!ir::Compute(inst.op, 32, arguments[0], arguments[1], arguments[2], &result)) return;
    lanes[static_cast<size_t>(lane)] = static_cast<uint32_t>(result);
    mask |= (result & 1) << lane;
  }
  if (makes_mask) return SetScalar(v, mask);
  SetLanes(v, lanes);
}

}  // namespace gcnjit::workgroup
