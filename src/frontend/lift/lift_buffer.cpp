// MUBUF loads and stores without format conversion. Semantics: CLRX GcnInstrsMubuf, GcnMemHandling;
// CDNA3 ISA 9.1. Each dword is checked against the range by itself.
//
// A dword or less is one access, of a swizzled buffer too, where lanes that are not aligned go byte
// by byte. More of it takes one of two ways, and which one is known when it runs only: both are
// emitted, and the one that no lane takes gets an empty mask.
//   whole   one access of all its bytes, if none is out of range
//   dwords  one access a dword
#include "frontend/lift/buffer_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

bool IsNever(const Lifter& l, Value u1) {
  uint64_t value = 1;
  return l.b.IsConst(u1, &value) && value == 0;
}

// The ways of more than a dword.
struct Ways {
  Value whole;   // mask
  Value dwords;  // u1
};

Ways WaysOf(Lifter& l, const BufferAddress& buffer, const MemoryForm& form, bool addr64) {
  if (addr64) return {buffer.InRange(0, form.bytes), l.b.U1(false)};
  const Value last = buffer.InRange(form.bytes - 4u, 4);
  const Value all = l.b.Compare(Op::kEq, last, l.Exec());
  return {l.b.Select(buffer.swizzled(), l.b.U64(0), last), l.b.Or(buffer.swizzled(), l.b.Not(all))};
}

// The lanes whose dword `component` bytes into the access is accessed by itself.
Value MaskOfDword(Lifter& l, const Ways& ways, const BufferAddress& buffer, uint32_t component) {
  const Value lanes = l.b.AndNot(buffer.PieceInRange(component, 4), ways.whole);
  return l.b.Select(ways.dwords, lanes, l.b.U64(0));
}

// At most a dword.
Value LoadPiece(Lifter& l, const MemoryForm& form, const BufferAddress& buffer, uint32_t component,
                Value mask) {
  const auto [low, high] = buffer.At(component, form.bytes);
  const Value place = buffer.Place(component, form.bytes);
  const uint32_t access = buffer.Access(form.Access()).Pack();
  if (!place) return l.b.Emit(Op::kLoad, Type::kV32, {low, high, mask}, 0, access);
  return l.b.Emit(Op::kLoadSwizzled, Type::kV32, {low, high, mask, place}, 0, access);
}

void LoadBuffer(Lifter& l, const Instruction& i, const MemoryForm& form) {
  const BufferAddress buffer(l, i);
  if (!l.refusal().empty()) return;
  FenceIfCoherent(l, i);
  if (form.Dwords() == 1) {
    const Value mask = buffer.PieceInRange(0, form.bytes);
    return WriteLoaded(l, i, form, {LoadPiece(l, form, buffer, 0, mask)});
  }
  const Ways ways = WaysOf(l, buffer, form, i.addr64);
  const auto [low, high] = buffer.At(0, form.bytes);
  const Value load = l.b.Emit(Op::kLoad, Type::kV32, {low, high, ways.whole}, 0,
                              buffer.Access(form.Access()).Pack());
  Dwords loaded = PartsOf(l, load, form.Dwords());
  if (!IsNever(l, ways.dwords)) {
    for (uint32_t n = 0; n < static_cast<uint32_t>(form.Dwords()); ++n) {
      const Value mask = MaskOfDword(l, ways, buffer, 4 * n);
      loaded[n] = l.b.Or(loaded[n], LoadPiece(l, kDword, buffer, 4 * n, mask));
    }
  }
  WriteLoaded(l, i, form, loaded);
}

void StorePiece(Lifter& l, const MemoryForm& form, const BufferAddress& buffer, uint32_t component,
                Value mask, Value dword) {
  const auto [low, high] = buffer.At(component, form.bytes);
  const Value place = buffer.Place(component, form.bytes);
  const uint32_t access = buffer.Access(form.Access()).Pack();
  if (!place) {
    l.b.Emit(Op::kStore, Type::kVoid, {low, high, mask, dword}, 0, access);
  } else {
    l.b.Emit(Op::kStoreSwizzled, Type::kVoid, {low, high, mask, place, dword}, 0, access);
  }
}

void StoreBuffer(Lifter& l, const Instruction& i, const MemoryForm& form) {
  const BufferAddress buffer(l, i);
  if (!l.refusal().empty()) return;
  const Dwords data = StoredDwords(l, form, i.src[1].index);
  if (form.Dwords() == 1) {
    return StorePiece(l, form, buffer, 0, buffer.PieceInRange(0, form.bytes), data[0]);
  }
  const Ways ways = WaysOf(l, buffer, form, i.addr64);
  const auto [low, high] = buffer.At(0, form.bytes);
  const Value args[] = {low, high, ways.whole, data[0], data[1], data[2], data[3]};
  l.b.EmitList(Op::kStore, Type::kVoid, args, 3 + form.Dwords(), 0,
               buffer.Access(form.Access()).Pack());
  if (IsNever(l, ways.dwords)) return;
  for (uint32_t n = 0; n < static_cast<uint32_t>(form.Dwords()); ++n) {
    StorePiece(l, kDword, buffer, 4 * n, MaskOfDword(l, ways, buffer, 4 * n), data[n]);
  }
}

}  // namespace

// clang-format off
#define LOAD(id, form)  void lift_BUFFER_LOAD_##id(Lifter& l, const Instruction& i) { LoadBuffer(l, i, form); }
#define STORE(id, form) void lift_BUFFER_STORE_##id(Lifter& l, const Instruction& i) { StoreBuffer(l, i, form); }

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

// Host caches are coherent, but stores may still be on their way there.
void lift_BUFFER_WBINVL1(Lifter& l, const Instruction&) { Fence(l); }
void lift_BUFFER_WBINVL1_SC(Lifter& l, const Instruction&) { Fence(l); }
void lift_BUFFER_WBINVL1_VOL(Lifter& l, const Instruction&) { Fence(l); }
void lift_BUFFER_WBL2(Lifter& l, const Instruction&) { Fence(l); }
void lift_BUFFER_INVL2(Lifter& l, const Instruction&) { Fence(l); }
void lift_BUFFER_INV(Lifter& l, const Instruction&) { Fence(l); }

}  // namespace gcnjit::frontend
