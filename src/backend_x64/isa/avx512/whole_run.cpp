#include "backend_x64/isa/avx512/whole_run.h"

#include <algorithm>

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

namespace {

// All parts, of which all but one lie within two registers of an earlier load each: loads of
// neighbours would cross a cache line every time.
void EmitShifted(const IndexedAccess& x, const x86::Mem& begin) {
  const auto& [lanes, from] = *x.moves.shifted;
  AccessCode code(x.region);
  EmitLookahead(x, begin, x.parts.count * kLanes * 4);
  for (int n = 0; n < x.parts.count; ++n) {
    const int low = lanes > 0 ? n : n - 1;  // the first of the registers
    if (low < 0 || low + 1 == x.parts.count) {
      code.LoadRun(x.access, x.parts[n].mask, x.parts[n].result,
                   begin.cloneAdjusted(n * kLanes * 4));
    } else if (x.parts[n].result[0] >= 0) {
      OrZero(x.region.a, x.parts[n].mask)
          .valignd(Z(x.parts[n].result[0]), Z(from[low + 1]), Z(from[low]),
                   lanes > 0 ? lanes : kLanes + lanes);
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
  for (int n = 0; n < x.parts.count; ++n) {
    a.vmovntdq(begin.cloneAdjusted(n * kCacheLine), Z(x.parts[n].data[0]));
  }
  a.jmp(done);
  a.bind(in_caches);
  EmitMoves(x, 0, x.parts.count, begin);
  a.bind(done);
}

}  // namespace

x86::Mem RunAt(const IndexedAccess&, const x86::Gp& gpr, int32_t distance) {
  return x86::ptr(gpr, distance);
}

x86::Mem EmitWholeRunAddress(const IndexedAccess& x, const RunAddress& run,
                             const asmjit::Label& fail) {
  EmitRunIndex(x, 0, x.parts.count, run.last_index, fail);
  return EmitRunAddress(x, /*is_wide=*/x.parts.count > 1, fail, run.lowest, run.highest);
}

void EmitWholeRun(const IndexedAccess& x, const x86::Mem& begin) {
  if (x.moves.shifted) {
    EmitShifted(x, begin);
  } else if (x.moves.may_go_past_caches) {
    EmitPastCaches(x, begin);
  } else {
    EmitMoves(x, 0, x.parts.count, begin);
  }
}

void EmitRunByRuntime(const IndexedAccess& x, const asmjit::Label& done) {
  EmitFirstIndex(x, 0);
  PartAccess run[4];
  std::copy(std::begin(x.parts.of), std::end(x.parts.of), run);
  run[0].exits.done = done;
  EmitSlowRun(x.region, run, x.parts.count, x.base.Whole(), x.is_joined);
}

}  // namespace gcnjit::backend::avx512
