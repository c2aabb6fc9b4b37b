#include "backend_x64/isa/avx512/overlapping.h"

namespace gcnjit::backend::avx512 {

void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int mask,
                     const int (&result)[4], const x86::Mem& at) {
  constexpr uint32_t kLanes = kLanesPerRegister;
  x86::Assembler& a = region.a;
  const auto dwords = static_cast<uint32_t>(access.Dwords());
  const uint32_t second = kLanes + 1 - dwords;  // the first lane of the second load
  a.vmovdqu32(Z(kT0), at);
  a.vmovdqu32(Z(kT1), at.cloneAdjusted(second * 4));
  for (uint32_t n = 0; n < dwords; ++n) {
    if (result[n] < 0) continue;
    ConstantPool::Vector dword_of;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      dword_of[lane] = lane < second ? lane + n : kLanes + lane - second + n;
    }
    a.vmovdqa32(Z(result[n]), region.constants.Whole(dword_of));
    if (mask >= 0) a.k(K(mask)).z();
    a.vpermi2d(Z(result[n]), Z(kT0), Z(kT1));
  }
}

}  // namespace gcnjit::backend::avx512
