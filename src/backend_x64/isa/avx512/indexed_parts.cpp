#include "backend_x64/isa/avx512/indexed_parts.h"

#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/isa/avx512/half_runs.h"
#include "backend_x64/isa/avx512/indexed_lanes.h"
#include "backend_x64/isa/avx512/near_lanes.h"
#include "backend_x64/isa/avx512/overlapping.h"
#include "backend_x64/isa/avx512/permutation_cache.h"
#include "backend_x64/isa/avx512/runs.h"
#include "backend_x64/isa/avx512/streams.h"
#include "backend_x64/isa/avx512/two_runs.h"

namespace gcnjit::backend::avx512 {

namespace {

// A load that is tried in several ways.
bool MayBeScattered(const IndexedAccess& x, int n) {
  return !x.is_store && !x.index.shape.is_known && !IsHalves(x, n) && !x.parts[n].stream;
}

// What costs more, and is tried out of line.
void EmitOtherwise(const IndexedAccess& x, int n, const asmjit::Label& entry) {
  x86::Assembler& a = x.region.a;
  const asmjit::Label scattered = a.newLabel();
  a.bind(entry);
  if (MayBeScattered(x, n)) EmitIfScattered(x.region, x.site, scattered);
  if (MayBeTwoRuns(x)) {
    const asmjit::Label others = a.newLabel();
    EmitTwoRuns(x, n, others);
    a.jmp(x.parts[n].exits.done);
    a.bind(others);
  }
  if (!x.is_store && !x.index.shape.is_known) {
    const asmjit::Label different = a.newLabel();
    EmitUniform(x, n, different);
    a.jmp(x.parts[n].exits.done);
    a.bind(different);
  }
  if (MayBeNear(x)) {
    const asmjit::Label far = a.newLabel();
    EmitNear(x, n, far);
    a.jmp(x.parts[n].exits.done);
    a.bind(far);
  }
  if (MayBeScattered(x, n)) NoteScattered(x.region, x.site, scattered);
  EmitLanes(x, n, x.index.reg[n]);
}

}  // namespace

void EmitPart(const IndexedAccess& x, int n, bool in_line) {
  x86::Assembler& a = x.region.a;
  const asmjit::Label otherwise = a.newLabel();
  if (x.IsUniform(n)) {
    EmitUniform(x, n, otherwise);
  } else if (IsHalves(x, n)) {
    EmitHalves(x, n, otherwise);
  } else if (x.MayBeRun(n, 1)) {
    EmitRun(x, n, 1, otherwise);
  } else if (const int step =
                 x.is_store ? 0 : SpacedStep(x.access, x.index.shape, x.parts.Number(n));
             step != 0) {
    EmitSpaced(x, n, step, otherwise);
  } else {
    a.jmp(otherwise);
  }
  if (in_line) {
    a.bind(x.parts[n].exits.done);
    x.region.cold.push_back([x, n, otherwise] { EmitOtherwise(x, n, otherwise); });
  } else {
    a.jmp(x.parts[n].exits.done);
    EmitOtherwise(x, n, otherwise);
    a.bind(x.parts[n].exits.done);
  }
}

void EmitParts(const IndexedAccess& x, const asmjit::Label& done) {
  if (MayLearn(x)) EmitLearned(x, done);
  for (int n = 0; n < x.parts.count; ++n) EmitPart(x, n, /*in_line=*/false);
}

void EmitStreams(const IndexedAccess& x) {
  for (int p = 0; p < x.parts.count; ++p) {
    if (!x.parts[p].stream) continue;
    const asmjit::Label other = x.region.a.newLabel();
    EmitStreamRead(x.region, x.parts[p], other);
    x.region.a.jmp(x.parts[p].exits.done);
    x.region.a.bind(other);
    EmitPart(x, p, /*in_line=*/true);
    EmitStreamStep(x.region, *x.parts[p].stream);
  }
  PrepareStreamFill(x.region, x.access, kLanes, kT0);
}

}  // namespace gcnjit::backend::avx512
