#include "backend_x64/isa/avx512/overlapping.h"

#include <algorithm>
#include <array>

#include "backend_x64/emit/element_shuffle.h"
#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx512/quadwords.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {
namespace {

constexpr int kQuarter = kLanes / kQuarters;

// Elements of 1, 2 or 4 bytes: four lanes' are within 16 bytes each, from its quarter's memory on;
// `first`: how many bytes on.
void LoadBytes(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
               int result, const std::array<x86::Mem, kQuarters>& from,
               const std::array<int, kQuarters>& first) {
  x86::Assembler& a = region.a;
  ConstantPool::Vector byte_of = {};
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    const auto n = static_cast<size_t>(quarter);
    if (quarter == 0) {
      a.vmovdqu32(X(kT0), from[n]);
    } else {
      a.vinserti32x4(Z(kT0), Z(kT0), from[n], quarter);
    }
    for (int lane = 0; lane < kQuarter; ++lane) {
      byte_of[static_cast<size_t>(quarter * kQuarter + lane)] =
          ElementShuffle(first[n] + lane * step, access);
    }
  }
  a.vpshufb(Z(kT0), Z(kT0), region.constants.Whole(byte_of));
  if (mask >= 0) a.k(K(mask)).z();
  if (const int shift = SignShift(access); shift != 0) {
    a.vpsrad(Z(result), Z(kT0), shift);
  } else {
    a.vmovdqa32(Z(result), Z(kT0));
  }
}

// Dwords of two registers.
void Permute(RegionAssembler& region, int mask, int result, const ConstantPool::Vector& dword_of) {
  x86::Assembler& a = region.a;
  a.vmovdqa32(Z(result), region.constants.Whole(dword_of));
  if (mask >= 0) a.k(K(mask)).z();
  a.vpermi2d(Z(result), Z(kT0), Z(kT1));
}

// A quadword and the next one, which is the next lane's. Three loads: each lane has both from one
// of them.
void LoadNeighbours(RegionAssembler& region, int mask, const int (&result)[4], const x86::Mem& at) {
  constexpr uint32_t kHalf = kLanes / 2;
  constexpr uint32_t kLast = 2 * kHalf - 2;  // the first lane of the third load
  constexpr uint32_t kThird = kLanes + 1 - kHalf;
  x86::Assembler& a = region.a;
  a.vmovdqu64(Z(kT0), at);
  a.vmovdqu64(Z(kT1), at.cloneAdjusted((kHalf - 1) * 8));
  a.vmovdqu64(Z(kT2), at.cloneAdjusted(kThird * 8));
  for (int n = 0; n < 4; ++n) {
    if (result[n] < 0) continue;
    const bool is_upper = n % 2 != 0;
    const uint32_t next = n / 2;
    ConstantPool::Vector dword_of;
    for (uint32_t dword = 0; dword < dword_of.size(); ++dword) {
      const uint32_t lane = dword / 2 + (is_upper ? kHalf : 0);
      // By number in the two registers.
      const uint32_t quadword = lane < kHalf - 1 ? lane
                                : lane < kHalf   ? kHalf + lane - (kHalf - 1)
                                : lane < kLast   ? lane - (kHalf - 1)
                                                 : kHalf + lane - kThird;
      dword_of[dword] = (quadword + next) * 2 + dword % 2;
    }
    a.vmovdqa32(Z(result[n]), region.constants.Whole(dword_of));
    a.vpermi2d(Z(result[n]), Z(is_upper ? kT1 : kT0), Z(is_upper ? kT2 : kT1));
    if (mask >= 0) MoveComponent(a, n % 2, result[n], Z(result[n]), mask);
  }
}

}  // namespace

void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
                     const int (&result)[4], const x86::Mem& at) {
  if (access.bytes <= 4) {
    if (result[0] < 0) return;
    std::array<x86::Mem, kQuarters> from;
    std::array<int, kQuarters> first = {};
    const int bytes = std::max(kLanes * access.bytes, (kLanes - 1) * step + access.bytes);
    for (int quarter = 0; quarter < kQuarters; ++quarter) {
      const auto n = static_cast<size_t>(quarter);
      const int begin = std::min(quarter * kQuarter * step, bytes - 16);
      from[n] = at.cloneAdjusted(begin);
      first[n] = quarter * kQuarter * step - begin;
    }
    return LoadBytes(region, access, step, mask, result[0], from, first);
  }
  x86::Assembler& a = region.a;
  if (access.bytes == 16) return LoadNeighbours(region, mask, result, at);
  if (access.Dwords() == 3) {  // need not come from one load
    for (int n = 0; n < 3; ++n) {
      if (result[n] < 0) continue;
      if (mask >= 0) a.k(K(mask)).z();
      a.vmovdqu32(Z(result[n]), at.cloneAdjusted(n * 4));
    }
    return;
  }
  constexpr uint32_t kSecond = kLanes - 1;  // the lane of the second load
  a.vmovdqu32(Z(kT0), at);
  a.vmovdqu32(Z(kT1), at.cloneAdjusted(kSecond * 4));
  for (uint32_t n = 0; n < 2; ++n) {
    if (result[n] < 0) continue;
    ConstantPool::Vector dword_of;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      dword_of[lane] = lane < kSecond ? lane + n : kLanes + lane - kSecond + n;
    }
    Permute(region, mask, result[n], dword_of);
  }
  if (access.quadwords) JoinDwords(region, result);
}

int SpacedBytes(const ir::MemoryAccess&, int step) { return (kLanes - 1) * step; }

void EmitSpaced(const IndexedAccess& x, int n, int step, const asmjit::Label& fail) {
  const int last = (kLanes - 1) * (step >> x.access.index_shift);
  EmitFirstIndex(x, n);
  EmitIndexAddress(x.region.a, x.access, x.base.Whole(), x.base.imm, last, fail);
  EmitElementsCheck(x.region.a, x.site.index, SpacedBytes(x.access, step), fail);
  LoadOverlapping(x.region, x.access, step, x.parts[n].mask, x.parts[n].result, x86::ptr(x86::rax));
}

// 8 lanes read no more than half of what 16 may.
void LoadOverlappingHalves(RegionAssembler& region, const ir::MemoryAccess& access, int step,
                           int mask, const int (&result)[4], const x86::Mem& low,
                           const x86::Mem& high) {
  if (access.bytes <= 4) {
    if (result[0] < 0) return;
    const int next = kQuarter * step;
    return LoadBytes(region, access, step, mask, result[0],
                     {low, low.cloneAdjusted(next), high, high.cloneAdjusted(next)}, {});
  }
  region.a.vmovdqu32(Z(kT0), low);
  region.a.vmovdqu32(Z(kT1), high);
  constexpr uint32_t kHalf = kLanes / 2;
  for (uint32_t n = 0; n < static_cast<uint32_t>(access.Dwords()); ++n) {
    if (result[n] < 0) continue;
    ConstantPool::Vector dword_of;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      dword_of[lane] = (lane < kHalf ? lane : kLanes + lane - kHalf) + n;
    }
    Permute(region, mask, result[n], dword_of);
  }
  if (access.quadwords) JoinDwords(region, result);
}

}  // namespace gcnjit::backend::avx512
