// Folding of moves between lanes, and of additions into the offsets of memory operations.
#include <cstddef>

#include "ir/passes/folder.h"

namespace gcnjit::ir {
namespace {

bool IsIdentity(const LanePattern& pattern) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (pattern[lane] != lane) return false;
  }
  return true;
}

bool LeavesLanesOut(const LanePattern& pattern) {
  for (const uint8_t lane : pattern) {
    if (lane == kNoLane) return true;
  }
  return false;
}

}  // namespace

Folder::Outcome Folder::FoldLanes(Inst& inst) {
  const Value x = inst.args[0];
  const bool uniform = !IsLanes(TypeOf(x)) && TypeOf(x) != Type::kU64;
  uint64_t c = 0;
  switch (inst.op) {
    case Op::kReadLane: {
      if (uniform) return Use(x);
      const Inst def = Def(x);
      if (def.op == Op::kLaneId) {
        return Rewrite(inst, Op::kAnd, {inst.args[1], Const(Type::kU32, 63)});
      }
      if (!IsConst(inst.args[1], &c)) return Nothing();
      if (c >= kLanes) {
        return Rewrite(inst, Op::kReadLane, {x, Const(Type::kU32, c % kLanes)});
      }
      if (def.op == Op::kPermute) {
        const uint8_t from = function_.patterns[static_cast<size_t>(def.imm)][c];
        if (from == kNoLane) return Use(Const(Type::kU32, 0));
        return Rewrite(inst, Op::kReadLane, {def.args[0], Const(Type::kU32, from)});
      }
      // What was written to the lane (v_writelane_b32, moves under a constant EXEC), or to others.
      uint64_t mask = 0;
      if (def.op == Op::kSelect && IsConst(def.args[0], &mask)) {
        const Value chosen = def.args[(mask >> c & 1) != 0 ? 1 : 2];
        return Rewrite(inst, Op::kReadLane, {chosen, inst.args[1]});
      }
      return Nothing();
    }
    case Op::kPermute:
    case Op::kPermuteMask: {
      const LanePattern& pattern = function_.patterns[static_cast<size_t>(inst.imm)];
      if (IsIdentity(pattern)) return Use(x);
      if (uniform && !LeavesLanesOut(pattern)) return Use(x);
      if (IsConst(x, &c) && c == 0) return Use(x);
      if (inst.op != Op::kPermuteMask || !IsConst(x, &c)) return Nothing();
      uint64_t mask = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        if (pattern[lane] != kNoLane) mask |= (c >> pattern[lane] & 1) << lane;
      }
      return Use(Const(Type::kU64, mask));
    }
    case Op::kMaskBelow: {
      if (!IsConst(x, &c)) return Nothing();
      constexpr uint64_t kHalves[] = {0xFFFFFFFF, ~uint64_t{0} << 32, ~uint64_t{0}};
      const uint64_t half = kHalves[inst.imm];
      if ((c & half) == 0) return Use(Const(Type::kU32, 0));
      if ((c & half) != half) return Nothing();
      // All lanes below; of those in the low half no more than 32, the rest are in the high one.
      if (inst.imm == 2) return Rewrite(inst, Op::kLaneId, {});
      const Value lane = Emit(Op::kLaneId, Type::kV32, {});
      const Value low = Const(Type::kU32, 32);
      if (inst.imm == 0) return Rewrite(inst, Op::kMinU, {lane, low});
      return Rewrite(inst, Op::kSub, {lane, Emit(Op::kMinU, Type::kV32, {lane, low})});
    }
    case Op::kBpermute:
      if (uniform && IsConst(inst.args[2], &c) && c == ~uint64_t{0}) return Use(x);
      return Nothing();
    default: return Nothing();
  }
}

// Constant terms of addresses become offsets. Offsets stay within what an instruction's
// displacement can hold.
Folder::Outcome Folder::FoldAddress(Inst& inst) {
  const bool lanes = inst.op == Op::kLoad || inst.op == Op::kStore || IsSwizzled(inst.op) ||
                     inst.op == Op::kAtomic;
  const auto fits = [lanes](int64_t offset) {
    return lanes ? offset > -kMaxLaneOffset && offset < kMaxLaneOffset
                 : offset == static_cast<int32_t>(offset);
  };
  const Inst address = Def(inst.args[0]);
  uint64_t c = 0;
  if (inst.op == Op::kLoadLds || inst.op == Op::kStoreLds || inst.op == Op::kAtomicLds) {
    if (address.op != Op::kAdd || !IsConst(address.args[1], &c) || !fits(inst.imm)) {
      return Nothing();
    }
    const int64_t offset = inst.imm + static_cast<int32_t>(c);
    if (!fits(offset)) return Nothing();
    inst.args[0] = address.args[0];
    inst.imm = offset;
    return Changed();
  }
  if (lanes && inst.access().indexed) return Nothing();
  Value sum = inst.args[0];  // 64 bits
  if (inst.op != Op::kLoadScalar) {
    const Inst& high = Def(inst.args[1]);
    if (address.op != Op::kLow || high.op != Op::kHigh || address.args[0] != high.args[0]) {
      return Nothing();
    }
    sum = address.args[0];
  }
  const Inst def = Def(sum);
  if (def.op != Op::kAdd || !IsConst(def.args[1], &c)) return Nothing();
  if (!fits(static_cast<int64_t>(c)) || !fits(inst.imm) ||
      !fits(inst.imm + static_cast<int64_t>(c))) {
    return Nothing();
  }
  inst.imm += static_cast<int64_t>(c);
  if (inst.op == Op::kLoadScalar) {
    inst.args[0] = def.args[0];
    return Changed();
  }
  const Type half = IsLanes(TypeOf(def.args[0])) ? Type::kV32 : Type::kU32;
  inst.args[0] = Emit(Op::kLow, half, {def.args[0]});
  inst.args[1] = Emit(Op::kHigh, half, {def.args[0]});
  return Changed();
}

}  // namespace gcnjit::ir
