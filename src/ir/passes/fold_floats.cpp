// The order of floating-point operands: what is the same in all lanes goes last, where the hosts'
// instructions take memory. And comparisons with less than the operand can be: sums of squares are
// not negative, which roots and their reciprocals ask.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "ir/passes/folder.h"

namespace gcnjit::ir {
namespace {

bool IsNan(uint64_t pattern, int width) {
  return width == 64 ? (pattern & ~uint64_t{0} >> 1) > 0x7FF0000000000000
                     : (pattern & ~uint32_t{0} >> 1) > 0x7F800000;
}

// The predicate of the exchanged operands, as x86 numbers them: less and greater change places.
int64_t Mirrored(int64_t predicate) {
  constexpr uint8_t kOf[] = {0, 14, 13, 3, 4, 10, 9, 7, 8, 6, 5, 11, 12, 2, 1, 15};
  return kOf[predicate & 15] | (predicate & 16);
}

// Predicates of x86; each may be quiet or not.
constexpr int64_t kEqual = 0;
constexpr int64_t kLess = 1;
constexpr int64_t kLessOrEqual = 2;

// Patterns of f32. Those of numbers that are not negative are in the order of the numbers. (Host
// floats would do as well, but leave traces in the host's MXCSR, which is not ours.)
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kLeastNormal = 0x00800000;
constexpr uint32_t kInfinity = 0x7F800000;

// Is what the predicate asks never true of a number that is not less than `least`, compared with
// the one that has the pattern `than`?
bool IsNever(int64_t predicate, uint32_t least, uint32_t than) {
  const uint32_t magnitude = than & ~kSign;
  if (magnitude > kInfinity) return false;
  const bool asks_less = predicate == kLess;
  if (!asks_less && predicate != kLessOrEqual && predicate != kEqual) return false;
  if ((than & kSign) != 0 && magnitude >= kLeastNormal) return true;
  // A negative denormal may be taken for 0.
  const uint32_t number = (than & kSign) != 0 ? 0 : magnitude;
  return asks_less ? number <= least : number < least;
}

}  // namespace

// The pattern of a number that an f32 is not less than, in whatever way operations round and flush
// denormals, unless it is a NaN: 0 or a normal number. Rounding is monotonic, and such a number
// rounds to itself.
std::optional<uint32_t> Folder::LeastOf(Value v, int depth) const {
  const Inst& inst = Def(v);
  if (WidthOf(inst.type) != 32 || depth == 0) return std::nullopt;
  uint64_t constant = 0;
  switch (inst.op) {
    case Op::kConst: {
      const auto pattern = static_cast<uint32_t>(inst.imm);
      if (pattern == kSign) return 0;
      if (pattern > kInfinity) return std::nullopt;
      return pattern >= kLeastNormal ? pattern : 0;
    }
    case Op::kAnd:
      if (IsConst(inst.args[1], &constant) && constant == ~kSign) return 0;
      return std::nullopt;
    case Op::kFMul:
      if (inst.args[0] == inst.args[1]) return 0;
      return std::nullopt;
    case Op::kFFma:
      if (inst.args[0] == inst.args[1]) return LeastOf(inst.args[2], depth - 1);
      return std::nullopt;
    case Op::kFAdd: {
      const std::optional<uint32_t> a = LeastOf(inst.args[0], depth - 1);
      const std::optional<uint32_t> b = a ? LeastOf(inst.args[1], depth - 1) : std::nullopt;
      return b ? std::optional(std::max(*a, *b)) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

Folder::Outcome Folder::FoldFCmp(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  if (!IsLanes(TypeOf(x)) && IsLanes(TypeOf(y))) {
    inst.imm = Mirrored(inst.imm);
    std::swap(inst.args[0], inst.args[1]);
    return Changed();
  }
  constexpr int kDepth = 8;  // sums are looked into so far
  uint64_t constant = 0;
  const std::optional<uint32_t> least = LeastOf(x, kDepth);
  if (!least || !IsConst(y, &constant)) return Nothing();
  if (!IsNever(inst.imm & 15, *least, static_cast<uint32_t>(constant))) return Nothing();
  return Use(Const(inst.type, 0));
}

Folder::Outcome Folder::FoldFloat(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  // Of two NaNs the first one counts; a constant that is none can go anywhere.
  uint64_t constant = 0;
  if (!IsConst(x, &constant) || IsConst(y)) return Nothing();
  if (IsNan(constant, WidthOf(inst.type))) return Nothing();
  std::swap(inst.args[0], inst.args[1]);
  return Changed();
}

// There and back: each f16 is an f32, and none of them a denormal. A NaN is quiet that has been
// converted before.
Folder::Outcome Folder::FoldToHalf(const Inst& inst) {
  const Inst& widened = Def(inst.args[0]);
  if (widened.op != Op::kF16ToF32 || !IsOp(widened.args[0], Op::kF32ToF16)) return Nothing();
  return Use(widened.args[0]);
}

}  // namespace gcnjit::ir
