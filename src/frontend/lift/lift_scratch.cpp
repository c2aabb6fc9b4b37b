// SCRATCH loads and stores. Semantics: LLVM AMDGPUUsage, "Flat Scratch"; CDNA3 ISA chapter 10.
//
// Dwords of a lane lie 64 dwords apart: lanes whose offset is aligned access each dword by itself.
// The other ones take the way of flat addresses in the private aperture.
#include <algorithm>

#include "frontend/lift/lift_memory.h"
#include "isa/aperture.h"

namespace gcnjit::frontend {
namespace {

constexpr int64_t kDwordStride = int64_t{4} * ir::kLanes;

// Where an instruction's lanes are.
struct ScratchLanes {
  Value offset;  // u32 or v32, in bytes
  Value low;     // of the address of the first dword
  Value high;
  Value aligned;  // masks
  Value others;
};

// The active lanes that are not aligned, a u64.
Value MisalignedLanes(Lifter& l, Value offset, uint32_t bytes) {
  const uint32_t mask = std::min(bytes, 4u) - 1;
  if (mask == 0) return l.b.U64(0);
  const Value low_bits = l.b.And(offset, l.b.U32(mask));
  uint64_t constant = 0;
  if (l.b.IsConst(low_bits, &constant)) return constant == 0 ? l.b.U64(0) : l.Exec();
  if (!ir::IsLanes(l.b.TypeOf(offset))) {
    const Value is_misaligned = l.b.Compare(Op::kNe, low_bits, l.b.U32(0));
    return l.b.Select(is_misaligned, l.Exec(), l.b.U64(0));
  }
  return l.b.And(l.Exec(), l.b.Compare(Op::kNe, low_bits, l.b.U32(0)));
}

ScratchLanes LanesOf(Lifter& l, const Instruction& i, uint32_t bytes) {
  if (i.lds) {
    l.Refuse("transfers to LDS");
    return {};
  }
  ScratchLanes lanes;
  lanes.offset = l.b.U32(static_cast<uint32_t>(i.offset));
  if (i.src[2].kind == OperandKind::kScalar)
    lanes.offset = l.b.Add(l.Sgpr(i.src[2].index), lanes.offset);
  if (i.src[0].kind == OperandKind::kVector)
    lanes.offset = l.b.Add(l.Vgpr(i.src[0].index), lanes.offset);
  const Value dwords = l.b.And(lanes.offset, l.b.U32(~3u));
  const Value within = bytes < 4 ? l.b.And(lanes.offset, l.b.U32(3)) : l.b.U32(0);
  // Scalars with scalars, as in BufferAddress::At.
  const Value lane = l.b.Zext(l.b.Shl(l.b.LaneId(), 2));
  const Value first = l.b.Shl(l.b.Zext(dwords), 6);
  const Value base = l.Sgpr64(FlatScratchCode(l.generation()));
  const Value row = ir::IsLanes(l.b.TypeOf(first)) ? l.b.Add(l.b.Add(lane, base), first)
                                                   : l.b.Add(lane, l.b.Add(base, first));
  const Value address = l.b.Add(row, l.b.Zext(within));
  lanes.low = l.b.Low(address);
  lanes.high = l.b.High(address);
  lanes.others = MisalignedLanes(l, lanes.offset, bytes);
  lanes.aligned = l.b.AndNot(l.Exec(), lanes.others);
  return lanes;
}

bool IsNone(const Lifter& l, Value mask) {
  uint64_t constant = 1;
  return l.b.IsConst(mask, &constant) && constant == 0;
}

Value ApertureHigh(Lifter& l) { return l.b.U32(static_cast<uint32_t>(kPrivateAperture >> 32)); }

void LoadScratch(Lifter& l, const Instruction& i, const MemoryForm& form) {
  const ScratchLanes at = LanesOf(l, i, form.bytes);
  if (!l.refusal().empty()) return;
  FenceIfCoherent(l, i);
  const MemoryForm& piece = form.Dwords() == 1 ? form : kDword;
  Dwords loaded;
  for (int n = 0; n < form.Dwords(); ++n) {
    loaded[n] = l.b.Emit(Op::kLoad, Type::kV32, {at.low, at.high, at.aligned}, n * kDwordStride,
                         piece.Access().Pack());
  }
  if (!IsNone(l, at.others)) {
    const Value load = l.b.Emit(Op::kLoad, Type::kV32, {at.offset, ApertureHigh(l), at.others}, 0,
                                form.Access(ir::Space::kFlat).Pack());
    const Dwords others = PartsOf(l, load, form.Dwords());
    for (int n = 0; n < form.Dwords(); ++n) loaded[n] = l.b.Or(loaded[n], others[n]);
  }
  WriteLoaded(l, i, form, loaded);
}

void StoreScratch(Lifter& l, const Instruction& i, const MemoryForm& form) {
  const ScratchLanes at = LanesOf(l, i, form.bytes);
  if (!l.refusal().empty()) return;
  const Dwords data = StoredDwords(l, form, i.src[1].index);
  const MemoryForm& piece = form.Dwords() == 1 ? form : kDword;
  for (int n = 0; n < form.Dwords(); ++n) {
    l.b.Emit(Op::kStore, Type::kVoid, {at.low, at.high, at.aligned, data[n]}, n * kDwordStride,
             piece.Access().Pack());
  }
  if (IsNone(l, at.others)) return;
  const Value args[] = {at.offset, ApertureHigh(l), at.others, data[0], data[1], data[2], data[3]};
  l.b.EmitList(Op::kStore, Type::kVoid, args, 3 + form.Dwords(), 0,
               form.Access(ir::Space::kFlat).Pack());
}

}  // namespace

// clang-format off
#define LOAD(id, form)  void lift_SCRATCH_LOAD_##id(Lifter& l, const Instruction& i) { LoadScratch(l, i, form); }
#define STORE(id, form) void lift_SCRATCH_STORE_##id(Lifter& l, const Instruction& i) { StoreScratch(l, i, form); }

LOAD(UBYTE,        kUbyte)
LOAD(SBYTE,        kSbyte)
LOAD(USHORT,       kUshort)
LOAD(SSHORT,       kSshort)
LOAD(DWORD,        kDword)
LOAD(DWORDX2,      kDwordX2)
LOAD(DWORDX3,      kDwordX3)
LOAD(DWORDX4,      kDwordX4)
LOAD(UBYTE_D16,    kUbyteD16)
LOAD(UBYTE_D16_HI, kUbyteD16Hi)
LOAD(SBYTE_D16,    kSbyteD16)
LOAD(SBYTE_D16_HI, kSbyteD16Hi)
LOAD(SHORT_D16,    kShortD16)
LOAD(SHORT_D16_HI, kShortD16Hi)

STORE(BYTE,         kUbyte)
STORE(BYTE_D16_HI,  kUbyteD16Hi)
STORE(SHORT,        kUshort)
STORE(SHORT_D16_HI, kShortD16Hi)
STORE(DWORD,        kDword)
STORE(DWORDX2,      kDwordX2)
STORE(DWORDX3,      kDwordX3)
STORE(DWORDX4,      kDwordX4)

#undef LOAD
#undef STORE
// clang-format on

}  // namespace gcnjit::frontend
