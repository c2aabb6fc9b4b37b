// Loads and stores of all active lanes at guest addresses: one check and one copy where the lanes
// are contiguous, lane by lane elsewhere.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "runtime/interpreter/element.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// Do the lanes of `mask` (not empty) lie at *base + lane * kStride?
template <uint64_t kStride>
inline bool IsProgression(const LaneAddresses& at, uint64_t mask, uint64_t* base) {
  const auto first = static_cast<uint64_t>(std::countr_zero(mask));
  const uint64_t start = at[first] - first * kStride;
  *base = start;
  uint64_t difference = 0;
  if (mask == kAllLanes) {
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      difference |= at[lane] ^ (start + lane * kStride);
    }
  } else {
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t active = uint64_t{0} - ((mask >> lane) & 1);
      difference |= (at[lane] ^ (start + lane * kStride)) & active;
    }
  }
  return difference == 0;
}

// The bytes of a progression's lanes from the first to the last of `mask`: at most 1,024, so that
// checking the first and the last of them checks every page touched.
struct ByteRange {
  uint64_t first;
  uint64_t last;
};
inline ByteRange RangeOfLanes(uint64_t base, uint64_t mask, uint64_t stride) {
  const auto low = static_cast<uint64_t>(std::countr_zero(mask));
  const auto high = static_cast<uint64_t>(63 - std::countl_zero(mask));
  return {base + low * stride, base + (high + 1) * stride - 1};
}

// Remembers the page of an allocation that was found accessible last: lanes tend to share pages.
class PageMemo {
 public:
  // Is all of the access on that page?
  bool Covers(uint64_t address, uint32_t bytes) const {
    return address / GuestMemory::kPageBytes == page_ &&
           (address + bytes - 1) / GuestMemory::kPageBytes == page_;
  }
  void Remember(uint64_t address) { page_ = address / GuestMemory::kPageBytes; }

 private:
  uint64_t page_ = ~uint64_t{0};
};

// Loads for the lanes of `mask` from guest addresses.
template <typename Form>
void LoadAt(Wave& w, int reg, uint64_t mask, const LaneAddresses& at) {
  if (mask == 0) return;
  uint64_t base;
  if (IsProgression<Form::kBytes>(at, mask, &base)) {
    const ByteRange range = RangeOfLanes(base, mask, Form::kBytes);
    if (w.dispatch.memory->Readable(range.first, 1) && w.dispatch.memory->Readable(range.last, 1)) {
      const auto* from = reinterpret_cast<const std::byte*>(base);
      if (mask == kAllLanes && Form::kRegisters == 1) {
        uint32_t* to = w.state.vgpr[reg];
        for (int lane = 0; lane < kLanes; ++lane) {
          uint32_t raw = 0;
          std::memcpy(&raw, from + lane * Form::kBytes, Form::kBytes < 4 ? Form::kBytes : 4);
          to[lane] = Form::Result(raw, to[lane]);
        }
        return;
      }
      ForEachLane(mask, [&](int lane) {
        uint32_t raw[Form::kRegisters] = {};
        LoadElement(raw, from + lane * Form::kBytes, Form::kBytes);
        PutLane<Form>(w, reg, lane, raw);
        return true;
      });
      return;
    }
  }
  PageMemo page;
  ForEachLane(mask, [&](int lane) {
    uint32_t raw[Form::kRegisters] = {};
    if (page.Covers(at[lane], Form::kBytes)) {
      LoadElement(raw, reinterpret_cast<const void*>(at[lane]), Form::kBytes);
    } else if (w.dispatch.memory->Readable(at[lane], Form::kBytes)) {
      LoadElement(raw, reinterpret_cast<const void*>(at[lane]), Form::kBytes);
      page.Remember(at[lane]);
    } else if (!w.LoadFromHost(at[lane], raw, Form::kBytes, lane)) {
      return false;
    }
    PutLane<Form>(w, reg, lane, raw);
    return true;
  });
}

// Stores for the lanes of `mask` to guest addresses, ascending: the highest lane wins.
template <typename Form>
void StoreAt(Wave& w, int reg, uint64_t mask, const LaneAddresses& at) {
  if (mask == 0) return;
  uint64_t base;
  if (IsProgression<Form::kBytes>(at, mask, &base)) {
    const ByteRange range = RangeOfLanes(base, mask, Form::kBytes);
    if (w.dispatch.memory->Writable(range.first, 1) && w.dispatch.memory->Writable(range.last, 1)) {
      auto* to = reinterpret_cast<std::byte*>(base);
      if constexpr (Form::kBytes == 4) {
        if (mask == kAllLanes) {
          std::memcpy(to, w.state.vgpr[reg], sizeof w.state.vgpr[reg]);
          return;
        }
      }
      ForEachLane(mask, [&](int lane) {
        uint32_t raw[Form::kRegisters];
        TakeLane<Form>(w, reg, lane, raw);
        StoreElement(to + lane * Form::kBytes, raw, Form::kBytes);
        return true;
      });
      return;
    }
  }
  PageMemo page;
  ForEachLane(mask, [&](int lane) {
    uint32_t raw[Form::kRegisters];
    TakeLane<Form>(w, reg, lane, raw);
    if (page.Covers(at[lane], Form::kBytes)) {
      StoreElement(reinterpret_cast<void*>(at[lane]), raw, Form::kBytes);
      return true;
    }
    if (!w.dispatch.memory->Writable(at[lane], Form::kBytes)) {
      return w.StoreToHost(at[lane], raw, Form::kBytes, lane);
    }
    StoreElement(reinterpret_cast<void*>(at[lane]), raw, Form::kBytes);
    page.Remember(at[lane]);
    return true;
  });
}

// The loads that have a form that writes LDS: MUBUF's LDS bit (GCN3 manual, "Memory buffer load to
// LDS"), gfx9's LDS bit of GLOBAL and SCRATCH (LLVM). FORMAT_X is one too.
template <typename Form>
inline constexpr bool kLoadsToLds = false;
template <>
inline constexpr bool kLoadsToLds<LoadUbyte> = true;
template <>
inline constexpr bool kLoadsToLds<LoadSbyte> = true;
template <>
inline constexpr bool kLoadsToLds<LoadUshort> = true;
template <>
inline constexpr bool kLoadsToLds<LoadSshort> = true;
template <>
inline constexpr bool kLoadsToLds<LoadDwords<1>> = true;

inline void RefuseLds(Wave& w) {
  w.RaiseUnsupported("this memory instruction has no form that transfers to LDS; use a VGPR");
}

// A load that goes to LDS instead of VGPRs: each lane's dword at M0[15:0] + offset + lane * 4.
// Source: CDNA3 ISA 9.1.9 "Memory buffer load to LDS" and 10.3 (the instruction's offset counts for
// both addresses); CLRX GcnMemHandling.md. `in_range` are the lanes whose memory may be read; the
// other active ones get 0. Lanes whose LDS address is outside the allocation do nothing.
template <typename Form>
void LoadToLds(Wave& w, uint32_t offset, uint64_t in_range, const LaneAddresses& at) {
  const uint64_t start = uint64_t{w.state.m0() & 0xFFFF} + offset;
  ForEachLane(w.exec(), [&](int lane) {
    const uint64_t lds_address = start + static_cast<uint64_t>(lane) * 4;
    if (lds_address + 4 > w.group.lds_bytes) return true;
    uint32_t raw = 0;
    if (((in_range >> lane) & 1) != 0 && !w.Load(at[lane], &raw, Form::kBytes, lane)) return false;
    const uint32_t value = Form::Result(raw, 0);
    std::memcpy(w.group.lds + lds_address, &value, 4);
    return true;
  });
}

}  // namespace gcnjit::runtime
