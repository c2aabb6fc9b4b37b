// DS loads and stores: one address, two addresses, thread-id addressed. Semantics: CLRX
// GcnInstrsDs; Vega manual as quoted in gem5 ds.cc. Each address of two is checked by itself.
#include "frontend/lift/lds_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

Dwords EmitLdsLoad(Lifter& l, const MemoryForm& form, const LdsAddress& at) {
  const Value load = l.b.Emit(Op::kLoadLds, Type::kV32, {at.address, at.mask, at.limit}, at.imm,
                              form.Access().Pack());
  return PartsOf(l, load, form.Dwords());
}

void EmitLdsStore(Lifter& l, const MemoryForm& form, const LdsAddress& at, int src) {
  const Dwords data = StoredDwords(l, form, src);
  const Value args[] = {at.address, at.mask, at.limit, data[0], data[1], data[2], data[3]};
  l.b.EmitList(Op::kStoreLds, Type::kVoid, args, 3 + form.Dwords(), at.imm, form.Access().Pack());
}

void LoadLds(Lifter& l, const Instruction& i, const MemoryForm& form) {
  if (!IsLds(l, i)) return;
  const auto offset = static_cast<uint32_t>(i.offset);
  const LdsAddress at = LdsAddressOf(l, i.src[0].index, offset, form.bytes);
  WriteLoaded(l, i, form, EmitLdsLoad(l, form, at));
}

void StoreLds(Lifter& l, const Instruction& i, const MemoryForm& form) {
  if (!IsLds(l, i)) return;
  const auto offset = static_cast<uint32_t>(i.offset);
  EmitLdsStore(l, form, LdsAddressOf(l, i.src[0].index, offset, form.bytes), i.src[1].index);
}

// `stride`: in elements, the unit of the two offsets.
void Load2Lds(Lifter& l, const Instruction& i, const MemoryForm& form, uint32_t stride) {
  if (!IsLds(l, i)) return;
  const uint32_t scale = form.bytes * stride;
  const int vaddr = i.src[0].index;
  const Dwords first = EmitLdsLoad(l, form, LdsAddressOf(l, vaddr, i.offset0 * scale, form.bytes));
  const Dwords second = EmitLdsLoad(l, form, LdsAddressOf(l, vaddr, i.offset1 * scale, form.bytes));
  WriteLoaded(l, i, form, first);
  WriteLoaded(l, i, form, second, form.Dwords());
}

void Store2Lds(Lifter& l, const Instruction& i, const MemoryForm& form, uint32_t stride) {
  if (!IsLds(l, i)) return;
  const uint32_t scale = form.bytes * stride;
  const int vaddr = i.src[0].index;
  EmitLdsStore(l, form, LdsAddressOf(l, vaddr, i.offset0 * scale, form.bytes), i.src[1].index);
  EmitLdsStore(l, form, LdsAddressOf(l, vaddr, i.offset1 * scale, form.bytes), i.src[2].index);
}

// M0[15:0] + offset + lane * 4 (gfx9).
LdsAddress ThreadAddress(Lifter& l, const Instruction& i) {
  const Value start = l.b.And(l.Sgpr(kCodeM0), l.b.U32(0xFFFF));
  const Value address = l.b.Add(l.b.Shl(l.b.LaneId(), 2), start);
  return {address, l.Exec(), l.b.U32(~0u), i.offset};
}

}  // namespace

// clang-format off
#define DS_LOAD(id, form)           void lift_##id(Lifter& l, const Instruction& i) { LoadLds(l, i, form); }
#define DS_STORE(id, form)          void lift_##id(Lifter& l, const Instruction& i) { StoreLds(l, i, form); }
#define DS_LOAD2(id, form, stride)  void lift_##id(Lifter& l, const Instruction& i) { Load2Lds(l, i, form, stride); }
#define DS_STORE2(id, form, stride) void lift_##id(Lifter& l, const Instruction& i) { Store2Lds(l, i, form, stride); }

DS_LOAD(DS_READ_U8,         kUbyte)
DS_LOAD(DS_READ_I8,         kSbyte)
DS_LOAD(DS_READ_U16,        kUshort)
DS_LOAD(DS_READ_I16,        kSshort)
DS_LOAD(DS_READ_U8_D16,     kUbyteD16)
DS_LOAD(DS_READ_U8_D16_HI,  kUbyteD16Hi)
DS_LOAD(DS_READ_I8_D16,     kSbyteD16)
DS_LOAD(DS_READ_I8_D16_HI,  kSbyteD16Hi)
DS_LOAD(DS_READ_U16_D16,    kShortD16)
DS_LOAD(DS_READ_U16_D16_HI, kShortD16Hi)
DS_LOAD(DS_READ_B32,        kDword)
DS_LOAD(DS_READ_B64,        kDwordX2)
DS_LOAD(DS_READ_B96,        kDwordX3)
DS_LOAD(DS_READ_B128,       kDwordX4)
DS_LOAD2(DS_READ2_B32,      kDword, 1)
DS_LOAD2(DS_READ2_B64,      kDwordX2, 1)
DS_LOAD2(DS_READ2ST64_B32,  kDword, 64)
DS_LOAD2(DS_READ2ST64_B64,  kDwordX2, 64)

DS_STORE(DS_WRITE_B8,         kUbyte)
DS_STORE(DS_WRITE_B8_D16_HI,  kUbyteD16Hi)
DS_STORE(DS_WRITE_B16,        kUshort)
DS_STORE(DS_WRITE_B16_D16_HI, kShortD16Hi)
DS_STORE(DS_WRITE_B32,        kDword)
DS_STORE(DS_WRITE_B64,        kDwordX2)
DS_STORE(DS_WRITE_B96,        kDwordX3)
DS_STORE(DS_WRITE_B128,       kDwordX4)
DS_STORE2(DS_WRITE2_B32,      kDword, 1)
DS_STORE2(DS_WRITE2_B64,      kDwordX2, 1)
DS_STORE2(DS_WRITE2ST64_B32,  kDword, 64)
DS_STORE2(DS_WRITE2ST64_B64,  kDwordX2, 64)

#undef DS_LOAD
#undef DS_STORE
#undef DS_LOAD2
#undef DS_STORE2
// clang-format on

void lift_DS_READ_ADDTID_B32(Lifter& l, const Instruction& i) {
  if (IsLds(l, i)) WriteLoaded(l, i, kDword, EmitLdsLoad(l, kDword, ThreadAddress(l, i)));
}
void lift_DS_WRITE_ADDTID_B32(Lifter& l, const Instruction& i) {
  if (IsLds(l, i)) EmitLdsStore(l, kDword, ThreadAddress(l, i), i.src[1].index);
}

}  // namespace gcnjit::frontend
