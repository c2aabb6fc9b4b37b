// DS instructions on LDS; the addresses are those of memory_segments.h and exec_ds_*.cpp.
#include <bit>

#include "runtime/check/access.h"

namespace gcnjit::runtime::check {

using frontend::Has;
using frontend::Opcode;

namespace {

// The address bits that count.
uint32_t AlignmentMask(Generation generation, uint32_t bytes) {
  if (Has(generation, frontend::kUnalignedLds)) return ~0u;
  return ~(std::bit_ceil(bytes) - 1);
}

Access& AddAt(const Wave& w, const Instruction& i, const InstructionInfo& info, AccessType type,
              AccessList& list) {
  Access& access = list.Add();
  access.space = Space::kLds;
  // Append and consume take M0 for an address.
  access.is_ds = info.type != AccessType::kAtomic || i.src[0].kind == OperandKind::kVector;
  access.type = type;
  access.bytes = info.bytes;
  access.mask = w.exec();
  access.register_byte = info.register_byte;
  access.extends = info.extends;
  return access;
}

void AddFromVgpr(const Wave& w, const Instruction& i, const InstructionInfo& info, uint32_t offset,
                 int reg, AccessList& list) {
  Access& access = AddAt(w, i, info, info.type, list);
  access.reg = reg;
  const uint32_t* base = w.state.vgpr[i.src[0].index];
  const uint32_t alignment = AlignmentMask(w.generation(), info.bytes);
  // gfx6 takes an address whose base alone is negative for out of range, whatever the sum.
  const uint32_t negative = Has(w.generation(), frontend::kLdsBaseIsSigned) ? 0x80000000u : 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    access.at[lane] = uint64_t{(base[lane] + offset) & alignment} | uint64_t{base[lane] & negative}
                                                                        << 32;
  }
}

// DS_READ_ADDTID_B32 and its store.
void AddThreadAddressed(const Wave& w, const Instruction& i, const InstructionInfo& info, int reg,
                        AccessList& list) {
  Access& access = AddAt(w, i, info, info.type, list);
  access.reg = reg;
  const uint64_t start = uint64_t{w.state.m0() & 0xFFFF} + static_cast<uint32_t>(i.offset);
  for (uint64_t lane = 0; lane < kLanes; ++lane) access.at[lane] = start + lane * 4;
}

}  // namespace

void FindShareAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                       AccessList& list) {
  const std::string_view names = i.row().names;
  const bool reads = info.type == AccessType::kRead;
  // The result of an atomic is no copy of what its operands were.
  const int first = reads ? i.dst.index : info.type == AccessType::kWrite ? i.src[1].index : -1;
  switch (i.opcode) {
    case Opcode::DS_READ_ADDTID_B32:
    case Opcode::DS_WRITE_ADDTID_B32: return AddThreadAddressed(w, i, info, first, list);
    case Opcode::DS_APPEND:
    case Opcode::DS_CONSUME: {
      if (w.exec() == 0) return;
      Access& access = AddAt(w, i, info, AccessType::kAtomic, list);
      access.is_scalar = true;
      access.mask = 1;
      access.at[0] = ((w.state.m0() & 0xFFFF) + static_cast<uint32_t>(i.offset)) & ~3u;
      return;
    }
    default: break;
  }
  if (names.find("_src2_") != std::string_view::npos) {
    // The place that is changed; with offset1[7] the address has 17 bits.
    Access& access = AddAt(w, i, info, AccessType::kAtomic, list);
    const uint32_t mask = (i.offset & 0x8000) != 0 ? 0x1FFFF : ~0u;
    for (int lane = 0; lane < kLanes; ++lane) {
      access.at[lane] = w.state.vgpr[i.src[0].index][lane] & mask & ~(info.bytes - 1);
    }
    return;
  }
  const bool two = names.starts_with("ds_read2") || names.starts_with("ds_write2") ||
                   names.starts_with("ds_wrxchg2");
  if (!two) {
    return AddFromVgpr(w, i, info, static_cast<uint32_t>(i.offset), first, list);
  }
  const uint32_t scale =
      info.bytes * (names.find("st64") != std::string_view::npos ? uint32_t{kLanes} : 1);
  const int second = reads ? i.dst.index + static_cast<int>(info.bytes / 4) : i.src[2].index;
  AddFromVgpr(w, i, info, i.offset0 * scale, first, list);
  AddFromVgpr(w, i, info, i.offset1 * scale, first < 0 ? -1 : second, list);
}

}  // namespace gcnjit::runtime::check
