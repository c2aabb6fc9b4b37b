#include "runtime/interpreter/memory_segments.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace gcnjit::runtime {

using frontend::Has;

namespace {

constexpr uint32_t kGdsBytes = 64 * 1024;

// The address bits that count for an access to a data share.
uint32_t ShareAlignmentMask(Generation generation, uint32_t bytes) {
  if (Has(generation, frontend::kUnalignedLds)) return ~0u;
  switch (bytes) {
    case 1: return ~0u;
    case 2: return ~1u;
    case 4: return ~3u;
    case 8: return ~7u;
    default: return ~15u;  // 96 and 128 bits
  }
}

}  // namespace

DataShare ShareOf(Wave& w, const Instruction& i) {
  const uint32_t m0 = w.state.m0();
  if (i.gds) {
    if (w.dispatch.gds == nullptr) return {};
    const uint32_t base = m0 >> 16;
    if (base % 8 != 0) {
      w.RaiseUnsupported("the GDS base in M0[31:16] is not a multiple of 8, which atomics need");
      return {};
    }
    if (w.dispatch.gds_is_used != nullptr) {
      w.dispatch.gds_is_used->store(true, std::memory_order_relaxed);
    }
    return {w.dispatch.gds + base, std::min(m0 & 0xFFFF, kGdsBytes - base), true};
  }
  const uint32_t limit = w.group.lds_bytes;
  return {w.group.lds, Has(w.generation(), frontend::kLdsLimitInM0) ? std::min(limit, m0) : limit,
          false};
}

uint64_t ShareAddresses(const Wave& w, const DataShare& share, int reg, uint32_t offset,
                        uint32_t bytes, uint32_t (&at)[kLanes]) {
  const uint32_t* base = w.state.vgpr[reg];
  const uint32_t alignment = ShareAlignmentMask(w.generation(), bytes);
  const uint32_t negative = Has(w.generation(), frontend::kLdsBaseIsSigned) ? 0x80000000u : 0;
  if (share.limit < bytes) return 0;
  const uint32_t last = share.limit - bytes;
  alignas(64) uint8_t in_range[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    at[lane] = (base[lane] + offset) & alignment;
    in_range[lane] = at[lane] <= last && (base[lane] & negative) == 0;
  }
  return MaskOfFlags(in_range) & w.exec();
}

ScratchWindow FlatScratchOf(const Wave& w) {
  const Generation generation = w.generation();
  const int code = frontend::FlatScratchCode(generation);
  if (Has(generation, frontend::kFlatScratchIsAddress)) {
    return {w.state.Pair(code), uint64_t{1} << 32};
  }
  return {w.dispatch.scratch_base + uint64_t{w.state.sgpr[code + 1]} * 256, w.state.sgpr[code]};
}

namespace {

// f(address, byte of the access, piece bytes) for each dword that the access touches.
template <typename F>
bool ForEachPiece(const ScratchWindow& window, int lane, uint32_t offset, uint32_t bytes, F f) {
  for (uint32_t done = 0; done < bytes;) {
    const uint32_t piece_offset = offset + done;
    const uint32_t piece = std::min(bytes - done, 4 - (piece_offset & 3));
    if (!f(ScratchAddress(window, piece_offset, lane), done, piece)) return false;
    done += piece;
  }
  return true;
}

bool CheckScratchSize(Wave& w, const ScratchWindow& window, int lane, uint32_t offset,
                      uint32_t bytes, FaultKind kind) {
  if (uint64_t{offset} + bytes <= window.bytes_per_lane) return true;
  w.RaiseFault(kind, lane, kPrivateAperture + offset, bytes,
               "outside the lane's scratch of " + std::to_string(window.bytes_per_lane) + " bytes");
  return false;
}

}  // namespace

bool ReadScratch(Wave& w, const ScratchWindow& window, int lane, uint32_t offset, void* to,
                 uint32_t bytes) {
  if (!CheckScratchSize(w, window, lane, offset, bytes, FaultKind::kMemoryRead)) return false;
  return ForEachPiece(window, lane, offset, bytes, [&](uint64_t address, uint32_t at, uint32_t n) {
    return w.Load(address, static_cast<std::byte*>(to) + at, n, lane);
  });
}

bool WriteScratch(Wave& w, const ScratchWindow& window, int lane, uint32_t offset, const void* from,
                  uint32_t bytes) {
  if (!CheckScratchSize(w, window, lane, offset, bytes, FaultKind::kMemoryWrite)) return false;
  return ForEachPiece(window, lane, offset, bytes, [&](uint64_t address, uint32_t at, uint32_t n) {
    return w.Store(address, static_cast<const std::byte*>(from) + at, n, lane);
  });
}

bool AnyInApertures(const LaneAddresses& at, uint64_t mask) {
  alignas(64) uint8_t hits[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto high = static_cast<uint32_t>(at[lane] >> 32);
    hits[lane] = (high == kSharedAperture >> 32) | (high == kPrivateAperture >> 32);
  }
  return (MaskOfFlags(hits) & mask) != 0;
}

void RaiseOutsideLds(Wave& w, int lane, uint64_t address, uint32_t bytes, bool is_write) {
  w.RaiseFault(is_write ? FaultKind::kMemoryWrite : FaultKind::kMemoryRead, lane, address, bytes,
               "outside the work-group's LDS of " + std::to_string(w.group.lds_bytes) + " bytes");
}

}  // namespace gcnjit::runtime
