// SMRD and SMEM: loads at an address. Semantics: CLRX GcnInstrsSmrd, GcnInstrsSmem; Vega manual,
// "Scalar memory operations"; addresses: as in the interpreter's scalar_address.h. Stores, atomics
// and clocks are the interpreter's.
#include "frontend/lift/lift_memory.h"
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

// The low two bits of the sum of base and offsets do not count.
constexpr uint64_t kDwordMask = ~uint64_t{3};

// `address`: base and register offset.
void LoadFrom(Lifter& l, const Instruction& i, int dwords, Value address) {
  // The immediate's dwords stay apart from the base, so that loads off one base have one address.
  const int64_t immediate = i.has_offset ? i.offset : 0;
  const int64_t bytes = immediate & 3;
  if (bytes != 0) address = l.b.Add(address, l.b.U64(static_cast<uint64_t>(bytes)));
  address = l.b.And(address, l.b.U64(kDwordMask));
  FenceIfCoherent(l, i);
  const Value load = l.b.Emit(Op::kLoadScalar, ir::Type::kU32, {address}, immediate - bytes,
                              static_cast<uint32_t>(dwords));
  Value parts[16];
  for (int n = 0; n < dwords; ++n) parts[n] = l.b.Part(load, n);
  for (int n = 0; n < dwords; ++n) l.SetSgpr(i.dst.index + n, parts[n]);
}

void Load(Lifter& l, const Instruction& i, int dwords) {
  Value address = l.Scalar64(i.src[0]);
  if (i.src[1].kind != OperandKind::kNone) {
    address = l.b.Add(address, l.b.Zext(l.Scalar32(i.src[1])));
  }
  if (l.refusal().empty()) LoadFrom(l, i, dwords, address);
}

// s_scratch_*: the register counts bytes of one lane, and 64 lanes interleave by dwords (CLRX: its
// low two bits do not count).
void ScratchLoad(Lifter& l, const Instruction& i, int dwords) {
  constexpr uint32_t kLanesShift = 6;
  Value address = l.Scalar64(i.src[0]);
  if (i.src[1].kind != OperandKind::kNone) {
    const Value offset = l.b.And(l.Scalar32(i.src[1]), l.b.U32(static_cast<uint32_t>(kDwordMask)));
    address = l.b.Add(address, l.b.Shl(l.b.Zext(offset), kLanesShift));
  }
  if (l.refusal().empty()) LoadFrom(l, i, dwords, address);
}

// Bytes of a buffer whose resource begins with s[first].
Value BufferBytes(Lifter& l, int first) {
  const Value records = l.Sgpr(first + 2);
  const Value stride = l.b.And(l.b.Lshr(l.Sgpr(first + 1), 16), l.b.U32(0x3FFF));
  const Value all = l.b.Emit(Op::kMulWideU, ir::Type::kU64, {records, stride});
  const Value has_stride = l.b.Compare(Op::kNe, stride, l.b.U32(0));
  return l.b.Select(has_stride, all, l.b.Zext(records));
}

// Dwords that begin beyond the buffer's end are 0. Each is a load of its own; where it is beyond
// the end, of something that can be read.
void BufferLoad(Lifter& l, const Instruction& i, int dwords) {
  constexpr uint64_t kAddressMask = 0xFFFFFFFFFFFF;
  const int64_t immediate = i.has_offset ? i.offset : 0;
  if (immediate < 0) return l.Refuse("an offset that may be negative");
  Value offset = l.b.U64(static_cast<uint64_t>(immediate));
  if (i.src[1].kind != OperandKind::kNone) {
    offset = l.b.Add(offset, l.b.Zext(l.Scalar32(i.src[1])));
  }
  if (!l.refusal().empty()) return;
  const int first = i.src[0].index;
  const Value base = l.b.And(l.Sgpr64(first), l.b.U64(kAddressMask));
  const Value address = l.b.And(l.b.Add(base, offset), l.b.U64(kDwordMask));
  const Value bytes = BufferBytes(l, first);
  FenceIfCoherent(l, i);
  Value loaded[16];
  for (int n = 0; n < dwords; ++n) {
    const Value ahead = l.b.U64(static_cast<uint64_t>(n) * 4);
    const Value is_inside = l.b.Compare(Op::kLtU, l.b.Add(offset, ahead), bytes);
    const Value from = l.b.Select(is_inside, l.b.Add(address, ahead), l.b.CodeBase());
    const Value load = l.b.Emit(Op::kLoadScalar, ir::Type::kU32, {from}, 0, 1);
    loaded[n] = l.b.Select(is_inside, load, l.b.U32(0));
  }
  for (int n = 0; n < dwords; ++n) l.SetSgpr(i.dst.index + n, loaded[n]);
}

}  // namespace

void lift_S_BUFFER_LOAD_DWORD(Lifter& l, const Instruction& i) { BufferLoad(l, i, 1); }
void lift_S_BUFFER_LOAD_DWORDX2(Lifter& l, const Instruction& i) { BufferLoad(l, i, 2); }
void lift_S_BUFFER_LOAD_DWORDX4(Lifter& l, const Instruction& i) { BufferLoad(l, i, 4); }
void lift_S_BUFFER_LOAD_DWORDX8(Lifter& l, const Instruction& i) { BufferLoad(l, i, 8); }
void lift_S_BUFFER_LOAD_DWORDX16(Lifter& l, const Instruction& i) { BufferLoad(l, i, 16); }

void lift_S_LOAD_DWORD(Lifter& l, const Instruction& i) { Load(l, i, 1); }
void lift_S_LOAD_DWORDX2(Lifter& l, const Instruction& i) { Load(l, i, 2); }
void lift_S_LOAD_DWORDX4(Lifter& l, const Instruction& i) { Load(l, i, 4); }
void lift_S_LOAD_DWORDX8(Lifter& l, const Instruction& i) { Load(l, i, 8); }
void lift_S_LOAD_DWORDX16(Lifter& l, const Instruction& i) { Load(l, i, 16); }

void lift_S_SCRATCH_LOAD_DWORD(Lifter& l, const Instruction& i) { ScratchLoad(l, i, 1); }
void lift_S_SCRATCH_LOAD_DWORDX2(Lifter& l, const Instruction& i) { ScratchLoad(l, i, 2); }
void lift_S_SCRATCH_LOAD_DWORDX4(Lifter& l, const Instruction& i) { ScratchLoad(l, i, 4); }

void lift_S_DCACHE_INV(Lifter& l, const Instruction&) { Fence(l); }
void lift_S_DCACHE_INV_VOL(Lifter& l, const Instruction&) { Fence(l); }
// Host caches are coherent: nothing to write back, discard or prefetch.
void lift_S_DCACHE_WB(Lifter&, const Instruction&) {}
void lift_S_DCACHE_WB_VOL(Lifter&, const Instruction&) {}
void lift_S_DCACHE_DISCARD(Lifter&, const Instruction&) {}
void lift_S_DCACHE_DISCARD_X2(Lifter&, const Instruction&) {}
void lift_S_ATC_PROBE(Lifter&, const Instruction&) {}
void lift_S_ATC_PROBE_BUFFER(Lifter&, const Instruction&) {}

}  // namespace gcnjit::frontend
