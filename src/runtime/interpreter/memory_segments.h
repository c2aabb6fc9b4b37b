// The memories that are not plain guest memory: LDS and GDS (data shares), scratch with its
// swizzle, and the flat address space that contains them all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// ---- Data shares

struct DataShare {
  std::byte* bytes = nullptr;
  uint32_t limit = 0;             // accesses at or beyond it read 0 and write nothing
  bool shared_by_groups = false;  // GDS: other host threads use it, so atomics must be atomic
};

// What a DS instruction addresses. LDS is clamped by M0 before gfx9 (CLRX GcnInstrsDs.md; LLVM sets
// M0 to -1 there and leaves it alone on gfx9). GDS: M0[31:16] is the base, M0[15:0] the size
// (CLRX).
// An empty share after refusing a misaligned GDS base.
DataShare ShareOf(Wave& w, const Instruction& i);

// Byte addresses of the lanes' accesses to a data share, VGPR `reg` + offset, and which active
// lanes lie within it entirely.
//
// Alignment: before gfx9 the low address bits are ignored. On gfx9 HSA allows unaligned accesses
// (LLVM's unaligned-ds-access; Linux KFD sets SH_MEM_CONFIG.ALIGNMENT_MODE to UNALIGNED); CLRX has
// both rules under DS_READ_B64 and DS_READ_U16.
// gfx6 takes an address whose base alone is negative for out of range (LLVM SIISelLowering, "SI has
// a hardware bug in the LDS / GDS bounds checking").
uint64_t ShareAddresses(const Wave& w, const DataShare& share, int reg, uint32_t offset,
                        uint32_t bytes, uint32_t (&at)[kLanes]);

// ---- Scratch

// Scratch of the wave as FLAT and SCRATCH instructions find it.
struct ScratchWindow {
  uint64_t base = 0;
  uint64_t bytes_per_lane = 0;  // gfx7-8 check it; gfx9 has no limit
};
// gfx7-8: FLAT_SCRATCH is {size per lane, offset / 256}; gfx9: a 64-bit address with the wave's
// offset in it. Source: LLVM AMDGPUUsage "Flat Scratch", SIFrameLowering.
ScratchWindow FlatScratchOf(const Wave& w);

// The dwords of the 64 lanes interleave: the same layout that the private segment's buffer resource
// (swizzle, element size 4, index stride 64) describes.
inline uint64_t ScratchAddress(const ScratchWindow& window, uint32_t offset, int lane) {
  return window.base + uint64_t{offset & ~3u} * kLanes + static_cast<uint64_t>(lane) * 4 +
         (offset & 3);
}
// Where all of a lane's access lies in one dword, and so in one piece of memory; 0: elsewhere.
inline uint64_t ScratchDword(const ScratchWindow& window, uint32_t offset, int lane,
                             uint32_t bytes) {
  const bool is_one =
      (offset & 3) + bytes <= 4 && uint64_t{offset} + bytes <= window.bytes_per_lane;
  return is_one ? ScratchAddress(window, offset, lane) : 0;
}
// One lane's access of any size and alignment, dword piece by dword piece. False after a fault.
bool ReadScratch(Wave& w, const ScratchWindow& window, int lane, uint32_t offset, void* to,
                 uint32_t bytes);
bool WriteScratch(Wave& w, const ScratchWindow& window, int lane, uint32_t offset, const void* from,
                  uint32_t bytes);

// ---- Flat

inline bool IsShared(uint64_t address) { return address >> 32 == kSharedAperture >> 32; }
inline bool IsPrivate(uint64_t address) { return address >> 32 == kPrivateAperture >> 32; }

// Does a lane of `mask` address LDS or scratch?
bool AnyInApertures(const LaneAddresses& at, uint64_t mask);

void RaiseOutsideLds(Wave& w, int lane, uint64_t address, uint32_t bytes, bool is_write);

// The host address of `bytes` of LDS at a flat address; nullptr after a fault. LDS out of range is
// a memory violation here, unlike for DS instructions.
[[gnu::always_inline]] inline std::byte* FlatLds(Wave& w, int lane, uint64_t address,
                                                 uint32_t bytes, bool is_write) {
  uint32_t offset = static_cast<uint32_t>(address);
  if (!frontend::Has(w.generation(), frontend::kUnalignedLds)) offset &= ~(std::min(bytes, 4u) - 1);
  if (uint64_t{offset} + bytes > w.group.lds_bytes) [[unlikely]] {
    RaiseOutsideLds(w, lane, address, bytes, is_write);
    return nullptr;
  }
  return w.group.lds + offset;
}

// One lane's access to the flat address space. False after a fault. In line, since callers have a
// constant for `bytes`, with which each is a move or two.
[[gnu::always_inline]] inline bool ReadFlat(Wave& w, int lane, uint64_t address, void* to,
                                            uint32_t bytes) {
  if (IsShared(address)) {
    const std::byte* from = FlatLds(w, lane, address, bytes, /*is_write=*/false);
    if (from == nullptr) return false;
    std::memcpy(to, from, bytes);
    return true;
  }
  if (!IsPrivate(address)) return w.Load(address, to, bytes, lane);
  const ScratchWindow window = FlatScratchOf(w);
  const auto offset = static_cast<uint32_t>(address);
  if (const uint64_t at = ScratchDword(window, offset, lane, bytes)) {
    return w.Load(at, to, bytes, lane);
  }
  return ReadScratch(w, window, lane, offset, to, bytes);
}
[[gnu::always_inline]] inline bool WriteFlat(Wave& w, int lane, uint64_t address, const void* from,
                                             uint32_t bytes) {
  if (IsShared(address)) {
    std::byte* to = FlatLds(w, lane, address, bytes, /*is_write=*/true);
    if (to == nullptr) return false;
    std::memcpy(to, from, bytes);
    return true;
  }
  if (!IsPrivate(address)) return w.Store(address, from, bytes, lane);
  const ScratchWindow window = FlatScratchOf(w);
  const auto offset = static_cast<uint32_t>(address);
  if (const uint64_t at = ScratchDword(window, offset, lane, bytes)) {
    return w.Store(at, from, bytes, lane);
  }
  return WriteScratch(w, window, lane, offset, from, bytes);
}

}  // namespace gcnjit::runtime
