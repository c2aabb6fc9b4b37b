#include "backend_x64/isa/avx512/half_runs.h"

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/overlapping.h"
#include "backend_x64/isa/avx512/quadwords.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

namespace {

constexpr int kHalf = kLanes / 2;

int32_t StepOfHalves(const IndexedAccess& x) {
  if (x.halves.overlap != 0) return x.halves.overlap >> x.access.index_shift;
  return AccessCode::IsOfHalves(x.access) ? static_cast<int32_t>(x.access.IndexStep()) : 0;
}

bool IsTwoRuns(const IndexedAccess& x, int n) {
  const int32_t step = StepOfHalves(x);
  return step != 0 && !x.IsRun(n, 1) && x.halves.shape.IsRun(2 * n, 1, step) &&
         x.halves.shape.IsRun(2 * n + 1, 1, step);
}

bool IsTwoElements(const IndexedAccess& x, int n) {
  return !x.is_store && AccessCode::IsOfHalves(x.access) && !x.index.shape.IsUniform(n) &&
         x.halves.shape.IsUniform(2 * n) && x.halves.shape.IsUniform(2 * n + 1);
}

}  // namespace

bool IsHalves(const IndexedAccess& x, int n) { return IsTwoRuns(x, n) || IsTwoElements(x, n); }

// Both addresses are looked at before anything is moved. rcx: the first one, as rax is the second.
void EmitHalves(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const bool is_runs = IsTwoRuns(x, n);
  const int last = is_runs ? (kHalf - 1) * StepOfHalves(x) : 0;
  EmitFirstIndex(x, n);
  EmitExtension(x, last, fail);
  EmitRunAddress(x, /*is_wide=*/false, fail);
  a.vmovq(X(kT1), x86::rax);
  if (x.index.first_lane[n].hasBase()) {
    a.mov(x86::eax, x.index.first_lane[n].cloneAdjusted(kHalf * 4));
  } else {
    a.vextracti32x4(X(kT0), Z(x.index.reg[n]), 2);
    a.vmovd(x86::eax, X(kT0));
  }
  EmitExtension(x, last, fail);
  const x86::Mem high = EmitRunAddress(x, /*is_wide=*/false, fail);
  a.vmovq(x86::rcx, X(kT1));
  x86::Mem low = high;
  low.setBase(x86::rcx);
  AccessCode code(x.region);
  if (!is_runs) {
    code.BroadcastHalves(x.access, x.parts[n].mask, x.parts[n].result, low, high);
  } else if (x.is_store) {
    code.StoreHalfRuns(x.access, x.parts[n].mask, x.parts[n].data, low, high);
  } else if (x.halves.overlap != 0) {
    LoadOverlappingHalves(x.region, x.access, x.halves.overlap, x.parts[n].mask, x.parts[n].result,
                          low, high);
  } else {
    code.LoadHalfRuns(x.access, x.parts[n].mask, x.parts[n].result, low, high);
  }
}

void AccessCode::LoadHalfRuns(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                              const x86::Mem& low, const x86::Mem& high) {
  if (access.bytes == 8) {
    a.vmovdqu64(Z(kT0), low);
    a.vmovdqu64(Z(kT1), high);
    if (access.quadwords) {
      for (int n = 0; n < 2; ++n) {
        if (result[n] >= 0) MoveComponent(a, n, result[n], Z(n == 0 ? kT0 : kT1), mask);
      }
      return;
    }
    return SplitPairs(mask, kT0, kT1, result[0], result[1]);
  }
  if (result[0] < 0) return;
  if (access.bytes == 4) {
    a.vmovdqu32(Y(kT0), low);
    a.vinserti64x4(Z(kT0), Z(kT0), high, 1);
    OrZero(a, mask).vmovdqa32(Z(result[0]), Z(kT0));
    return;
  }
  if (access.bytes == 2) {
    a.vmovdqu32(X(kT0), low);
    a.vinserti32x4(Y(kT0), Y(kT0), high, 1);
    access.sign_extend ? OrZero(a, mask).vpmovsxwd(Z(result[0]), Y(kT0))
                       : OrZero(a, mask).vpmovzxwd(Z(result[0]), Y(kT0));
    return;
  }
  a.vmovq(X(kT0), low);
  a.vpinsrq(X(kT0), X(kT0), high, 1);
  access.sign_extend ? OrZero(a, mask).vpmovsxbd(Z(result[0]), X(kT0))
                     : OrZero(a, mask).vpmovzxbd(Z(result[0]), X(kT0));
}

void AccessCode::StoreHalfRuns(const ir::MemoryAccess& access, int mask, const int (&data)[4],
                               const x86::Mem& low, const x86::Mem& high) {
  if (mask >= 0) {
    CopyMask(a, kM0, mask);
    a.kshiftrw(K(kM1), K(kM0), kHalf);
  }
  const int low_mask = mask >= 0 ? kM0 : -1;
  const int high_mask = mask >= 0 ? kM1 : -1;
  if (access.bytes == 8) {
    JoinPairs(region_, 0, data[0], data[1], kT0);
    Under(a, low_mask).vmovdqu64(low, Z(kT0));
    JoinPairs(region_, 1, data[0], data[1], kT0);
    Under(a, high_mask).vmovdqu64(high, Z(kT0));
    return;
  }
  a.vextracti64x4(Y(kT0), Z(data[0]), 1);
  // Masked bits above 8 mean nothing to registers of 8 lanes.
  const auto store = [&](int of, const x86::Mem& at, int reg) {
    switch (access.bytes) {
      case 1: Under(a, of).vpmovdb(at, Y(reg)); return;
      case 2: Under(a, of).vpmovdw(at, Y(reg)); return;
      default: Under(a, of).vmovdqu32(at, Y(reg)); return;
    }
  };
  store(low_mask, low, data[0]);
  store(high_mask, high, kT0);
}

void AccessCode::BroadcastHalves(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                                 const x86::Mem& low, const x86::Mem& high) {
  if (access.bytes == 8) {  // one move for both dwords of an element
    a.vpbroadcastq(Y(kT0), low);
    a.vpbroadcastq(Y(kT1), high);
    a.vinserti64x4(Z(kT0), Z(kT0), Y(kT1), 1);
    for (int n = 0; n < 2; ++n) {
      if (result[n] >= 0) OrZero(a, mask).vpshufd(Z(result[n]), Z(kT0), n == 0 ? 0xA0 : 0xF5);
    }
    if (access.quadwords) JoinDwords(region_, result);
    return;
  }
  if (result[0] < 0) return;
  switch (access.bytes) {
    case 1:
      a.vpbroadcastb(X(kT0), low);
      a.vpbroadcastb(X(kT1), high);
      a.vpunpcklqdq(X(kT0), X(kT0), X(kT1));
      access.sign_extend ? OrZero(a, mask).vpmovsxbd(Z(result[0]), X(kT0))
                         : OrZero(a, mask).vpmovzxbd(Z(result[0]), X(kT0));
      return;
    case 2:
      a.vpbroadcastw(X(kT0), low);
      a.vpbroadcastw(X(kT1), high);
      a.vinserti32x4(Y(kT0), Y(kT0), X(kT1), 1);
      access.sign_extend ? OrZero(a, mask).vpmovsxwd(Z(result[0]), Y(kT0))
                         : OrZero(a, mask).vpmovzxwd(Z(result[0]), Y(kT0));
      return;
    default:
      a.vpbroadcastd(Y(kT0), low);
      a.vpbroadcastd(Y(kT1), high);
      a.vinserti64x4(Z(kT0), Z(kT0), Y(kT1), 1);
      OrZero(a, mask).vmovdqa32(Z(result[0]), Z(kT0));
  }
}

}  // namespace gcnjit::backend::avx512
