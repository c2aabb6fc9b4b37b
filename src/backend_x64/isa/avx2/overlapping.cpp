#include "backend_x64/isa/avx2/overlapping.h"

#include <algorithm>

#include "backend_x64/emit/element_shuffle.h"

namespace gcnjit::backend::avx2 {
namespace {

// Elements of 2 or 4 bytes: four lanes' are within 16 bytes each.
void LoadBytes(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
               int result, const x86::Mem& at) {
  constexpr int kLanes = kLanesPerRegister;
  x86::Assembler& a = region.a;
  ConstantPool::Vector byte_of = {};
  for (int half = 0; half < 2; ++half) {
    const int first = half * kLanes / 2 * step;
    const int begin = std::min(first, kLanes * access.bytes - 16);
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
  if (IsSignedHalf(access)) a.vpsrad(Y(result), Y(result), 16);
  if (mask >= 0) a.vpand(Y(result), Y(result), Y(mask));
}

}  // namespace

void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
                     const int (&result)[4], const x86::Mem& at) {
  if (access.bytes <= 4) {
    if (result[0] >= 0) LoadBytes(region, access, step, mask, result[0], at);
    return;
  }
  constexpr uint32_t kLanes = kLanesPerRegister;
  x86::Assembler& a = region.a;
  const auto dwords = static_cast<uint32_t>(access.Dwords());
  const uint32_t second = kLanes + 1 - dwords;  // the first lane of the second load
  a.vmovups(Y(kT0), at);
  a.vmovups(Y(kT1), at.cloneAdjusted(second * 4));
  for (uint32_t n = 0; n < dwords; ++n) {
    if (result[n] < 0) continue;
    ConstantPool::Vector of_first = {};
    ConstantPool::Vector of_second = {};
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (lane < second) {
        of_first[lane] = lane + n;
      } else {
        of_second[lane] = lane - second + n;
      }
    }
    a.vmovups(Y(kT2), region.constants.Whole(of_first));
    a.vpermd(Y(result[n]), Y(kT2), Y(kT0));
    a.vmovups(Y(kT2), region.constants.Whole(of_second));
    a.vpermd(Y(kT2), Y(kT2), Y(kT1));
    a.vpblendd(Y(result[n]), Y(result[n]), Y(kT2), kAllLanes << second & kAllLanes);
    if (mask >= 0) a.vpand(Y(result[n]), Y(result[n]), Y(mask));
  }
}

}  // namespace gcnjit::backend::avx2
