#include "backend_x64/isa/avx512/whole_run.h"

#include <algorithm>

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

namespace {

// All parts, of which all but one lie within two registers of an earlier load each: loads of
// neighbours would cross a cache line every time.
void EmitShifted(const IndexedAccess& x, const x86::Mem& begin) {
  AccessCode code(x.region);
  if (x.lookahead) {
    EmitPrefetch(x.region.a, *x.region.options.tuning, *x.lookahead, x.lookahead_memory, begin,
                 x.access.index_shift, x.parts * kLanes * 4, x.is_store);
  }
  for (int n = 0; n < x.parts; ++n) {
    const int low = x.shift > 0 ? n : n - 1;  // the first of the registers
    if (low < 0 || low + 1 == x.parts) {
      code.LoadRun(x.access, x.part[n].mask, x.part[n].result, begin.cloneAdjusted(n * kLanes * 4));
    } else if (x.part[n].result[0] >= 0) {
      OrZero(x.region.a, x.part[n].mask)
          .valignd(Z(x.part[n].result[0]), Z(x.shift_from[low + 1]), Z(x.shift_from[low]),
                   x.shift > 0 ? x.shift : kLanes + x.shift);
    }
  }
}

// A store of all parts, of whole cache lines if they are aligned.
void EmitPastCaches(const IndexedAccess& x, const x86::Mem& begin) {
  x86::Assembler& a = x.region.a;
  const asmjit::Label in_caches = a.newLabel();
  const asmjit::Label done = a.newLabel();
  if (begin.baseId() != x86::rax.id()) a.lea(x86::rax, begin);
  EmitPastCachesCheck(a, in_caches);
  for (int n = 0; n < x.parts; ++n) {
    a.vmovntdq(begin.cloneAdjusted(n * kCacheLine), Z(x.part[n].data[0]));
  }
  a.jmp(done);
  a.bind(in_caches);
  EmitMoves(x, 0, x.parts, begin);
  a.bind(done);
}

}  // namespace

x86::Mem RunAt(const IndexedAccess&, const x86::Gp& gpr, int32_t distance) {
  return x86::ptr(gpr, distance);
}

x86::Mem EmitWholeRunAddress(const IndexedAccess& x, const RunAddress& run,
                             const asmjit::Label& fail) {
  EmitRunIndex(x, 0, x.parts, run.last_index, fail);
  return EmitRunAddress(x, /*is_wide=*/x.parts > 1, fail, run.lowest, run.highest);
}

void EmitWholeRun(const IndexedAccess& x, const x86::Mem& begin) {
  if (x.shift != 0) {
    EmitShifted(x, begin);
  } else if (x.may_go_past_caches) {
    EmitPastCaches(x, begin);
  } else {
    EmitMoves(x, 0, x.parts, begin);
  }
}

void EmitRunByRuntime(const IndexedAccess& x, const asmjit::Label& done) {
  EmitFirstIndex(x, 0);
  PartAccess run[4];
  std::copy(std::begin(x.part), std::end(x.part), run);
  run[0].done = done;
  EmitSlowRun(x.region, run, x.parts, x.WholeBase());
}

}  // namespace gcnjit::backend::avx512
