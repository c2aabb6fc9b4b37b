#include "backend_x64/isa/avx2/rows.h"

#include <algorithm>

#include "backend_x64/isa/avx2/indexed_lanes.h"
#include "backend_x64/isa/avx2/runs.h"

namespace gcnjit::backend::avx2 {

void EmitRow(const IndexedAccess& x, int first, int count, const asmjit::Label& fail) {
  EmitFirstIndex(x, first);
  EmitAddressOf(x, (count * kLanes - 1) * static_cast<int>(x.Step()), fail);
  // A window's end for runs is that of 16 lanes.
  const int beyond = std::max(count * kLanes - kMaxPartLanes, 0) * x.StepBytes();
  EmitRunWindowCheck(x, /*count=*/1, fail, /*lowest=*/0, beyond);
  EmitMoves(x, first, count);
}

void EmitRowLanes(const IndexedAccess& x, int first, int count) {
  x86::Assembler& a = x.region.a;
  for (int n = first; n < first + count; ++n) {
    EmitFirstIndex(x, n);
    ConstantPool::Vector steps;
    for (uint32_t lane = 0; lane < steps.size(); ++lane) steps[lane] = lane;
    a.vmovd(X(kT2), x86::eax);
    a.vpbroadcastd(Y(kT2), X(kT2));
    a.vpaddd(Y(kT2), Y(kT2), x.region.constants.Whole(steps));
    EmitLanes(x, n, kT2);
    if (n + 1 != first + count) a.bind(x.parts[n].exits.done);
  }
}

}  // namespace gcnjit::backend::avx2
