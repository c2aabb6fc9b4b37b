#include "backend_x64/isa/avx512/overlapping.h"

#include <algorithm>

#include "backend_x64/emit/element_shuffle.h"

namespace gcnjit::backend::avx512 {
namespace {

// Elements of 2 or 4 bytes: four lanes' are within 16 bytes each.
void LoadBytes(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
               int result, const x86::Mem& at) {
  constexpr int kLanes = kLanesPerRegister;
  constexpr int kQuarters = 4;
  x86::Assembler& a = region.a;
  ConstantPool::Vector byte_of = {};
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    const int first = quarter * kLanes / kQuarters * step;
    const int begin = std::min(first, kLanes * access.bytes - 16);
    const x86::Mem from = at.cloneAdjusted(begin);
    if (quarter == 0) {
      a.vmovdqu32(X(kT0), from);
    } else {
      a.vinserti32x4(Z(kT0), Z(kT0), from, quarter);
    }
    for (int lane = 0; lane < kLanes / kQuarters; ++lane) {
      byte_of[static_cast<size_t>(quarter * kLanes / kQuarters + lane)] =
          ElementShuffle(first - begin + lane * step, access);
    }
  }
  a.vpshufb(Z(kT0), Z(kT0), region.constants.Whole(byte_of));
  if (mask >= 0) a.k(K(mask)).z();
  if (IsSignedHalf(access)) {
    a.vpsrad(Z(result), Z(kT0), 16);
  } else {
    a.vmovdqa32(Z(result), Z(kT0));
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
  if (dwords == 3) {  // need not come from one load
    for (uint32_t n = 0; n < dwords; ++n) {
      if (result[n] < 0) continue;
      if (mask >= 0) a.k(K(mask)).z();
      a.vmovdqu32(Z(result[n]), at.cloneAdjusted(n * 4));
    }
    return;
  }
  constexpr uint32_t kLanes = kLanesPerRegister;
  constexpr uint32_t kSecond = kLanes - 1;  // the lane of the second load
  a.vmovdqu32(Z(kT0), at);
  a.vmovdqu32(Z(kT1), at.cloneAdjusted(kSecond * 4));
  for (uint32_t n = 0; n < dwords; ++n) {
    if (result[n] < 0) continue;
    ConstantPool::Vector dword_of;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      dword_of[lane] = lane < kSecond ? lane + n : kLanes + lane - kSecond + n;
    }
    a.vmovdqa32(Z(result[n]), region.constants.Whole(dword_of));
    if (mask >= 0) a.k(K(mask)).z();
    a.vpermi2d(Z(result[n]), Z(kT0), Z(kT1));
  }
}

}  // namespace gcnjit::backend::avx512
