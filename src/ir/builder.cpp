#include "ir/builder.h"

#include <algorithm>

#include "ir/append.h"

namespace gcnjit::ir {
namespace {

uint64_t Truncate(Type type, uint64_t value) {
  switch (type) {
    case Type::kU1: return value & 1;
    case Type::kU32: return value & 0xFFFFFFFF;
    default: return value;
  }
}

}  // namespace

Value Builder::EmitList(Op op, Type type, const Value* args, int count, int64_t imm, uint32_t aux) {
  assert(count <= kMaxArguments && (InfoOf(op).arguments < 0 || InfoOf(op).arguments == count));
  Inst inst;
  inst.op = op;
  inst.type = type;
  inst.argument_count = static_cast<uint8_t>(count);
  inst.guest = guest_;
  inst.aux = aux;
  inst.imm = imm;
  std::copy_n(args, count, inst.args);
  const Value value = Append(function_, inst);
  block_.insts.push_back(value);
  return value;
}

Value Builder::Emit(Op op, Type type, std::initializer_list<Value> args, int64_t imm,
                    uint32_t aux) {
  return EmitList(op, type, args.begin(), static_cast<int>(args.size()), imm, aux);
}

Value Builder::Const(Type type, uint64_t value) {
  return Emit(Op::kConst, type, {}, static_cast<int64_t>(Truncate(type, value)));
}

Value Builder::Binary(Op op, Value a, Value b) {
  const Type ta = TypeOf(a);
  const Type tb = TypeOf(b);
  Type type = IsLanes(tb) ? tb : ta;
  if (op == Op::kMulWideU || op == Op::kMulWideS) {
    type = IsLanes(type) ? Type::kV64 : Type::kU64;
  }
  uint64_t x = 0;
  uint64_t y = 0;
  const bool a_const = IsConst(a, &x);
  const bool b_const = IsConst(b, &y);
  if (IsScalar(type) && a_const && b_const &&
      (InfoOf(op).Has(Trait::kBitByBit) || op == Op::kAdd || op == Op::kSub)) {
    switch (op) {
      case Op::kAnd: return Const(type, x & y);
      case Op::kOr: return Const(type, x | y);
      case Op::kXor: return Const(type, x ^ y);
      case Op::kAndNot: return Const(type, x & ~y);
      case Op::kAdd: return Const(type, x + y);
      default: return Const(type, x - y);
    }
  }
  // An identity may be used only where the type stays.
  if (b_const && y == 0 && ta == type &&
      (op == Op::kAdd || op == Op::kSub || op == Op::kOr || op == Op::kXor || op == Op::kAndNot)) {
    return a;
  }
  if (a_const && x == 0 && tb == type && (op == Op::kAdd || op == Op::kOr || op == Op::kXor)) {
    return b;
  }
  const uint64_t ones = Truncate(Is64(type)          ? Type::kU64
                                 : type == Type::kU1 ? Type::kU1
                                                     : Type::kU32,
                                 ~uint64_t{0});
  if (op == Op::kAnd && b_const && y == ones && ta == type) return a;
  if (op == Op::kAnd && a_const && x == ones && tb == type) return b;
  return Emit(op, type, {a, b});
}

Value Builder::Unary(Op op, Value a) {
  const Type ta = TypeOf(a);
  uint64_t x = 0;
  if (op == Op::kNot && IsConst(a, &x)) return Const(ta, ~x);
  Type type = ta;
  if ((op == Op::kPopcount || op == Op::kClz || op == Op::kCtz) && ta == Type::kU64) {
    type = Type::kU32;
  }
  return Emit(op, type, {a});
}

Value Builder::Shift(Op op, Value a, Value count) {
  const Type ta = TypeOf(a);
  uint64_t n = 0;
  const uint64_t width = Is64(ta) ? 64 : 32;
  if (IsConst(count, &n) && n % width == 0) return a;
  Type type = ta;
  if (IsLanes(TypeOf(count)) && IsScalar(ta)) type = Is64(ta) ? Type::kV64 : Type::kV32;
  return Emit(op, type, {a, count});
}

Value Builder::Pack(Value low, Value high) {
  const Inst& l = function_[low];
  const Inst& h = function_[high];
  if (l.op == Op::kLow && h.op == Op::kHigh && l.args[0] == h.args[0]) return l.args[0];
  uint64_t x = 0;
  uint64_t y = 0;
  if (IsConst(low, &x) && IsConst(high, &y)) return U64(x | y << 32);
  const bool lanes = IsLanes(l.type) || IsLanes(h.type);
  return Emit(Op::kPack, lanes ? Type::kV64 : Type::kU64, {low, high});
}

Value Builder::Half(Op op, Value a) {
  const Inst& inst = function_[a];
  const bool low = op == Op::kLow;
  if (inst.op == Op::kPack) {
    const Value half = inst.args[low ? 0 : 1];
    if (IsLanes(TypeOf(half)) == IsLanes(inst.type)) return half;
  }
  if (inst.op == Op::kConst) {
    const auto value = static_cast<uint64_t>(inst.imm);
    return U32(static_cast<uint32_t>(low ? value : value >> 32));
  }
  if (inst.op == Op::kZext && Is64(inst.type)) {
    return low ? inst.args[0] : U32(0);
  }
  return Emit(op, IsLanes(inst.type) ? Type::kV32 : Type::kU32, {a});
}

Value Builder::Widen(Op op, Value a) {
  return Emit(op, IsLanes(TypeOf(a)) ? Type::kV64 : Type::kU64, {a});
}

Value Builder::Compare(Op op, Value a, Value b) {
  const bool lanes = IsLanes(TypeOf(a)) || IsLanes(TypeOf(b));
  return Emit(op, lanes ? Type::kU64 : Type::kU1, {a, b});
}

Value Builder::Select(Value cond, Value a, Value b) {
  if (a == b) return a;
  uint64_t c = 0;
  const Type ta = TypeOf(a);
  const Type tb = TypeOf(b);
  const Type type = IsLanes(tb) ? tb : ta;
  const Type cond_type = TypeOf(cond);
  // A lane mask chooses between lanes even if both sides are scalars.
  const bool by_lane = cond_type == Type::kU64;
  const Type result = !by_lane || IsLanes(type) ? type : Is64(type) ? Type::kV64 : Type::kV32;
  if (IsConst(cond, &c)) {
    if (c == 0 && tb == result) return b;
    if (c == (by_lane ? ~uint64_t{0} : 1) && ta == result) return a;
  }
  if (!by_lane && IsLanes(result)) {
    cond = Emit(Op::kSelect, Type::kU64, {cond, U64(~uint64_t{0}), U64(0)});
  }
  return Emit(Op::kSelect, result, {cond, a, b});
}

int Builder::Pattern(const LanePattern& pattern) {
  auto& patterns = function_.patterns;
  const auto found = std::find(patterns.begin(), patterns.end(), pattern);
  if (found != patterns.end()) return static_cast<int>(found - patterns.begin());
  patterns.push_back(pattern);
  return static_cast<int>(patterns.size()) - 1;
}

}  // namespace gcnjit::ir
