// Field positions: GCN3 and Vega ISA manuals, "Microcode formats"; SMRD and ADDR64: Southern
// Islands and Sea Islands manuals.
#include "differential/memory_assembler.h"

#include "differential/assembler.h"

namespace gcnjit::differential {
namespace {

using encoding::SetField;
using frontend::Opcode;

struct Rows {
  Opcode buffer;
  Opcode flat;
  Opcode global;
  uint32_t bytes;
  bool loads;
};

Rows RowsOfAccess(Access access) {
  using enum Opcode;
  switch (access) {
    case Access::kLoadUbyte:
      return {BUFFER_LOAD_UBYTE, FLAT_LOAD_UBYTE, GLOBAL_LOAD_UBYTE, 1, true};
    case Access::kLoadSbyte:
      return {BUFFER_LOAD_SBYTE, FLAT_LOAD_SBYTE, GLOBAL_LOAD_SBYTE, 1, true};
    case Access::kLoadUshort:
      return {BUFFER_LOAD_USHORT, FLAT_LOAD_USHORT, GLOBAL_LOAD_USHORT, 2, true};
    case Access::kLoadSshort:
      return {BUFFER_LOAD_SSHORT, FLAT_LOAD_SSHORT, GLOBAL_LOAD_SSHORT, 2, true};
    case Access::kLoadDword:
      return {BUFFER_LOAD_DWORD, FLAT_LOAD_DWORD, GLOBAL_LOAD_DWORD, 4, true};
    case Access::kLoadDwordx2:
      return {BUFFER_LOAD_DWORDX2, FLAT_LOAD_DWORDX2, GLOBAL_LOAD_DWORDX2, 8, true};
    case Access::kLoadDwordx4:
      return {BUFFER_LOAD_DWORDX4, FLAT_LOAD_DWORDX4, GLOBAL_LOAD_DWORDX4, 16, true};
    case Access::kStoreByte:
      return {BUFFER_STORE_BYTE, FLAT_STORE_BYTE, GLOBAL_STORE_BYTE, 1, false};
    case Access::kStoreShort:
      return {BUFFER_STORE_SHORT, FLAT_STORE_SHORT, GLOBAL_STORE_SHORT, 2, false};
    case Access::kStoreDword:
      return {BUFFER_STORE_DWORD, FLAT_STORE_DWORD, GLOBAL_STORE_DWORD, 4, false};
    case Access::kAdd: return {BUFFER_ATOMIC_ADD, FLAT_ATOMIC_ADD, GLOBAL_ATOMIC_ADD, 4, false};
    case Access::kSub: return {BUFFER_ATOMIC_SUB, FLAT_ATOMIC_SUB, GLOBAL_ATOMIC_SUB, 4, false};
    case Access::kOr: return {BUFFER_ATOMIC_OR, FLAT_ATOMIC_OR, GLOBAL_ATOMIC_OR, 4, false};
    case Access::kXor: return {BUFFER_ATOMIC_XOR, FLAT_ATOMIC_XOR, GLOBAL_ATOMIC_XOR, 4, false};
    case Access::kUmax: return {BUFFER_ATOMIC_UMAX, FLAT_ATOMIC_UMAX, GLOBAL_ATOMIC_UMAX, 4, false};
    case Access::kSmin: return {BUFFER_ATOMIC_SMIN, FLAT_ATOMIC_SMIN, GLOBAL_ATOMIC_SMIN, 4, false};
  }
  return {};
}

constexpr uint32_t kNoBase = 0x7F;

}  // namespace

uint32_t BytesOf(Access access) { return RowsOfAccess(access).bytes; }

Item MemoryAssembler::Start(Opcode opcode) const {
  const frontend::OpcodeNumber number = frontend::RowOf(opcode).On(generation_);
  Item item;
  item.words[0] = encoding::SkeletonOf(generation_, number.format, number.number).bits;
  item.size = 2;
  return item;
}

Item MemoryAssembler::ScalarLoad(Opcode opcode, uint32_t sdst, uint32_t pair,
                                 uint32_t offset) const {
  Item item = Start(opcode);
  if (frontend::IsGfx8Plus(generation_)) {
    SetField(item.words[0], 0, 6, pair / 2);
    SetField(item.words[0], 6, 7, sdst);
    SetField(item.words[0], 17, 1, 1);
    item.words[1] = offset;
    return item;
  }
  SetField(item.words[0], 0, 8, offset / 4);
  SetField(item.words[0], 8, 1, 1);
  SetField(item.words[0], 9, 6, pair / 2);
  SetField(item.words[0], 15, 7, sdst);
  item.size = 1;
  return item;
}

Item MemoryAssembler::Flat(Opcode opcode, Access access, uint32_t data, uint32_t address,
                           uint32_t base) const {
  Item item = Start(opcode);
  item.words[1] = address;
  SetField(item.words[1], RowsOfAccess(access).loads ? 24 : 8, 8, data);
  SetField(item.words[1], 16, 7, base);
  return item;
}

Item MemoryAssembler::AtAddress(Access access, uint32_t data, uint32_t pair,
                                uint32_t free_resource) const {
  const Rows rows = RowsOfAccess(access);
  if (frontend::IsGfx9(generation_)) return Flat(rows.global, access, data, pair, kNoBase);
  if (frontend::IsGfx8Plus(generation_)) return Flat(rows.flat, access, data, pair, 0);
  Item item = InBuffer(access, data, pair, free_resource, Inline(0).code);
  SetField(item.words[0], 12, 1, 0);
  SetField(item.words[0], 15, 1, 1);
  return item;
}

Item MemoryAssembler::AtFlatAddress(Access access, uint32_t data, uint32_t pair) const {
  return Flat(RowsOfAccess(access).flat, access, data, pair, 0);
}

Item MemoryAssembler::AtBase(Access access, uint32_t data, uint32_t base, uint32_t offset) const {
  return Flat(RowsOfAccess(access).global, access, data, offset, base);
}

Item MemoryAssembler::InBuffer(Access access, uint32_t data, uint32_t offset, uint32_t resource,
                               uint32_t scalar_offset) const {
  Item item = Start(RowsOfAccess(access).buffer);
  SetField(item.words[0], 12, 1, 1);
  item.words[1] = offset;
  SetField(item.words[1], 8, 8, data);
  SetField(item.words[1], 16, 5, resource / 4);
  SetField(item.words[1], 24, 8, scalar_offset);
  return item;
}

Item MemoryAssembler::LdsLoad(Opcode opcode, uint32_t data, uint32_t address,
                              uint32_t offset) const {
  Item item = Start(opcode);
  SetField(item.words[0], 0, 16, offset);
  item.words[1] = address;
  SetField(item.words[1], 24, 8, data);
  return item;
}

Item MemoryAssembler::LdsStore(Opcode opcode, uint32_t address, uint32_t data,
                               uint32_t offset) const {
  Item item = Start(opcode);
  SetField(item.words[0], 0, 16, offset);
  item.words[1] = address;
  SetField(item.words[1], 8, 8, data);
  return item;
}

}  // namespace gcnjit::differential
