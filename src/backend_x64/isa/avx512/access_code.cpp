#include "backend_x64/isa/avx512/access_code.h"

#include <algorithm>

#include "backend_x64/isa/avx512/lane_stores.h"
#include "backend_x64/isa/avx512/quads.h"
#include "backend_x64/isa/avx512/quadwords.h"

namespace gcnjit::backend::avx512 {

void AccessCode::LoadRun(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                         const x86::Mem& at) {
  switch (access.bytes) {
    case 1:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        OrZero(a, mask).vpmovsxbd(Z(result[0]), at);
      } else {
        OrZero(a, mask).vpmovzxbd(Z(result[0]), at);
      }
      return;
    case 2:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        OrZero(a, mask).vpmovsxwd(Z(result[0]), at);
      } else {
        OrZero(a, mask).vpmovzxwd(Z(result[0]), at);
      }
      return;
    case 4:
      if (result[0] >= 0) OrZero(a, mask).vmovdqu32(Z(result[0]), at);
      return;
    case 8:
      if (access.quadwords) {
        for (int n = 0; n < 2; ++n) {
          if (result[n] >= 0) MoveComponent(a, n, result[n], at.cloneAdjusted(n * 64), mask);
        }
        return;
      }
      a.vmovdqu32(Z(kT0), at);
      a.vmovdqu32(Z(kT1), at.cloneAdjusted(64));
      SplitPairs(mask, kT0, kT1, result[0], result[1]);
      return;
    default:
      LoadLongRun(access, mask, result, at);
      if (access.quadwords) JoinDwords(region_, result);
      return;
  }
}

// Moves without a mask, because a load can have its data from a store before it only if that has
// none.
void AccessCode::LoadFirst(int lanes, int result, const x86::Mem& at) {
  if (result < 0) return;
  switch (lanes) {
    case 1: a.vmovd(X(result), at); return;
    case 2: a.vmovq(X(result), at); return;
    case 4: a.vmovdqu32(X(result), at); return;
    default: a.vmovdqu32(Y(result), at); return;
  }
}

void AccessCode::StoreFirst(int lanes, int data, const x86::Mem& at) {
  switch (lanes) {
    case 1: a.vmovd(at, X(data)); return;
    case 2: a.vmovq(at, X(data)); return;
    case 4: a.vmovdqu32(at, X(data)); return;
    default: a.vmovdqu32(at, Y(data)); return;
  }
}

// The even and the odd dwords of registers x and y.
void AccessCode::SplitPairs(int mask, int x, int y, int even, int odd) {
  for (uint32_t n = 0; n < 2; ++n) {
    const int to = n == 0 ? even : odd;
    if (to < 0) continue;
    a.vmovdqa32(Z(to), constants_.Whole(Indices([n](uint32_t l) { return l * 2 + n; })));
    OrZero(a, mask).vpermi2d(Z(to), Z(x), Z(y));
  }
}

// Elements of 3 or 4 dwords.
void AccessCode::LoadLongRun(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                             const x86::Mem& at) {
  uint32_t wanted[4] = {};
  size_t count = 0;
  for (uint32_t n = 0; n < 4; ++n) {
    if (result[n] >= 0) wanted[count++] = n;
  }
  if (access.bytes == 16 && count > 2) return QuadCode(region_).LoadRun(mask, result, at);
  const auto dwords = static_cast<uint32_t>(access.Dwords());
  for (size_t n = 0; n < count; n += 2) {
    LoadTwo(dwords, mask, {wanted[n], wanted[std::min(n + 1, count - 1)]}, result, at);
  }
}

// Two dwords, of these numbers, of each lane's from one load. Each half of the lanes has two
// registers of memory, for 4 lanes each: from its begin, and up to its end.
void AccessCode::LoadTwo(uint32_t dwords, int mask, std::array<uint32_t, 2> numbers,
                         const int (&result)[4], const x86::Mem& at) {
  const auto [first, second] = numbers;
  const auto half_bytes = static_cast<int>(dwords * 4 * 8);
  const uint32_t overlap = 32 - dwords * 8;  // dwords that both registers have
  // The first one of 8 lanes, then their second one.
  const x86::Mem indices = constants_.Whole(Indices([&](uint32_t l) {
    const uint32_t dword = l % 8 * dwords + numbers[l / 8];
    return l % 8 < 4 ? dword : dword + overlap;
  }));
  for (int half = 0; half < 2; ++half) {
    const int to = half == 0 ? kT0 : kT1;
    const x86::Mem begin = at.cloneAdjusted(half * half_bytes);
    a.vmovdqa32(Z(to), indices);
    a.vmovdqu32(Z(kT2), begin);
    a.vpermi2d(Z(to), Z(kT2), begin.cloneAdjusted(half_bytes - 64));
  }
  OrZero(a, mask).vshufi32x4(Z(result[first]), Z(kT0), Z(kT1), 0x44);
  if (second != first) OrZero(a, mask).vshufi32x4(Z(result[second]), Z(kT0), Z(kT1), 0xEE);
}

void AccessCode::StoreRun(const ir::MemoryAccess& access, int mask, const int (&data)[4],
                          const x86::Mem& at) {
  switch (access.bytes) {
    case 1: Under(a, mask).vpmovdb(at, Z(data[0])); return;
    case 2: Under(a, mask).vpmovdw(at, Z(data[0])); return;
    case 4: Under(a, mask).vmovdqu32(at, Z(data[0])); return;
    case 8: StorePairs(mask, data, at); return;
    case 16: QuadCode(region_).StoreRun(mask, data, at); return;
    default: StoreTriples(mask, data, at);
  }
}

// A lane is three dwords: 16 lanes are three registers of memory.
void AccessCode::StoreTriples(int mask, const int (&data)[4], const x86::Mem& at) {
  constexpr uint32_t kDwords = 3;
  if (mask >= 0) {
    // Three bits for each of the mask's.
    a.kmovw(x86::edx, K(mask));
    a.mov(x86::rcx, 0x249249249249);
    a.pdep(x86::rdx, x86::rdx, x86::rcx);
    a.lea(x86::rcx, x86::ptr(0, x86::rdx, 3));
    a.sub(x86::rcx, x86::rdx);
  }
  for (uint32_t n = 0; n < kDwords; ++n) {
    // Of each dword of memory: which of its lane's it is, and the lane.
    const auto part = [n](uint32_t l) { return (n * kLanes + l) % kDwords; };
    const auto lane = [n](uint32_t l) { return (n * kLanes + l) / kDwords; };
    a.vmovdqa32(Z(kT0), constants_.Whole(Indices([&](uint32_t l) {
      return lane(l) + (part(l) == 1 ? kLanes : 0);  // anything for the third one
    })));
    a.vpermi2d(Z(kT0), Z(data[0]), Z(data[1]));
    a.vmovdqa32(
        Z(kT1),
        constants_.Whole(Indices([&](uint32_t l) { return part(l) == 2 ? kLanes + lane(l) : l; })));
    a.vpermt2d(Z(kT0), Z(kT1), Z(data[2]));
    if (mask >= 0) {
      a.kmovw(K(kM0), x86::ecx);
      a.shr(x86::rcx, kLanes);
      a.k(K(kM0));
    }
    a.vmovdqu32(at.cloneAdjusted(static_cast<int64_t>(n) * 64), Z(kT0));
  }
}

// A lane is a quadword: 8 lanes a register.
void AccessCode::StorePairs(int mask, const int (&data)[4], const x86::Mem& at) {
  for (uint32_t half = 0; half < 2; ++half) {
    JoinPairs(region_, half, data[0], data[1], kT0);
    const x86::Mem to = at.cloneAdjusted(static_cast<int64_t>(half) * 64);
    if (mask < 0) {
      a.vmovdqu64(to, Z(kT0));
      continue;
    }
    if (half == 0) {
      a.k(K(mask)).vmovdqu64(to, Z(kT0));
    } else {
      a.kshiftrw(K(kM0), K(mask), 8);
      a.k(K(kM0)).vmovdqu64(to, Z(kT0));
    }
  }
}

void AccessCode::SwapHalves(int reg) { a.vshufi64x2(Z(reg), Z(reg), Z(reg), 0x4E); }

// Mask 0: the bits of 8 lanes.
void AccessCode::CopyHalf(int mask, uint32_t half) {
  CopyMask(a, kM0, mask);
  if (half != 0) a.kshiftrw(K(kM0), K(kM0), 8);
}

void AccessCode::Gather(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                        int offsets) {
  GatherDwords(access, mask, result, offsets);
  if (access.quadwords) JoinDwords(region_, result);
}

void AccessCode::GatherDwords(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                              int offsets) {
  if (QuadCode::IsWanted(access, result)) {
    return QuadCode(region_).Gather(mask, result, offsets);
  }
  const auto [x, y] = OthersThan(offsets);
  const int dwords = access.Dwords();
  for (int n = 0; n < dwords; ++n) {
    if (n % 2 == 0 && n + 1 < dwords && result[n] >= 0 && result[n + 1] >= 0) {
      for (uint32_t half = 0; half < 2; ++half) {
        const int to = half == 0 ? x : y;
        CopyHalf(mask, half);
        a.vpxord(Z(to), Z(to), Z(to));
        a.k(K(kM0)).vpgatherdq(Z(to), x86::ptr(x86::rax, Y(offsets), 0, n * 4));
        SwapHalves(offsets);
      }
      SplitPairs(-1, x, y, result[n], result[n + 1]);
      ++n;
      continue;
    }
    if (result[n] < 0) continue;
    CopyMask(a, kM0, mask);
    a.vpxord(Z(x), Z(x), Z(x));
    a.k(K(kM0)).vpgatherdd(Z(x), x86::ptr(x86::rax, Z(offsets), 0, n * 4));
    NarrowTo(access, x);
    a.vmovdqa32(Z(result[n]), Z(x));
  }
}

void AccessCode::Scatter(const ir::MemoryAccess& access, int mask, const int (&data)[4],
                         int offsets) {
  if (access.bytes == 16) return QuadCode(region_).Scatter(mask, data, offsets);
  if (access.bytes != 4) return LaneStores(region_, access).Emit(mask, data, offsets);
  CopyMask(a, kM0, mask);
  a.k(K(kM0)).vpscatterdd(x86::ptr(x86::rax, Z(offsets)), Z(data[0]));
}

void AccessCode::Broadcast(const ir::MemoryAccess& access, int mask, const int (&result)[4]) {
  BroadcastDwords(access, mask, result);
  if (access.quadwords) JoinDwords(region_, result);
}

void AccessCode::BroadcastDwords(const ir::MemoryAccess& access, int mask, const int (&result)[4]) {
  if (QuadCode::IsWanted(access, result)) return QuadCode(region_).Broadcast(mask, result);
  const int dwords = access.Dwords();
  for (int n = 0; n < dwords; ++n) {
    const x86::Mem at = x86::ptr(x86::rax, n * 4);
    if (n % 2 == 0 && n + 1 < dwords && result[n] >= 0 && result[n + 1] >= 0) {
      a.vpbroadcastq(Z(kT1), at);
      OrZero(a, mask).vpshufd(Z(result[n]), Z(kT1), 0xA0);
      OrZero(a, mask).vpshufd(Z(result[n + 1]), Z(kT1), 0xF5);
      ++n;
    } else if (result[n] >= 0) {
      OrZero(a, mask).vpbroadcastd(Z(result[n]), at);
      NarrowTo(access, result[n]);
    }
  }
}

void AccessCode::NarrowTo(const ir::MemoryAccess& access, int reg) {
  if (access.bytes >= 4) return;
  const int bits = 32 - access.bytes * 8;
  a.vpslld(Z(reg), Z(reg), bits);
  if (access.sign_extend) {
    a.vpsrad(Z(reg), Z(reg), bits);
  } else {
    a.vpsrld(Z(reg), Z(reg), bits);
  }
}

}  // namespace gcnjit::backend::avx512
