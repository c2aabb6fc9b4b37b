// FLAT, GLOBAL and SCRATCH; the addresses are those of flat_address.h and exec_flat_access.cpp.
#include <algorithm>

#include "runtime/check/access.h"
#include "runtime/interpreter/flat_address.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime::check {

using frontend::Encoding;

namespace {

int RegisterOf(const Instruction& i, AccessType type) {
  switch (type) {
    case AccessType::kRead: return i.lds ? -1 : i.dst.index;
    case AccessType::kWrite: return i.src[1].index;
    case AccessType::kAtomic: break;
  }
  return -1;
}

Access& Add(const Instruction& i, const InstructionInfo& info, uint64_t mask, AccessList& list) {
  Access& access = list.Add();
  access.type = info.type;
  access.is_coherent = i.glc || i.scc;
  access.bytes = info.bytes;
  access.mask = mask;
  access.reg = RegisterOf(i, info.type);
  access.register_byte = info.register_byte;
  access.extends = info.extends;
  return access;
}

// The lanes' offsets within their scratch, in pieces that do not cross a dword.
void AddScratch(const Wave& w, const Instruction& i, const InstructionInfo& info, uint64_t mask,
                const LaneAddresses& offsets, AccessList& list) {
  const ScratchWindow window = FlatScratchOf(w);
  uint64_t misaligned = 0;
  ForEachLane(mask, [&](int lane) {
    misaligned |= offsets[lane];
    return true;
  });
  const uint32_t dword = std::min(info.bytes, 4u);
  const uint32_t piece = (misaligned & (dword - 1)) != 0 ? 1 : dword;
  for (uint32_t n = 0; n < info.bytes; n += piece) {
    Access& access = Add(i, info, mask, list);
    access.is_scratch = true;
    access.bytes = piece;
    if (access.reg >= 0) access.reg += static_cast<int>(n / 4);
    access.register_byte += n % 4;
    for (int lane = 0; lane < kLanes; ++lane) {
      access.at[lane] = ScratchAddress(window, static_cast<uint32_t>(offsets[lane]) + n, lane);
    }
  }
}

void FindScratch(const Wave& w, const Instruction& i, const InstructionInfo& info,
                 AccessList& list) {
  uint32_t common = static_cast<uint32_t>(i.offset);
  if (i.src[2].kind == OperandKind::kScalar) common += w.state.sgpr[i.src[2].index];
  const bool has_vaddr = i.src[0].kind == OperandKind::kVector;
  LaneAddresses offsets;
  for (int lane = 0; lane < kLanes; ++lane) {
    offsets[lane] = common + (has_vaddr ? w.state.vgpr[i.src[0].index][lane] : 0);
  }
  AddScratch(w, i, info, w.exec(), offsets, list);
}

void FindFlat(const Wave& w, const Instruction& i, const InstructionInfo& info, AccessList& list) {
  LaneAddresses at;
  FlatAddresses(w, i, at);
  uint64_t shared = 0;
  uint64_t scratch = 0;
  ForEachLane(w.exec(), [&](int lane) {
    const uint64_t bit = uint64_t{1} << lane;
    if (IsShared(at[lane])) shared |= bit;
    if (IsPrivate(at[lane])) scratch |= bit;
    return true;
  });
  const uint64_t global = w.exec() & ~shared & ~scratch;
  if (global != 0) std::copy(at, at + kLanes, Add(i, info, global, list).at);
  if (shared != 0) {
    Access& access = Add(i, info, shared, list);
    access.space = Space::kLds;
    for (int lane = 0; lane < kLanes; ++lane) access.at[lane] = at[lane] & 0xFFFFFFFF;
  }
  if (scratch != 0) AddScratch(w, i, info, scratch, at, list);
}

}  // namespace

void FindFlatAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                      AccessList& list) {
  switch (i.encoding) {
    case Encoding::kFlat: return FindFlat(w, i, info, list);
    case Encoding::kScratch: FindScratch(w, i, info, list); break;
    default: GlobalAddresses(w, i, Add(i, info, w.exec(), list).at); break;
  }
  if (i.lds) AddLdsTransfer(w, i, AccessType::kWrite, list);
}

}  // namespace gcnjit::runtime::check
