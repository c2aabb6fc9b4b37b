#include "backend_x64/isa/avx2/overlapping.h"

namespace gcnjit::backend::avx2 {

void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int mask,
                     const int (&result)[4], const x86::Mem& at) {
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
