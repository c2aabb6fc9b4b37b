#include "frontend/lift/lds_address.h"

namespace gcnjit::frontend {
namespace {

// 96 bits are aligned as 128 bits are.
uint32_t AlignmentOf(uint32_t bytes) { return bytes > 8 ? 16 : bytes; }

}  // namespace

LdsAddress LdsAddressOf(Lifter& l, int vaddr, uint32_t offset, uint32_t bytes) {
  const Value base = l.Vgpr(vaddr);
  // gfx9 under HSA allows unaligned accesses (LLVM, unaligned-ds-access).
  if (!Has(l.generation(), kLdsLimitInM0)) return {base, l.Exec(), l.b.U32(~0u), offset};
  Value mask = l.Exec();
  if (Has(l.generation(), kLdsBaseIsSigned)) {
    // A VGPR's value may be a scalar: the type asks for a lane mask.
    mask = l.b.And(mask, l.b.Emit(Op::kLeS, ir::Type::kU64, {l.b.U32(0), base}));
  }
  const Value limit = l.Sgpr(kCodeM0);
  const uint32_t alignment = AlignmentOf(bytes);
  if (alignment == 1) return {base, mask, limit, offset};
  const Value keep = l.b.U32(~(alignment - 1));
  // An aligned offset does not disturb the bits below.
  if (offset % alignment == 0) return {l.b.And(base, keep), mask, limit, offset};
  return {l.b.And(l.b.Add(base, l.b.U32(offset)), keep), mask, limit, 0};
}

bool IsLds(Lifter& l, const Instruction& i) {
  if (i.gds) l.Refuse("GDS");
  return !i.gds;
}

}  // namespace gcnjit::frontend
