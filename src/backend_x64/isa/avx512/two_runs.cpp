// Accesses whose lanes are in two runs, one after the other: where a row ends within a register, in
// work-groups with rows of any length, or where x = i % width.
#include "backend_x64/emit/two_runs.h"

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/indexed_access.h"

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

int32_t IndexedAccess::StepOfTwoRuns() const { return StepOfTwoRunsOf(access, is_store); }

// Both addresses are looked at before anything is moved. Mask 0: the lanes of the first run, all of
// which come before the others.
void IndexedAccess::EmitTwoRuns(int n, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  const PartAccess& to = part[n];
  const int32_t step = StepOfTwoRuns();
  const auto [from_first, from_last] = TwoRunsIndices(kLast, step);
  a.vpbroadcastd(Z(kT0), X(index[n]));
  a.vpsubd(Z(kT0), Z(index[n]), Z(kT0));
  a.vpcmpeqd(K(kM0), Z(kT0), region.constants.Whole(from_first));
  // Lanes that are far from each other are seen first.
  a.kmovw(x86::edx, K(kM0));
  a.cmp(x86::edx, 1);
  a.je(fail);
  a.vextracti32x4(X(kT1), Z(index[n]), 3);
  a.vpextrd(x86::ecx, X(kT1), 3);
  a.vpbroadcastd(Z(kT1), x86::ecx);
  a.vpsubd(Z(kT1), Z(index[n]), Z(kT1));
  a.vpcmpeqd(K(kM1), Z(kT1), region.constants.Whole(from_last));
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
  EmitExtension(kLast * step, fail);
  EmitRunAddress(/*is_wide=*/false, fail);
  a.vmovq(X(kT1), x86::rax);
  a.vmovd(x86::eax, X(index[n]));
  EmitExtension(kLast * step, fail);
  EmitRunAddress(/*is_wide=*/false, fail);
  a.vmovq(x86::rcx, X(kT1));
  const auto second = [](x86::Mem at) {
    at.setBase(x86::rcx);
    return at;
  };
  if (is_store) {
    if (to.mask >= 0) {
      a.kandnw(K(kM1), K(kM0), K(to.mask));
      a.kandw(K(kM0), K(kM0), K(to.mask));
    } else {
      a.knotw(K(kM1), K(kM0));
    }
    AccessCode code(region);
    code.StoreRun(access, kM0, to.data, At(0));
    code.StoreRun(access, kM1, to.data, second(At(0)));
    return;
  }
  a.knotw(K(kM1), K(kM0));
  for (int dword = 0; dword < access.Dwords(); ++dword) {
    if (to.result[dword] < 0) continue;
    LoadLanes(a, access, kM0, /*zeroes=*/true, kT0, At(dword * 4));
    LoadLanes(a, access, kM1, /*zeroes=*/false, kT0, second(At(dword * 4)));
    OrZero(a, to.mask).vmovdqa32(Z(to.result[dword]), Z(kT0));
  }
}

}  // namespace gcnjit::backend::avx512
