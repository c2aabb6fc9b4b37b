#include "backend_x64/isa/avx512/two_runs.h"

#include "backend_x64/emit/two_runs.h"
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

namespace {

constexpr int kLast = kLanes - 1;

// Lanes in `mask`; the others stay as they are, or become 0.
void LoadLanes(x86::Assembler& a, const ir::MemoryAccess& access, int mask, bool zeroes, int to,
               const x86::Mem& at) {
  a.k(K(mask));
  if (zeroes) a.z();
  switch (access.bytes) {
    case 1: access.sign_extend ? a.vpmovsxbd(Z(to), at) : a.vpmovzxbd(Z(to), at); return;
    case 2: access.sign_extend ? a.vpmovsxwd(Z(to), at) : a.vpmovzxwd(Z(to), at); return;
    default: a.vmovdqu32(Z(to), at); return;
  }
}

}  // namespace

bool MayBeTwoRuns(const IndexedAccess& x) {
  return !x.index.is_loaded && !x.index.shape.is_known && !x.halves.shape.is_known &&
         StepOfTwoRunsOf(x.access, x.is_store) != 0;
}

// Both addresses are looked at before anything is moved. Mask 0: the lanes of the first run, all of
// which come before the others.
void EmitTwoRuns(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const PartAccess& to = x.parts[n];
  const int32_t step = StepOfTwoRunsOf(x.access, x.is_store);
  const auto [from_first, from_last] = TwoRunsIndices(kLast, step);
  a.vpbroadcastd(Z(kT0), X(x.index.reg[n]));
  a.vpsubd(Z(kT0), Z(x.index.reg[n]), Z(kT0));
  a.vpcmpeqd(K(kM0), Z(kT0), x.region.constants.Whole(from_first));
  // Lanes that are far from each other are seen first.
  a.kmovw(x86::edx, K(kM0));
  a.cmp(x86::edx, 1);
  a.je(fail);
  a.vextracti32x4(X(kT1), Z(x.index.reg[n]), 3);
  a.vpextrd(x86::ecx, X(kT1), 3);
  a.vpbroadcastd(Z(kT1), x86::ecx);
  a.vpsubd(Z(kT1), Z(x.index.reg[n]), Z(kT1));
  a.vpcmpeqd(K(kM1), Z(kT1), x.region.constants.Whole(from_last));
  a.lea(x86::eax, x86::ptr(x86::rdx, 1));
  a.test(x86::eax, x86::edx);
  a.jnz(fail);
  a.korw(K(kM1), K(kM1), K(kM0));
  if (to.mask >= 0) {
    a.kandnw(K(kM1), K(kM1), K(to.mask));
    a.kortestw(K(kM1), K(kM1));
    a.jnz(fail);
  } else {
    a.kortestw(K(kM1), K(kM1));
    a.jnc(fail);
  }
  a.lea(x86::eax, x86::ptr(x86::rcx, -kLast * step));
  EmitExtension(x, kLast * step, fail);
  EmitRunAddress(x, /*is_wide=*/false, fail);
  a.vmovq(X(kT1), x86::rax);
  a.vmovd(x86::eax, X(x.index.reg[n]));
  EmitExtension(x, kLast * step, fail);
  const x86::Mem at = EmitRunAddress(x, /*is_wide=*/false, fail);
  a.vmovq(x86::rcx, X(kT1));
  x86::Mem second = at;
  second.setBase(x86::rcx);
  if (x.is_store) {
    if (to.mask >= 0) {
      a.kandnw(K(kM1), K(kM0), K(to.mask));
      a.kandw(K(kM0), K(kM0), K(to.mask));
    } else {
      a.knotw(K(kM1), K(kM0));
    }
    AccessCode code(x.region);
    code.StoreRun(x.access, kM0, to.data, at);
    code.StoreRun(x.access, kM1, to.data, second);
    return;
  }
  a.knotw(K(kM1), K(kM0));
  for (int dword = 0; dword < x.access.Dwords(); ++dword) {
    if (to.result[dword] < 0) continue;
    LoadLanes(a, x.access, kM0, /*zeroes=*/true, kT0, at.cloneAdjusted(dword * 4));
    LoadLanes(a, x.access, kM1, /*zeroes=*/false, kT0, second.cloneAdjusted(dword * 4));
    OrZero(a, to.mask).vmovdqa32(Z(to.result[dword]), Z(kT0));
  }
}

}  // namespace gcnjit::backend::avx512
