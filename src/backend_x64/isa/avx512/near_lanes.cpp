#include "backend_x64/isa/avx512/near_lanes.h"

#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

bool MayBeNear(const IndexedAccess& x) {
  return !x.is_store && !x.index.shape.is_known && x.access.bytes == 4 && x.access.index_shift == 2;
}

void EmitNear(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  constexpr int kLast = 2 * kLanes - 1;
  const PartAccess& to = x.parts[n];
  a.vmovd(x86::eax, X(x.index.reg[n]));
  a.vpbroadcastd(Z(kT0), X(x.index.reg[n]));
  a.vpsubd(Z(kT0), Z(x.index.reg[n]), Z(kT0));
  Under(a, to.mask).vpcmpud(K(kM0), Z(kT0), x.region.constants.Broadcast32(kLast)._1to16(), 6);
  a.kortestw(K(kM0), K(kM0));
  a.jnz(fail);
  IndexedAccess two = x;
  two.registers.reset();  // it goes with the end for one register
  EmitExtension(two, kLast, fail);
  const x86::Mem at = EmitRunAddress(two, /*is_wide=*/true, fail);
  a.vmovdqu32(Z(kT1), at);
  a.vpermi2d(Z(kT0), Z(kT1), at.cloneAdjusted(64));
  if (to.result[0] >= 0) OrZero(a, to.mask).vmovdqa32(Z(to.result[0]), Z(kT0));
}

}  // namespace gcnjit::backend::avx512
