#include "backend_x64/isa/avx512/quadwords.h"

#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

namespace {

constexpr uint32_t kComponentLanes = kLanes / 2;

}  // namespace

void JoinPairs(RegionAssembler& region, uint32_t half, int low, int high, int to) {
  ConstantPool::Vector dword_of;
  for (uint32_t dword = 0; dword < dword_of.size(); ++dword) {
    dword_of[dword] = half * kComponentLanes + dword / 2 + (dword % 2 != 0 ? uint32_t{kLanes} : 0);
  }
  region.a.vmovdqa32(Z(to), region.constants.Whole(dword_of));
  region.a.vpermi2d(Z(to), Z(low), Z(high));
}

void JoinDwords(RegionAssembler& region, const int (&result)[4]) {
  x86::Assembler& a = region.a;
  for (int n = 0; n < 4; n += 2) {
    const int low = result[n];
    const int high = result[n + 1];
    if (low < 0 || high < 0) continue;
    JoinPairs(region, 0, low, high, kT0);
    JoinPairs(region, 1, low, high, kT1);
    a.vmovdqa32(Z(low), Z(kT0));
    a.vmovdqa32(Z(high), Z(kT1));
  }
}

void MoveComponent(x86::Assembler& a, int component, int to, const asmjit::Operand& from,
                   int mask) {
  if (mask >= 0 && component == 0) a.k(K(mask)).z();
  if (mask >= 0 && component == 1) {
    a.kshiftrw(K(kM0), K(mask), kComponentLanes);
    a.k(K(kM0)).z();
  }
  a.emit(x86::Inst::kIdVmovdqu64, Z(to), from);
}

}  // namespace gcnjit::backend::avx512
