#include "backend_x64/isa/avx2/indexed_parts.h"

#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/isa/avx2/indexed_lanes.h"
#include "backend_x64/isa/avx2/near_lanes.h"
#include "backend_x64/isa/avx2/overlapping.h"
#include "backend_x64/isa/avx2/runs.h"
#include "backend_x64/isa/avx2/streams.h"
#include "backend_x64/isa/avx2/two_runs.h"

namespace gcnjit::backend::avx2 {

namespace {

// One part whose lanes are not what was expected.
void EmitOtherwise(const IndexedAccess& x, int n, const asmjit::Label& entry,
                   const asmjit::Label& scattered) {
  x86::Assembler& a = x.region.a;
  a.bind(entry);
  if (MayBeTwoRuns(x)) {
    const asmjit::Label others = a.newLabel();
    EmitTwoRuns(x, n, others);
    a.jmp(x.parts[n].exits.done);
    a.bind(others);
  }
  if (!x.index.shape.is_known && MayBeNear(x, n)) {
    const asmjit::Label far = a.newLabel();
    EmitNear(x, n, far);
    a.jmp(x.parts[n].exits.done);
    a.bind(far);
  }
  if (MayBeScattered(x, n)) NoteScattered(x.region, x.site, scattered);
  EmitLanes(x, n, x.index.reg[n]);
}

}  // namespace

bool MayBeScattered(const IndexedAccess& x, int n) {
  return !x.is_store && !x.index.shape.is_known && !x.parts[n].stream;
}

void EmitPart(const IndexedAccess& x, int n, bool in_line) {
  x86::Assembler& a = x.region.a;
  const asmjit::Label otherwise = a.newLabel();
  const asmjit::Label scattered = a.newLabel();
  if (MayBeScattered(x, n)) EmitIfScattered(x.region, x.site, scattered);
  if (x.IsUniform(n)) {
    EmitUniform(x, n, otherwise);
  } else if (x.MayBeRun(n, 1)) {
    EmitRun(x, n, 1, otherwise);
  } else if (const int step =
                 x.is_store ? 0 : SpacedStep(x.access, x.index.shape, x.parts.Number(n));
             step != 0) {
    EmitSpaced(x, n, step, otherwise);
  } else if (MayBeNear(x, n)) {
    EmitNear(x, n, otherwise);
  } else {
    a.jmp(otherwise);
  }
  if (in_line) {
    a.bind(x.parts[n].exits.done);
    x.region.cold.push_back(
        [x, n, otherwise, scattered] { EmitOtherwise(x, n, otherwise, scattered); });
  } else {
    a.jmp(x.parts[n].exits.done);
    EmitOtherwise(x, n, otherwise, scattered);
    a.bind(x.parts[n].exits.done);
  }
}

void EmitParts(const IndexedAccess& x, const asmjit::Label&) {
  for (int n = 0; n < x.parts.count; ++n) EmitPart(x, n, /*in_line=*/false);
}

void EmitStreams(const IndexedAccess& x) {
  x86::Assembler& a = x.region.a;
  for (int n = 0; n < x.parts.count; ++n) {
    const asmjit::Label other = a.newLabel();
    EmitStreamRead(x.region, x.parts[n], other);
    a.jmp(x.parts[n].exits.done);
    a.bind(other);
    EmitPart(x, n, /*in_line=*/true);
    EmitStreamStep(x.region, *x.parts[n].stream);
  }
  PrepareStreamFill(x.region, x.access, kLanes, kT0);
}

}  // namespace gcnjit::backend::avx2
