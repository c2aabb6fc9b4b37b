#include "backend_x64/isa/avx2/lane_loads.h"

#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

void LoadDwords(x86::Assembler& a, int to, const AddressOf& address) {
  for (const int reg : {to, kT2}) {
    const int first = reg == to ? 0 : kHalf;
    a.vmovd(X(reg), address(first));
    for (int n = 1; n < kHalf; ++n) a.vpinsrd(X(reg), X(reg), address(first + n), n);
  }
  a.vinserti128(Y(to), Y(to), X(kT2), 1);
}

void LoadPairs(x86::Assembler& a, int even, int odd, bool quadwords, const AddressOf& address) {
  const auto load = [&](int reg, int lane) {
    a.vmovq(X(reg), address(lane));
    a.vmovhps(X(reg), X(reg), address(lane + 1));
  };
  load(even, 0);
  load(odd, 2);
  load(kT2, kHalf);
  a.vinsertf128(Y(even), Y(even), X(kT2), 1);
  load(kT2, kHalf + 2);
  a.vinsertf128(Y(odd), Y(odd), X(kT2), 1);
  if (quadwords) return;
  a.vshufps(Y(kT2), Y(even), Y(odd), kEvenDwords);
  a.vshufps(Y(odd), Y(even), Y(odd), kOddDwords);
  a.vmovaps(Y(even), Y(kT2));
}

x86::Mem OffsetLanes::operator()(int lane) const {
  if (lane % 2 != 0) return x86::ptr(x86::rax, x86::rcx, 0, displacement_);
  if (lane == kHalf) a.vpermq(Y(kT0), Y(kT0), kSwapHalves);
  lane % kHalf == 0 ? a.vmovq(x86::rcx, X(kT0)) : a.vpextrq(x86::rcx, X(kT0), 1);
  a.mov(x86::edx, x86::ecx);
  a.shr(x86::rcx, 32);
  return x86::ptr(x86::rax, x86::rdx, 0, displacement_);
}

}  // namespace gcnjit::backend::avx2
