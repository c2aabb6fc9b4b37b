#include "backend_x64/isa/avx2/two_runs.h"

#include "backend_x64/emit/two_runs.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/runs.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

namespace {

constexpr int kLast = kLanes - 1;

void LoadLanes(x86::Assembler& a, const ir::MemoryAccess& access, int to, const x86::Mem& at) {
  switch (access.bytes) {
    case 1: access.sign_extend ? a.vpmovsxbd(Y(to), at) : a.vpmovzxbd(Y(to), at); return;
    case 2: access.sign_extend ? a.vpmovsxwd(Y(to), at) : a.vpmovzxwd(Y(to), at); return;
    default: a.vmovups(Y(to), at); return;
  }
}

int32_t StepOfTwoRuns(const IndexedAccess& x) {
  return x.is_store && x.access.bytes < 4 ? 0 : StepOfTwoRunsOf(x.access, x.is_store);
}

}  // namespace

bool MayBeTwoRuns(const IndexedAccess& x) {
  return !x.index.is_loaded && !x.index.shape.is_known && StepOfTwoRuns(x) != 0;
}

// Both addresses are looked at before anything is moved. Scratch 0: the lanes of the first run, all
// of which come before the others.
void EmitTwoRuns(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const PartAccess& p = x.parts[n];
  const int32_t step = StepOfTwoRuns(x);
  const auto [from_first, from_last] = TwoRunsIndices(kLast, step);
  a.vpbroadcastd(Y(kT0), X(x.index.reg[n]));
  a.vpsubd(Y(kT0), Y(x.index.reg[n]), Y(kT0));
  a.vpcmpeqd(Y(kT0), Y(kT0), x.region.constants.Whole(from_first));
  // Lanes that are far from each other are seen first.
  a.vmovmskps(x86::edx, Y(kT0));
  a.cmp(x86::edx, 1);
  a.je(fail);
  a.vextracti128(X(kT1), Y(x.index.reg[n]), 1);
  a.vpextrd(x86::ecx, X(kT1), 3);
  a.vpshufd(X(kT1), X(kT1), 0xFF);
  a.vinserti128(Y(kT1), Y(kT1), X(kT1), 1);
  a.vpsubd(Y(kT1), Y(x.index.reg[n]), Y(kT1));
  a.vpcmpeqd(Y(kT1), Y(kT1), x.region.constants.Whole(from_last));
  a.lea(x86::eax, x86::ptr(x86::rdx, 1));
  a.test(x86::eax, x86::edx);
  a.jnz(fail);
  a.vpor(Y(kT1), Y(kT1), Y(kT0));
  EmitAllCheck(a, kT1, p.mask, x86::eax, fail);
  a.lea(x86::eax, x86::ptr(x86::rcx, -kLast * step));
  EmitAddressOf(x, kLast * step, fail);
  EmitRunWindowCheck(x, /*count=*/1, fail);
  a.vmovq(X(kT1), x86::rax);
  a.vmovd(x86::eax, X(x.index.reg[n]));
  EmitAddressOf(x, kLast * step, fail);
  EmitRunWindowCheck(x, /*count=*/1, fail);
  a.vmovq(x86::rcx, X(kT1));
  if (x.is_store) {
    if (p.mask >= 0) {
      a.vpandn(Y(kT1), Y(kT0), Y(p.mask));
      a.vpand(Y(kT0), Y(kT0), Y(p.mask));
    } else {
      a.vpandn(Y(kT1), Y(kT0), x.region.constants.Whole(~0u));
    }
    a.vpmaskmovd(x86::ptr(x86::rax), Y(kT0), Y(p.data[0]));
    a.vpmaskmovd(x86::ptr(x86::rcx), Y(kT1), Y(p.data[0]));
    return;
  }
  for (int dword = 0; dword < x.access.Dwords(); ++dword) {
    if (p.result[dword] < 0) continue;
    LoadLanes(a, x.access, kT1, x86::ptr(x86::rcx, dword * 4));
    LoadLanes(a, x.access, kT2, x86::ptr(x86::rax, dword * 4));
    a.vblendvps(Y(p.result[dword]), Y(kT1), Y(kT2), Y(kT0));
    if (p.mask >= 0) a.vpand(Y(p.result[dword]), Y(p.result[dword]), Y(p.mask));
  }
}

}  // namespace gcnjit::backend::avx2
