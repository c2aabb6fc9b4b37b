#include "runtime/check/access.h"

#include <algorithm>

namespace gcnjit::runtime::check {

using frontend::Encoding;
using frontend::OpcodeRow;

namespace {

bool Names(const OpcodeRow& row, std::string_view part) {
  return row.names.find(part) != std::string_view::npos;
}

// Bytes of the access of a load or store that is not a format one.
uint32_t PlainBytes(const Instruction& i, bool is_load) {
  const OpcodeRow& row = i.row();
  if (Names(row, "byte") || Names(row, "_u8") || Names(row, "_i8") || Names(row, "_b8")) return 1;
  if (Names(row, "short") || Names(row, "_u16") || Names(row, "_i16") || Names(row, "_b16")) {
    return 2;
  }
  const bool scalar = i.encoding == Encoding::kSmem || i.encoding == Encoding::kSmrd;
  const frontend::OperandType type = is_load ? row.dst : scalar ? row.src[2] : row.src[1];
  uint32_t bytes = 4 * static_cast<uint32_t>(std::max(1, frontend::RegistersOf(type)));
  // The two addresses of ds_read2 share the result.
  if (is_load && i.encoding == Encoding::kDs && Names(row, "read2")) bytes /= 2;
  return bytes;
}

uint32_t AtomicBytes(const Instruction& i) {
  const OpcodeRow& row = i.row();
  if (i.encoding == Encoding::kDs) {
    // DS_*_SRC2, append and consume have no data.
    if (Names(row, "condxchg32_rtn_b128")) return 16;
    return Names(row, "64") && !Names(row, "st64_rtn_b32") ? 8 : 4;
  }
  return Names(row, "_x2") || Names(row, "_f64") ? 8 : 4;
}

}  // namespace

Access& AccessList::Add() {
  if (used_ == accesses_.size()) accesses_.emplace_back();
  Access& access = accesses_[used_++];
  access.space = Space::kGlobal;
  access.type = AccessType::kRead;
  access.is_ds = access.is_scalar = access.is_scratch = false;
  access.is_coherent = access.extends = false;
  access.bytes = access.register_byte = 0;
  access.mask = access.dropped = access.beyond = 0;
  access.outside.clear();
  access.reg = -1;
  access.converted = nullptr;
  return access;
}

uint8_t Access::StoredByte(const Wave& w, int lane, uint64_t n) const {
  const uint64_t at = register_byte + n;
  const auto word = static_cast<size_t>(at / 4);
  const size_t number = static_cast<size_t>(std::max(reg, 0)) + word;
  const uint32_t value = converted != nullptr ? converted->elements[static_cast<size_t>(lane)][word]
                         : is_scalar          ? w.state.sgpr[number]
                                              : w.state.vgpr[number][lane];
  return static_cast<uint8_t>(value >> (at % 4 * 8));
}

InstructionInfo InfoOf(const Instruction& i, Generation generation) {
  InstructionInfo info;
  info.registers = frontend::AccessOf(i, generation);
  if (i.opcode >= frontend::Opcode::kCount) return info;
  const OpcodeRow& row = i.row();
  info.accesses_memory =
      row.Has(frontend::LOAD) || row.Has(frontend::STORE) || row.Has(frontend::ATOMIC);
  if (!info.accesses_memory) return info;
  if (row.Has(frontend::ATOMIC)) {
    info.type = AccessType::kAtomic;
    info.bytes = AtomicBytes(i);
    return info;
  }
  const bool is_load = row.Has(frontend::LOAD);
  info.type = is_load ? AccessType::kRead : AccessType::kWrite;
  info.bytes = PlainBytes(i, is_load);
  if (i.encoding == Encoding::kMimg) return info;  // texels are converted: see FindImageAccesses
  const bool d16 = Names(row, "d16");
  if (Names(row, "d16_hi")) info.register_byte = 2;
  info.extends = is_load && info.bytes < 4 && (!d16 || i.zeroes_half);
  return info;
}

void FindAccesses(Wave& w, const Instruction& i, const InstructionInfo& info, AccessList& list) {
  if (!info.accesses_memory || i.row().refusal != nullptr) return;
  switch (i.encoding) {
    case Encoding::kSmrd:
    case Encoding::kSmem: FindScalarAccesses(w, i, info, list); break;
    case Encoding::kDs:
      if (!i.gds) FindShareAccesses(w, i, info, list);
      break;
    case Encoding::kMubuf:
    case Encoding::kMtbuf: FindBufferAccesses(w, i, info, list); break;
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch: FindFlatAccesses(w, i, info, list); break;
    case Encoding::kMimg: FindImageAccesses(w, i, info, list); break;
    default: return;
  }
  if (!info.polls) return;
  for (Access& access : list) access.is_coherent = true;
}

void AddLdsTransfer(const Wave& w, const Instruction& i, AccessType type, AccessList& list) {
  Access& access = list.Add();
  access.space = Space::kLds;
  access.type = type;
  access.bytes = 4;
  access.mask = w.exec();
  const uint64_t start = uint64_t{w.state.m0() & 0xFFFF} + static_cast<uint32_t>(i.offset);
  for (uint64_t lane = 0; lane < kLanes; ++lane) access.at[lane] = start + lane * 4;
}

}  // namespace gcnjit::runtime::check
