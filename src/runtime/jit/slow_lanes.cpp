#include "runtime/jit/slow_lanes.h"

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/flat_atomic.h"
#include "runtime/interpreter/memory_segments.h"
#include "runtime/jit/aperture_lanes.h"

namespace gcnjit::runtime {
namespace {

using backend::AccessBlock;
using backend::MemorySite;
using backend::RegionContext;
using ir::AtomicOp;

// ---- Atomics

template <typename T, typename Op>
bool Update(Wave& w, const MemorySite& site, int lane, uint64_t address, std::byte* lds,
            const Op& op, T data, T data2, T* old) {
  if (site.is_lds) {
    *old = UpdateShare({lds, sizeof(T), false}, 0, op, data, data2);
    return true;
  }
  if (site.access.space == ir::Space::kFlat) {
    return FlatAtomicAt(w, lane, address, op, data, data2, old);
  }
  return AtomicAt(w, lane, address, op, data, data2, old);
}

// Addition to nearest even, whatever the guest's environment is.
template <typename T>
struct NearestAdd {
  AddFloat<T> add;
  using Bits = typename AddFloat<T>::Bits;
  template <typename>
  NearestAdd InLds(const Wave& w) const {
    return {{DenormalsInLds<T>(w)}};
  }
  Bits operator()(Bits old, Bits data, Bits data2) const {
    const uint32_t guest = _mm_getcsr();
    _mm_setcsr(0x1F80);
    const Bits sum = add(old, data, data2);
    _mm_setcsr(guest);
    return sum;
  }
};

// data and data2 in the order of ir::AtomicOp: kCmpSwap and kFCmpSwap have (compared, new).
template <typename T>
bool Atomic(Wave& w, const MemorySite& site, int lane, uint64_t address, std::byte* lds, T data,
            T data2, T* old) {
  const auto update = [&](const auto& op) {
    return Update<T>(w, site, lane, address, lds, op, data, data2, old);
  };
  switch (site.access.atomic) {
    case AtomicOp::kSwap: return update(AtomicSwap{});
    case AtomicOp::kCmpSwap: return update(AtomicCmpStore{});
    case AtomicOp::kAdd: return update(AtomicAdd{});
    case AtomicOp::kSub: return update(AtomicSub{});
    case AtomicOp::kRevSub: return update(AtomicRsub{});
    case AtomicOp::kMinS: return update(AtomicSmin{});
    case AtomicOp::kMinU: return update(AtomicUmin{});
    case AtomicOp::kMaxS: return update(AtomicSmax{});
    case AtomicOp::kMaxU: return update(AtomicUmax{});
    case AtomicOp::kAnd: return update(AtomicAnd{});
    case AtomicOp::kOr: return update(AtomicOr{});
    case AtomicOp::kXor: return update(AtomicXor{});
    case AtomicOp::kInc: return update(AtomicInc{});
    case AtomicOp::kDec: return update(AtomicDec{});
    case AtomicOp::kFMin: return update(AtomicFmin{site.access.flush_inputs});
    case AtomicOp::kFMax: return update(AtomicFmax{site.access.flush_inputs});
    case AtomicOp::kFCmpSwap: return update(AtomicFcmpStore{site.access.flush_inputs});
    case AtomicOp::kMaskedOr: return update(AtomicMskor{});
    case AtomicOp::kWrap: return update(AtomicWrap{});
    case AtomicOp::kFAdd: {
      using Float = std::conditional_t<sizeof(T) == 8, double, float>;
      const Denormals denormals = {site.access.flush_inputs, site.access.flush_results};
      return update(NearestAdd<Float>{{denormals}});
    }
  }
  w.RaiseUnsupported("an unknown atomic operation");
  return false;
}

bool AtomicLane(Wave& w, const MemorySite& site, AccessBlock& block, uint32_t n, uint64_t address,
                std::byte* lds) {
  const int lane = static_cast<int>(block.first_lane + n);
  if (site.access.bytes == 8) {
    const auto pair = [&](int d) {
      return block.data[d][n] | static_cast<uint64_t>(block.data[d + 1][n]) << 32;
    };
    uint64_t old = 0;
    if (!Atomic<uint64_t>(w, site, lane, address, lds, pair(0), pair(2), &old)) return false;
    block.data[0][n] = static_cast<uint32_t>(old);
    block.data[1][n] = static_cast<uint32_t>(old >> 32);
    return true;
  }
  uint32_t old = 0;
  if (!Atomic<uint32_t>(w, site, lane, address, lds, block.data[0][n], block.data[1][n], &old)) {
    return false;
  }
  block.data[0][n] = old;
  return true;
}

// ---- Loads and stores

// Calls access(n) for the lanes of `mask`, ascending, until one has a fault: false.
template <typename Access>
bool EachLane(uint32_t mask, const Access& access) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    if (!access(static_cast<uint32_t>(std::countr_zero(left)))) return false;
  }
  return true;
}

// Loads and stores of so many bytes, a constant: a lane's access is then a move and what checks it.
template <uint32_t kBytes>
struct Moves {
  static constexpr size_t kDwords = (kBytes + 3) / 4;
  using Dwords = std::array<uint32_t, kDwords>;

  static Dwords Stored(const AccessBlock& block, uint32_t n) {
    Dwords raw;
    for (size_t d = 0; d < kDwords; ++d) raw[d] = block.data[d][n];
    return raw;
  }
  static void PutLoaded(const MemorySite& site, AccessBlock& block, uint32_t n, Dwords raw) {
    if constexpr (kBytes < 4) {
      constexpr int kBits = 32 - kBytes * 8;
      if (site.access.sign_extend)
        raw[0] = static_cast<uint32_t>(static_cast<int32_t>(raw[0] << kBits) >> kBits);
    }
    for (size_t d = 0; d < kDwords; ++d) block.data[d][n] = raw[d];
  }

  static void Lds(RegionContext& context, const MemorySite& site, AccessBlock& block) {
    const uint32_t limit = block.limit;
    EachLane(block.mask, [&](uint32_t n) {
      const uint32_t address = block.low[n] + static_cast<uint32_t>(site.imm);
      if (limit < kBytes || address > limit - kBytes) {
        for (auto& dwords : block.data) dwords[n] = 0;
        return true;
      }
      std::byte* const at = context.lds.begin + address;
      if (site.is_store) {
        const Dwords raw = Stored(block, n);
        std::memcpy(at, raw.data(), kBytes);
      } else {
        Dwords raw = {};
        std::memcpy(raw.data(), at, kBytes);
        PutLoaded(site, block, n, raw);
      }
      return true;
    });
  }

  // Of flat addresses or of guest memory alone.
  template <bool kFlat>
  static bool Memory(Wave& w, const MemorySite& site, AccessBlock& block) {
    const auto lane_of = [&](uint32_t n) { return static_cast<int>(block.first_lane + n); };
    if (site.is_store) {
      return EachLane(block.mask, [&](uint32_t n) {
        const uint64_t address = AddressOf(block, site, n);
        const Dwords raw = Stored(block, n);
        return kFlat ? WriteFlat(w, lane_of(n), address, raw.data(), kBytes)
                     : w.Store(address, raw.data(), kBytes, lane_of(n));
      });
    }
    return EachLane(block.mask, [&](uint32_t n) {
      const uint64_t address = AddressOf(block, site, n);
      Dwords raw = {};
      const bool done = kFlat ? ReadFlat(w, lane_of(n), address, raw.data(), kBytes)
                              : w.Load(address, raw.data(), kBytes, lane_of(n));
      if (done) PutLoaded(site, block, n, raw);
      return done;
    });
  }

  // Of a swizzled buffer.
  static bool Swizzled(Wave& w, const MemorySite& site, AccessBlock& block) {
    return EachLane(block.mask, [&](uint32_t n) {
      const auto place = ir::SwizzledPlace::Unpack(block.data[AccessBlock::kPlaceData][n]);
      const uint64_t address = AddressOf(block, site, n);
      const uint32_t pieces = place.IsApart(kBytes) ? kBytes : 1;
      const uint32_t bytes = kBytes / pieces;
      const auto lane = static_cast<int>(block.first_lane + n);
      Dwords raw = site.is_store ? Stored(block, n) : Dwords{};
      auto* const data = reinterpret_cast<std::byte*>(raw.data());
      for (uint32_t piece = 0; piece < pieces; ++piece) {
        const uint64_t at = address + place.OffsetOf(piece);
        const bool done = site.is_store ? w.Store(at, data + piece, bytes, lane)
                                        : w.Load(at, data + piece, bytes, lane);
        if (!done) return false;
      }
      if (!site.is_store) PutLoaded(site, block, n, raw);
      return true;
    });
  }

  static bool Lanes(Wave& w, RegionContext& context, const MemorySite& site, AccessBlock& block) {
    if (site.access.space == ir::Space::kFlat) {
      return AccessAperture(w, site, block) || Memory<true>(w, site, block);
    }
    if (site.is_swizzled) return Swizzled(w, site, block);
    if (!site.is_lds) return Memory<false>(w, site, block);
    Lds(context, site, block);
    return true;
  }
};

bool LoadOrStoreLanes(Wave& w, RegionContext& context, const MemorySite& site, AccessBlock& block) {
  switch (site.access.bytes) {
    case 1: return Moves<1>::Lanes(w, context, site, block);
    case 2: return Moves<2>::Lanes(w, context, site, block);
    case 4: return Moves<4>::Lanes(w, context, site, block);
    case 8: return Moves<8>::Lanes(w, context, site, block);
    case 12: return Moves<12>::Lanes(w, context, site, block);
    default: return Moves<16>::Lanes(w, context, site, block);
  }
}

bool AtomicLanes(Wave& w, RegionContext& context, const MemorySite& site, AccessBlock& block) {
  return EachLane(block.mask, [&](uint32_t n) {
    if (!site.is_lds) return AtomicLane(w, site, block, n, AddressOf(block, site, n), nullptr);
    const uint32_t address = block.low[n] + static_cast<uint32_t>(site.imm);
    const uint32_t bytes = site.access.bytes;
    if (block.limit < bytes || address > block.limit - bytes) {
      for (auto& dwords : block.data) dwords[n] = 0;
      return true;
    }
    if (address % bytes != 0) {
      w.RaiseFault(FaultKind::kMisaligned, static_cast<int>(block.first_lane + n), address, bytes,
                   "a DS atomic needs its natural alignment");
      return false;
    }
    return AtomicLane(w, site, block, n, address, context.lds.begin + address);
  });
}

}  // namespace

bool AccessActiveLanes(Wave& w, RegionContext& context, const MemorySite& site) {
  AccessBlock& block = context.transfer.access;
  return site.is_atomic ? AtomicLanes(w, context, site, block)
                        : LoadOrStoreLanes(w, context, site, block);
}

}  // namespace gcnjit::runtime
