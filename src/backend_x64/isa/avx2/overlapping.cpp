#include "backend_x64/isa/avx2/overlapping.h"

#include <algorithm>

#include "backend_x64/emit/element_shuffle.h"
#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx2/quadwords.h"
#include "backend_x64/isa/avx2/runs.h"

namespace gcnjit::backend::avx2 {
namespace {

// Elements of 1, 2 or 4 bytes: four lanes' are within 16 bytes each.
void LoadBytes(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
               int result, const x86::Mem& at) {
  x86::Assembler& a = region.a;
  ConstantPool::Vector byte_of = {};
  const int bytes = std::max({16, kLanes * access.bytes, (kLanes - 1) * step + access.bytes});
  for (int half = 0; half < 2; ++half) {
    const int first = half * kLanes / 2 * step;
    const int begin = std::min(first, bytes - 16);
    const x86::Mem from = at.cloneAdjusted(begin);
    if (half == 0) {
      a.vmovdqu(X(kT0), from);
    } else {
      a.vinserti128(Y(kT0), Y(kT0), from, 1);
    }
    for (int lane = 0; lane < kLanes / 2; ++lane) {
      byte_of[static_cast<size_t>(half * kLanes / 2 + lane)] =
          ElementShuffle(first - begin + lane * step, access);
    }
  }
  a.vpshufb(Y(result), Y(kT0), region.constants.Whole(byte_of));
  if (const int shift = SignShift(access); shift != 0) a.vpsrad(Y(result), Y(result), shift);
  if (mask >= 0) a.vpand(Y(result), Y(result), Y(mask));
}

// A quadword and the next one, which is the next lane's: a lane has both from one load.
void LoadNeighbours(RegionAssembler& region, int mask, const int (&result)[4], const x86::Mem& at) {
  x86::Assembler& a = region.a;
  // A component has lanes 0, 1, 4 and 5, or those after them.
  for (int component = 0; component < 2; ++component) {
    const int first = component * 2;
    const int quadword = result[component], next = result[2 + component];
    if (quadword < 0 && next < 0) continue;
    for (int n = 0; n < 2; ++n) {
      const int to = n == 0 ? kT0 : kT1;
      const x86::Mem from = at.cloneAdjusted((first + n) * 8);
      a.vmovupd(X(to), from);
      a.vinsertf128(Y(to), Y(to), from.cloneAdjusted(4 * 8), 1);
    }
    if (quadword >= 0) a.vunpcklpd(Y(quadword), Y(kT0), Y(kT1));
    if (next >= 0) a.vunpckhpd(Y(next), Y(kT0), Y(kT1));
    for (const int reg : {quadword, next}) {
      if (reg < 0 || mask < 0) continue;
      MoveComponent(a, component, kT2, reg, mask);
      a.vmovaps(Y(reg), Y(kT2));
    }
  }
}

}  // namespace

void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
                     const int (&result)[4], const x86::Mem& at) {
  if (access.bytes <= 4) {
    if (result[0] >= 0) LoadBytes(region, access, step, mask, result[0], at);
    return;
  }
  x86::Assembler& a = region.a;
  const auto dwords = static_cast<uint32_t>(access.Dwords());
  if (dwords == 4) return LoadNeighbours(region, mask, result, at);
  if (dwords == 3) {  // need not come from one load
    for (uint32_t n = 0; n < dwords; ++n) {
      if (result[n] < 0) continue;
      a.vmovups(Y(result[n]), at.cloneAdjusted(n * 4));
      if (mask >= 0) a.vpand(Y(result[n]), Y(result[n]), Y(mask));
    }
    return;
  }
  // Both of a lane from one load: the last lane's from the second one.
  constexpr uint32_t kLast = kLanes - 1;
  constexpr uint32_t kLastOnly = 1u << kLast;
  a.vmovups(Y(kT0), at);
  a.vmovups(Y(kT1), at.cloneAdjusted(4));
  if (result[0] >= 0) {
    a.vpshufd(Y(result[0]), Y(kT1), 2 << 6);
    a.vpblendd(Y(result[0]), Y(kT0), Y(result[0]), kLastOnly);
  }
  if (result[1] >= 0) {
    ConstantPool::Vector next = {};
    for (uint32_t lane = 0; lane < kLast; ++lane) next[lane] = lane + 1;
    a.vmovups(Y(kT2), region.constants.Whole(next));
    a.vpermd(Y(result[1]), Y(kT2), Y(kT0));
    a.vpblendd(Y(result[1]), Y(result[1]), Y(kT1), kLastOnly);
  }
  for (int n = 0; n < 2; ++n) {
    if (result[n] >= 0 && mask >= 0) a.vpand(Y(result[n]), Y(result[n]), Y(mask));
  }
  if (access.quadwords) JoinDwords(a, result);
}

// LoadOverlapping reads 16 bytes at least.
int SpacedBytes(const ir::MemoryAccess& access, int step) {
  return std::max((kLanes - 1) * step, 16 - access.bytes);
}

void EmitSpaced(const IndexedAccess& x, int n, int step, const asmjit::Label& fail) {
  EmitFirstIndex(x, n);
  EmitAddressOf(x, (kLanes - 1) * (step >> x.access.index_shift), fail);
  EmitElementsCheck(x.region.a, x.site.index, SpacedBytes(x.access, step), fail);
  LoadOverlapping(x.region, x.access, step, x.parts[n].mask, x.parts[n].result, x86::ptr(x86::rax));
}

}  // namespace gcnjit::backend::avx2
