// Appends instructions to a block. Folds what needs no further knowledge (constants, identities);
// everything else is the passes' business.
#pragma once

#include <cassert>
#include <initializer_list>

#include "ir/function.h"

namespace gcnjit::ir {

class Builder {
 public:
  Builder(Function& function, Block& block) : function_(function), block_(block) {}

  Function& function() { return function_; }
  Block& block() { return block_; }
  void SetGuest(uint16_t index) { guest_ = index; }

  const Inst& Of(Value v) const { return function_[v]; }
  Type TypeOf(Value v) const { return function_[v].type; }
  // Is v a constant, and which?
  bool IsConst(Value v, uint64_t* value = nullptr) const {
    const Inst& inst = function_[v];
    if (inst.op != Op::kConst) return false;
    if (value != nullptr) *value = static_cast<uint64_t>(inst.imm);
    return true;
  }

  uint16_t guest() const { return guest_; }

  Value U1(bool value) { return Const(Type::kU1, value); }
  Value U32(uint32_t value) { return Const(Type::kU32, value); }
  Value U64(uint64_t value) { return Const(Type::kU64, value); }
  Value Const(Type type, uint64_t value);

  // Any operation with the type of its result.
  Value Emit(Op op, Type type, std::initializer_list<Value> args, int64_t imm = 0,
             uint32_t aux = 0);
  Value EmitList(Op op, Type type, const Value* args, int count, int64_t imm = 0, uint32_t aux = 0);

  // Elementwise operations: the result has lanes if an argument has.
  Value Binary(Op op, Value a, Value b);
  Value Unary(Op op, Value a);
  Value Add(Value a, Value b) { return Binary(Op::kAdd, a, b); }
  Value Sub(Value a, Value b) { return Binary(Op::kSub, a, b); }
  Value Mul(Value a, Value b) { return Binary(Op::kMul, a, b); }
  Value And(Value a, Value b) { return Binary(Op::kAnd, a, b); }
  Value Or(Value a, Value b) { return Binary(Op::kOr, a, b); }
  Value Xor(Value a, Value b) { return Binary(Op::kXor, a, b); }
  Value AndNot(Value a, Value b) { return Binary(Op::kAndNot, a, b); }
  Value Not(Value a) { return Unary(Op::kNot, a); }
  // The count is u32 or v32; the result has lanes if either has.
  Value Shl(Value a, Value count) { return Shift(Op::kShl, a, count); }
  Value Lshr(Value a, Value count) { return Shift(Op::kLshr, a, count); }
  Value Ashr(Value a, Value count) { return Shift(Op::kAshr, a, count); }
  Value Shl(Value a, uint32_t count) { return Shl(a, U32(count)); }
  Value Lshr(Value a, uint32_t count) { return Lshr(a, U32(count)); }
  Value Ashr(Value a, uint32_t count) { return Ashr(a, U32(count)); }
  Value Pack(Value low, Value high);
  Value Low(Value a) { return Half(Op::kLow, a); }
  Value High(Value a) { return Half(Op::kHigh, a); }
  Value Zext(Value a) { return Widen(Op::kZext, a); }  // u32 to u64, v32 to v64
  Value Sext(Value a) { return Widen(Op::kSext, a); }
  Value BoolToU32(Value a) { return Emit(Op::kZext, Type::kU32, {a}); }
  // u1 of two scalars, lane mask if one has lanes.
  Value Compare(Op op, Value a, Value b);
  // cond: u1 for scalars; lane mask for lanes, or u1, which then counts for every lane.
  Value Select(Value cond, Value a, Value b);

  // Floats, always of lanes; `bits` is 32 or 64.
  Value Float(Op op, FloatEnv env, int bits, std::initializer_list<Value> args, int64_t imm = 0) {
    return Emit(op, bits == 64 ? Type::kV64 : Type::kV32, args, imm, env.bits);
  }
  // Predicates as x86's VCMPPS numbers them: 0 EQ_OQ, 1 LT_OS, 2 LE_OS, 3 UNORD_Q, 4 NEQ_UQ, 5
  // NLT_US, 6 NLE_US, 7 ORD_Q, 8 EQ_UQ, 9 NGE_US, 10 NGT_US, 11 FALSE, 12 NEQ_OQ, 13 GE_OS, 14
  // GT_OS, 15 TRUE.
  Value FCmp(int predicate, FloatEnv env, Value a, Value b) {
    return Emit(Op::kFCmp, Type::kU64, {a, b}, predicate, env.bits);
  }
  Value CodeBase() { return Emit(Op::kCodeBase, Type::kU64, {}); }
  Value LaneId() { return Emit(Op::kLaneId, Type::kV32, {}); }
  // Dword `index` of a load or atomic.
  Value Part(Value load, int index) {
    return index == 0 ? load : Emit(Op::kPart, TypeOf(load), {load}, index);
  }
  // Index of a pattern in the function's table.
  int Pattern(const LanePattern& pattern);

 private:
  Value Shift(Op op, Value a, Value count);
  Value Half(Op op, Value a);
  Value Widen(Op op, Value a);

  Function& function_;
  Block& block_;
  uint16_t guest_ = 0;
};

}  // namespace gcnjit::ir
