// The order of floating-point operands: what is the same in all lanes goes last, where the hosts'
// instructions take memory.
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

}  // namespace

Folder::Outcome Folder::FoldFloat(Inst& inst) {
  const Value x = inst.args[0];
  const Value y = inst.args[1];
  if (inst.op == Op::kFCmp) {
    if (IsLanes(TypeOf(x)) || !IsLanes(TypeOf(y))) return Nothing();
    inst.imm = Mirrored(inst.imm);
  } else {
    // Of two NaNs the first one counts; a constant that is none can go anywhere.
    uint64_t constant = 0;
    if (!IsConst(x, &constant) || IsConst(y)) return Nothing();
    if (IsNan(constant, WidthOf(inst.type))) return Nothing();
  }
  std::swap(inst.args[0], inst.args[1]);
  return Changed();
}

}  // namespace gcnjit::ir
