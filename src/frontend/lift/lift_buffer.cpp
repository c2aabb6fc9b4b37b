// MUBUF loads and stores without format conversion. Semantics: CLRX GcnInstrsMubuf, GcnMemHandling;
// CDNA3 ISA 9.1. Each dword is checked against the range by itself.
//
// A lane's access takes one of three ways, and which one is known when it runs only: all of them
// are emitted, and the ones that no lane takes get an empty mask.
//   whole   one access of all its bytes: a dword or less, or more if nothing is out of range
//   dwords  one access a dword
//   bytes   one access a byte: swizzled and not aligned
#include "frontend/lift/buffer_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

constexpr MemoryForm kByte = {1};

bool IsNever(const Lifter& l, Value u1) {
  uint64_t value = 1;
  return l.b.IsConst(u1, &value) && value == 0;
}
Value MaskIf(Lifter& l, Value u1, Value mask) { return l.b.Select(u1, mask, l.b.U64(0)); }
Value MaskUnless(Lifter& l, Value u1, Value mask) { return l.b.Select(u1, l.b.U64(0), mask); }

// The ways of one instruction.
struct Ways {
  Value whole;   // mask
  Value dwords;  // u1; of more than a dword
  Value bytes;   // u1; of at most a dword
};

// Refuses unaligned swizzled accesses of more than a dword: they would be 8 to 16 accesses, and
// compilers do not make them, since elements of private memory have 4 bytes.
Ways WaysOf(Lifter& l, const BufferAddress& buffer, const MemoryForm& form, bool addr64) {
  const Value splits = buffer.Splits(form.bytes);
  const Value never = l.b.U1(false);
  if (form.Dwords() == 1) {
    return {MaskUnless(l, splits, buffer.InRange(0, form.bytes)), never, splits};
  }
  if (!IsNever(l, splits)) {
    l.Refuse("more than a dword of a buffer that may be swizzled");
    return {};
  }
  if (addr64) return {buffer.InRange(0, form.bytes), never, never};
  const Value last = buffer.InRange(form.bytes - 4u, 4);
  const Value all = l.b.Compare(Op::kEq, last, l.Exec());
  const Value apart = l.b.Or(buffer.swizzled(), l.b.Not(all));
  return {MaskUnless(l, buffer.swizzled(), last), apart, never};
}

// The lanes whose n-th dword is accessed by itself.
Value MaskOfDword(Lifter& l, const Ways& ways, const BufferAddress& buffer, uint32_t n) {
  return MaskIf(l, ways.dwords, l.b.AndNot(buffer.InRange(4 * n, 4), ways.whole));
}

Value EmitBufferLoad(Lifter& l, const MemoryForm& form, std::pair<Value, Value> at, Value mask) {
  return l.b.Emit(Op::kLoad, Type::kV32, {at.first, at.second, mask}, 0, form.Access().Pack());
}

void LoadBuffer(Lifter& l, const Instruction& i, const MemoryForm& form) {
  const BufferAddress buffer(l, i);
  if (!l.refusal().empty()) return;
  const Ways ways = WaysOf(l, buffer, form, i.addr64);
  if (!l.refusal().empty()) return;
  FenceIfCoherent(l, i);
  const Value load = EmitBufferLoad(l, form, buffer.At(0, form.bytes), ways.whole);
  Dwords loaded = PartsOf(l, load, form.Dwords());
  if (!IsNever(l, ways.dwords)) {
    for (uint32_t n = 0; n < static_cast<uint32_t>(form.Dwords()); ++n) {
      const Value mask = MaskOfDword(l, ways, buffer, n);
      loaded[n] = l.b.Or(loaded[n], EmitBufferLoad(l, kDword, buffer.At(4 * n, 4), mask));
    }
  }
  if (!IsNever(l, ways.bytes)) {
    const Value mask = MaskIf(l, ways.bytes, buffer.InRange(0, form.bytes, /*whole=*/true));
    Value raw = l.b.U32(0);
    for (uint32_t n = 0; n < form.bytes; ++n) {
      raw = l.b.Or(raw, l.b.Shl(EmitBufferLoad(l, kByte, buffer.At(n, 1), mask), 8 * n));
    }
    if (form.sign_extend) raw = l.b.Unary(Op::kSext16, raw);
    loaded[0] = l.b.Or(loaded[0], raw);
  }
  WriteLoaded(l, i, form, loaded);
}

void EmitBufferStore(Lifter& l, const MemoryForm& form, std::pair<Value, Value> at, Value mask,
                     const Dwords& data) {
  const Value args[] = {at.first, at.second, mask, data[0], data[1], data[2], data[3]};
  l.b.EmitList(Op::kStore, Type::kVoid, args, 3 + form.Dwords(), 0, form.Access().Pack());
}

void StoreBuffer(Lifter& l, const Instruction& i, const MemoryForm& form) {
  const BufferAddress buffer(l, i);
  if (!l.refusal().empty()) return;
  const Ways ways = WaysOf(l, buffer, form, i.addr64);
  if (!l.refusal().empty()) return;
  const Dwords data = StoredDwords(l, form, i.src[1].index);
  EmitBufferStore(l, form, buffer.At(0, form.bytes), ways.whole, data);
  if (!IsNever(l, ways.dwords)) {
    for (uint32_t n = 0; n < static_cast<uint32_t>(form.Dwords()); ++n) {
      const Value mask = MaskOfDword(l, ways, buffer, n);
      EmitBufferStore(l, kDword, buffer.At(4 * n, 4), mask, {data[n]});
    }
  }
  if (!IsNever(l, ways.bytes)) {
    const Value mask = MaskIf(l, ways.bytes, buffer.InRange(0, form.bytes, /*whole=*/true));
    for (uint32_t n = 0; n < form.bytes; ++n) {
      EmitBufferStore(l, kByte, buffer.At(n, 1), mask, {l.b.Lshr(data[0], 8 * n)});
    }
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
