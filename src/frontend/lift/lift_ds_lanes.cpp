// DS instructions that move values between lanes. Semantics: RDNA4 ISA and gem5 ds.cc for bpermute;
// RDNA3 and RDNA4 ISA, DS_SWIZZLE_B32, CLRX GcnInstrsDs and gem5 ds.cc for swizzle. Those that act
// once for the whole wave: LLVM passes the pointer in M0 (ds_append tests); manuals, "(M0.base +
// instr_offset)". ds_permute is the interpreter's.
#include <bit>

#include "frontend/lift/lds_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

uint32_t Reversed5(uint32_t v) {
  uint32_t result = 0;
  for (int bit = 0; bit < 5; ++bit) result |= (v >> bit & 1) << (4 - bit);
  return result;
}

// The lane that `lane` reads within its group of 32; gfx9 has two modes more.
uint32_t SwizzledLane(uint32_t lane, uint32_t offset, bool gfx9) {
  const uint32_t low = offset & 0x1F;
  const uint32_t middle = offset >> 5 & 0x1F;
  const uint32_t high = offset >> 10 & 0x1F;
  const bool fft = gfx9 && offset >= 0xE000;
  const bool rotate = gfx9 && !fft && offset >= 0xC000;
  if (fft) return (lane & low) | Reversed5(lane) >> std::popcount(low);
  if (rotate) {
    const uint32_t moved = (high & 1) != 0 ? lane - middle : lane + middle;
    return ((lane & low) | (moved & ~low)) & 0x1F;
  }
  if ((offset & 0x8000) != 0) return (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3);
  return ((lane & low) | middle) ^ high;
}

// Adds `amount` once, by the first active lane; all get the old value, 0 out of range. M0 is an
// address here and no limit, on any generation.
void AppendOrConsume(Lifter& l, const Instruction& i, AtomicOp op) {
  if (!IsLds(l, i)) return;
  const Value exec = l.Exec();
  const Value first = l.b.And(exec, l.b.Sub(l.b.U64(0), exec));
  const Value base = l.b.And(l.Sgpr(kCodeM0), l.b.U32(0xFFFF));
  const Value address =
      l.b.And(l.b.Add(base, l.b.U32(static_cast<uint32_t>(i.offset))), l.b.U32(~3u));
  const Value amount = l.b.Unary(Op::kPopcount, exec);
  const Value old = l.b.Emit(Op::kAtomicLds, Type::kV32, {address, first, l.b.U32(~0u), amount}, 0,
                             AtomicForm{op}.Access().Pack());
  const Value lane = l.b.Emit(Op::kFirstLane, Type::kU32, {exec});
  l.SetVgpr(i.dst.index, l.b.Emit(Op::kReadLane, Type::kU32, {old, lane}));
}

}  // namespace

void lift_DS_APPEND(Lifter& l, const Instruction& i) { AppendOrConsume(l, i, AtomicOp::kAdd); }
void lift_DS_CONSUME(Lifter& l, const Instruction& i) { AppendOrConsume(l, i, AtomicOp::kSub); }

// Inactive lanes give 0.
void lift_DS_SWIZZLE_B32(Lifter& l, const Instruction& i) {
  ir::LanePattern pattern;
  const bool gfx9 = IsGfx9(l.generation());
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    const uint32_t from = SwizzledLane(lane & 0x1F, static_cast<uint32_t>(i.offset), gfx9);
    pattern[lane] = static_cast<uint8_t>((lane & 0x20) | from);
  }
  const int index = l.b.Pattern(pattern);
  const Value moved = l.b.Emit(Op::kPermute, Type::kV32, {l.Vgpr(i.src[0].index)}, index);
  const Value active = l.b.Emit(Op::kPermuteMask, Type::kU64, {l.Exec()}, index);
  l.SetVgpr(i.dst.index, l.b.Select(active, moved, l.b.U32(0)));
}

void lift_DS_BPERMUTE_B32(Lifter& l, const Instruction& i) {
  const Value address = l.b.Add(l.Vgpr(i.src[0].index), l.b.U32(static_cast<uint32_t>(i.offset)));
  const Value data = l.Vgpr(i.src[1].index);
  l.SetVgpr(i.dst.index, l.b.Emit(Op::kBpermute, Type::kV32, {data, address, l.Exec()}));
}

void lift_DS_NOP(Lifter&, const Instruction&) {}

}  // namespace gcnjit::frontend
