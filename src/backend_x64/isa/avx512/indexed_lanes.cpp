#include "backend_x64/isa/avx512/indexed_lanes.h"

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

namespace {

// rax: the address of the part's first lane.
void EmitFirstAddress(const IndexedAccess& x, int n) {
  x86::Assembler& a = x.region.a;
  if (!x.index.is_zero) {
    a.vmovd(x86::eax, X(x.index.reg[n]));
    if (x.access.index_signed) a.movsxd(x86::rax, x86::eax);
    if (x.access.index_shift != 0) a.shl(x86::rax, x.access.index_shift);
    a.add(x86::rax, x.base.Whole());
  } else {
    a.mov(x86::rax, x.base.Whole());
  }
  if (x.base.imm != 0) a.add(x86::rax, x.base.imm);
}

}  // namespace

void EmitAlike(const IndexedAccess& x, const asmjit::Label& different) {
  constexpr int kOrDifference = 0xF6;  // a | (b ^ c)
  x86::Assembler& a = x.region.a;
  a.vpbroadcastd(Z(kT0), X(x.index.reg[0]));
  a.vpxord(Z(kT1), Z(kT0), Z(x.index.reg[0]));
  for (int n = 1; n < x.parts.count; ++n) {
    a.vpternlogd(Z(kT1), Z(kT0), Z(x.index.reg[n]), kOrDifference);
  }
  a.vptestmd(K(kM0), Z(kT1), Z(kT1));
  a.kortestw(K(kM0), K(kM0));
  a.jnz(different);
  EmitFirstAddress(x, 0);
  PartAccess lanes = x.parts[0];
  lanes.exits.slow = different;
  EmitLaneCheck(a, lanes);
  for (int n = 0; n < x.parts.count; ++n) {
    AccessCode(x.region).Broadcast(x.access, x.parts[n].mask, x.parts[n].result);
  }
}

void EmitUniform(const IndexedAccess& x, int n, const asmjit::Label& different) {
  x86::Assembler& a = x.region.a;
  if (!x.index.shape.IsUniform(n)) {
    a.vpbroadcastd(Z(kT0), X(x.index.reg[n]));
    a.vpcmpd(K(kM0), Z(kT0), Z(x.index.reg[n]), 4);
    a.kortestw(K(kM0), K(kM0));
    a.jnz(different);
  }
  EmitFirstAddress(x, n);
  PartAccess lanes = x.parts[n];
  lanes.exits.slow = different;  // where the addresses are made for the runtime
  if (x.is_store) return EmitLastLane(x.region, lanes);
  EmitLaneCheck(a, lanes);
  AccessCode(x.region).Broadcast(x.access, lanes.mask, lanes.result);
}

void EmitLanes(const IndexedAccess& x, int n, int index) {
  x86::Assembler& a = x.region.a;
  const int shift = x.access.index_shift;
  // (kT1:kT0) = base + (ext(index) << shift)
  if (shift != 0) {
    a.vpslld(Z(kT0), Z(index), shift);
  } else {
    a.vmovdqa32(Z(kT0), Z(index));
  }
  if (x.access.index_signed) {
    a.vpsrad(Z(kT1), Z(index), shift == 0 ? 31 : 32 - shift);
  } else if (shift != 0) {
    a.vpsrld(Z(kT1), Z(index), 32 - shift);
  } else {
    a.vpxord(Z(kT1), Z(kT1), Z(kT1));
  }
  a.vpaddd(Z(kT0), Z(kT0), x.base.Low()._1to16());
  a.vpcmpud(K(kM0), Z(kT0), x.base.Low()._1to16(), 1);
  a.vpaddd(Z(kT1), Z(kT1), x.base.High()._1to16());
  a.k(K(kM0)).vpaddd(Z(kT1), Z(kT1), x.region.constants.Broadcast32(1)._1to16());
  PartAccess lanes = x.parts[n];
  lanes.address.low = kT0;
  lanes.address.high = kT1;
  EmitScattered(x.region, lanes, kT2);
  EmitSlow(x.region, lanes);
}

}  // namespace gcnjit::backend::avx512
