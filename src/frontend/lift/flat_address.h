// Addresses of FLAT and GLOBAL instructions.
#pragma once

#include <array>

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

// Low dword, high dword and mask, as kLoad and its like want them; the instruction's offset is
// their `imm`. Refuses what has no such address.
inline std::array<Value, 3> FlatAddress(Lifter& l, const Instruction& i) {
  if (i.lds || i.tfe) {
    l.Refuse(i.lds ? "transfers to LDS" : "TFE");
    return {};
  }
  const int vaddr = i.src[0].index;
  if (i.src[2].kind != OperandKind::kScalar) return {l.Vgpr(vaddr), l.Vgpr(vaddr + 1), l.Exec()};
  const Value address = l.b.Add(l.b.Zext(l.Vgpr(vaddr)), l.Sgpr64(i.src[2].index));
  return {l.b.Low(address), l.b.High(address), l.Exec()};
}

}  // namespace gcnjit::frontend
