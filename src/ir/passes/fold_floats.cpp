// The order of floating-point operands: what is the same in all lanes goes last, where the hosts'
// instructions take memory. And comparisons with less than the operand can be: sums of squares are
// not negative, which roots and their reciprocals ask.
#include <algorithm>
#include <bit>
#include <limits>
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

}  // namespace

// A number that an f32 is not less than, in whatever way operations round and flush denormals,
// unless it is a NaN: 0 or a normal number. Rounding is monotonic, and such a number rounds to
// itself.
std::optional<float> Folder::LeastOf(Value v, int depth) const {
  const Inst& inst = Def(v);
  if (WidthOf(inst.type) != 32 || depth == 0) return std::nullopt;
  uint64_t constant = 0;
  switch (inst.op) {
    case Op::kConst: {
      const auto least = std::bit_cast<float>(static_cast<uint32_t>(inst.imm));
      if (least >= std::numeric_limits<float>::min()) return least;
      return least >= 0 ? std::optional(0.0f) : std::nullopt;
    }
    case Op::kAnd:
      if (IsConst(inst.args[1], &constant) && constant == 0x7FFFFFFF) return 0.0f;
      return std::nullopt;
    case Op::kFMul:
      if (inst.args[0] == inst.args[1]) return 0.0f;
      return std::nullopt;
    case Op::kFFma:
      if (inst.args[0] == inst.args[1]) return LeastOf(inst.args[2], depth - 1);
      return std::nullopt;
    case Op::kFAdd: {
      const std::optional<float> a = LeastOf(inst.args[0], depth - 1);
      const std::optional<float> b = a ? LeastOf(inst.args[1], depth - 1) : std::nullopt;
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
  uint64_t constant = 0;
  constexpr int kDepth = 8;  // sums are looked into so far
  const std::optional<float> least = LeastOf(x, kDepth);
  if (!least || !IsConst(y, &constant)) return Nothing();
  auto than = std::bit_cast<float>(static_cast<uint32_t>(constant));
  // A negative denormal may be taken for 0.
  if (than < 0 && than > -std::numeric_limits<float>::min()) than = 0;
  const int64_t predicate = inst.imm & 15;
  const bool is_never = predicate == kLess                                 ? than <= *least
                        : predicate == kLessOrEqual || predicate == kEqual ? than < *least
                                                                           : false;
  if (!is_never) return Nothing();
  return Use(Const(Type::kU64, 0));
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

}  // namespace gcnjit::ir
