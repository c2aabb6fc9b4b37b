#include "backend_x64/isa/avx2/whole_run.h"

#include <algorithm>

#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/isa/avx2/indexed_parts.h"
#include "backend_x64/isa/avx2/runs.h"

namespace gcnjit::backend::avx2 {

namespace {

// A store of all parts, of cache lines or halves of them. May change rax.
void EmitPastCaches(const IndexedAccess& x) {
  x86::Assembler& a = x.region.a;
  const asmjit::Label in_caches = a.newLabel();
  const asmjit::Label done = a.newLabel();
  EmitPastCachesCheck(a, in_caches);
  for (int n = 0; n < x.parts.count; ++n) {
    a.vmovntdq(x86::ptr(x86::rax, n * kLanes * 4), Y(x.parts[n].data[0]));
  }
  a.jmp(done);
  a.bind(in_caches);
  EmitMoves(x, 0, x.parts.count);
  a.bind(done);
}

}  // namespace

x86::Mem RunAt(const IndexedAccess& x, const x86::Gp& gpr, int32_t distance) {
  x.region.a.lea(x86::rax, x86::ptr(gpr, distance));
  return x86::ptr(x86::rax);
}

x86::Mem EmitWholeRunAddress(const IndexedAccess& x, const RunAddress& run,
                             const asmjit::Label& fail) {
  if (MayBeScattered(x, 0)) EmitIfScattered(x.region, x.site, fail);
  EmitRunAddress(x, 0, x.parts.count, run.last_index, fail);
  EmitRunWindowCheck(x, x.parts.count, fail, run.lowest, run.highest);
  return x86::ptr(x86::rax);
}

void EmitWholeRun(const IndexedAccess& x, const x86::Mem&) {
  x.moves.may_go_past_caches ? EmitPastCaches(x) : EmitMoves(x, 0, x.parts.count);
}

void EmitRunByRuntime(const IndexedAccess& x, const asmjit::Label& done) {
  EmitFirstIndex(x, 0);
  PartAccess run[4];
  std::copy(std::begin(x.parts.of), std::end(x.parts.of), run);
  run[0].exits.done = done;
  EmitSlowRun(x.region, run, x.parts.count, x.base.Whole(), x.is_joined);
}

}  // namespace gcnjit::backend::avx2
