// SMRD and SMEM: loads at an address. Semantics: CLRX GcnInstrsSmrd, GcnInstrsSmem; Vega manual,
// "Scalar memory operations". Buffers, stores, atomics and clocks are the interpreter's.
#include "frontend/lift/lift_memory.h"
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

// Base and offsets count in bytes, and the low two bits of each count as zero.
constexpr uint64_t kDwordMask = ~uint64_t{3};

// `register_shift`: what a unit of the register offset is.
void Load(Lifter& l, const Instruction& i, int dwords, uint32_t register_shift = 0) {
  Value address = l.Scalar64(i.src[0]);
  address = l.b.And(address, l.b.U64(kDwordMask));
  if (i.src[1].kind != OperandKind::kNone) {
    const Value offset = l.b.And(l.Scalar32(i.src[1]), l.b.U32(static_cast<uint32_t>(kDwordMask)));
    address = l.b.Add(address, l.b.Shl(l.b.Zext(offset), register_shift));
  }
  if (!l.refusal().empty()) return;
  FenceIfCoherent(l, i);
  const int64_t immediate = i.has_offset ? i.offset & ~3 : 0;
  const Value load = l.b.Emit(Op::kLoadScalar, ir::Type::kU32, {address}, immediate,
                              static_cast<uint32_t>(dwords));
  Value parts[16];
  for (int n = 0; n < dwords; ++n) parts[n] = l.b.Part(load, n);
  for (int n = 0; n < dwords; ++n) l.SetSgpr(i.dst.index + n, parts[n]);
}

// s_scratch_*: the register counts bytes of one lane, and 64 lanes interleave.
constexpr uint32_t kScratchShift = 6;

}  // namespace

void lift_S_LOAD_DWORD(Lifter& l, const Instruction& i) { Load(l, i, 1); }
void lift_S_LOAD_DWORDX2(Lifter& l, const Instruction& i) { Load(l, i, 2); }
void lift_S_LOAD_DWORDX4(Lifter& l, const Instruction& i) { Load(l, i, 4); }
void lift_S_LOAD_DWORDX8(Lifter& l, const Instruction& i) { Load(l, i, 8); }
void lift_S_LOAD_DWORDX16(Lifter& l, const Instruction& i) { Load(l, i, 16); }

void lift_S_SCRATCH_LOAD_DWORD(Lifter& l, const Instruction& i) { Load(l, i, 1, kScratchShift); }
void lift_S_SCRATCH_LOAD_DWORDX2(Lifter& l, const Instruction& i) { Load(l, i, 2, kScratchShift); }
void lift_S_SCRATCH_LOAD_DWORDX4(Lifter& l, const Instruction& i) { Load(l, i, 4, kScratchShift); }

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
