// Folding of operations whose arguments are constants, or the same in all lanes.
#include <bit>

#include "ir/passes/folder.h"

namespace gcnjit::ir {
namespace {

constexpr uint64_t kLow32 = 0xFFFFFFFF;

// Of patterns without lanes. False for operations that have no constant result here.
bool Compute(const Inst& inst, int width, uint64_t a, uint64_t b, uint64_t c, uint64_t* r) {
  const auto sign = [width](uint64_t v) {
    return static_cast<int64_t>(v << (64 - width)) >> (64 - width);
  };
  const auto sign32 = [](uint64_t v) { return int64_t{static_cast<int32_t>(v)}; };
  const uint64_t count = b & static_cast<uint64_t>(width - 1);
  // clang-format off
  switch (inst.op) {
    case Op::kAdd:        *r = a + b; break;
    case Op::kSub:        *r = a - b; break;
    case Op::kMul:        *r = a * b; break;
    case Op::kMulHiU:     *r = a * b >> 32; break;
    case Op::kMulHiS:     *r = static_cast<uint64_t>(sign32(a) * sign32(b)) >> 32; break;
    case Op::kMulWideU:   *r = a * b; break;
    case Op::kMulWideS:   *r = static_cast<uint64_t>(sign32(a) * sign32(b)); break;
    case Op::kAnd:        *r = a & b; break;
    case Op::kOr:         *r = a | b; break;
    case Op::kXor:        *r = a ^ b; break;
    case Op::kAndNot:     *r = a & ~b; break;
    case Op::kNot:        *r = ~a; break;
    case Op::kShl:        *r = a << count; break;
    case Op::kLshr:       *r = a >> count; break;
    case Op::kAshr:       *r = static_cast<uint64_t>(sign(a) >> count); break;
    case Op::kFshr:       *r = (a << 32 | b) >> (c & 31); break;
    case Op::kMinU:       *r = a < b ? a : b; break;
    case Op::kMaxU:       *r = a < b ? b : a; break;
    case Op::kMinS:       *r = sign(a) < sign(b) ? a : b; break;
    case Op::kMaxS:       *r = sign(a) < sign(b) ? b : a; break;
    case Op::kPopcount:   *r = static_cast<uint64_t>(std::popcount(a)); break;
    case Op::kClz:        *r = static_cast<uint64_t>(std::countl_zero(a) - 64 + width); break;
    case Op::kCtz:        *r = static_cast<uint64_t>(a == 0 ? width : std::countr_zero(a)); break;
    case Op::kSext8:      *r = static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)}); break;
    case Op::kSext16:     *r = static_cast<uint64_t>(int64_t{static_cast<int16_t>(a)}); break;
    case Op::kPack:       *r = a | b << 32; break;
    case Op::kLow:        *r = a & kLow32; break;
    case Op::kHigh:       *r = a >> 32; break;
    case Op::kZext:       *r = a; break;
    case Op::kSext:       *r = static_cast<uint64_t>(sign32(a)); break;
    case Op::kEq:         *r = a == b; break;
    case Op::kNe:         *r = a != b; break;
    case Op::kLtU:        *r = a < b; break;
    case Op::kLeU:        *r = a <= b; break;
    case Op::kLtS:        *r = sign(a) < sign(b); break;
    case Op::kLeS:        *r = sign(a) <= sign(b); break;
    case Op::kSelect:     *r = a != 0 ? b : c; break;
    case Op::kFirstLane:  *r = static_cast<uint64_t>(a == 0 ? 0 : std::countr_zero(a)); break;
    default: return false;
  }
  // clang-format on
  return true;
}

// Has the operation a form on scalars?
bool HasScalarForm(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMulHiU:
    case Op::kMulHiS:
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot:
    case Op::kNot:
    case Op::kShl:
    case Op::kLshr:
    case Op::kAshr:
    case Op::kFshr:
    case Op::kMinU:
    case Op::kMaxU:
    case Op::kMinS:
    case Op::kMaxS:
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz:
    case Op::kBitReverse:
    case Op::kSext8:
    case Op::kSext16:
    case Op::kPack:
    case Op::kLow:
    case Op::kHigh:
    case Op::kZext:
    case Op::kSext: return true;
    default: return false;
  }
}

bool IsCompare(Op op) {
  return op == Op::kEq || op == Op::kNe || op == Op::kLtU || op == Op::kLeU || op == Op::kLtS ||
         op == Op::kLeS;
}

}  // namespace

bool Folder::FoldConstant(const Inst& inst, uint64_t* result) const {
  if (inst.argument_count == 0 || inst.argument_count > 3 || IsLanes(inst.type)) return false;
  // A comparison with a mask for its result is made one of scalars first.
  if (IsCompare(inst.op) && inst.type != Type::kU1) return false;
  uint64_t args[3] = {};
  for (int n = 0; n < inst.argument_count; ++n) {
    if (!IsConst(inst.args[n], &args[n])) return false;
  }
  return Compute(inst, WidthOf(TypeOf(inst.args[0])), args[0], args[1], args[2], result);
}

Folder::Outcome Folder::MakeScalar(Inst& inst) {
  const bool compares_lanes = IsCompare(inst.op) && inst.type == Type::kU64;
  if (!compares_lanes && !(IsLanes(inst.type) && HasScalarForm(inst.op))) return Nothing();
  for (int n = 0; n < inst.argument_count; ++n) {
    if (IsLanes(TypeOf(inst.args[n]))) return Nothing();
  }
  if (!compares_lanes) {
    inst.type = ScalarOf(inst.type);
    return Changed();
  }
  const Value bit = Emit(inst.op, Type::kU1, {inst.args[0], inst.args[1]});
  return Rewrite(inst, Op::kSelect, {bit, Const(Type::kU64, ~uint64_t{0}), Const(Type::kU64, 0)});
}

}  // namespace gcnjit::ir
