#include "backend_x64/isa/avx512/rows.h"

#include "backend_x64/isa/avx512/indexed_lanes.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

void EmitRow(const IndexedAccess& x, int first, int count, const asmjit::Label& fail) {
  EmitFirstIndex(x, first);
  EmitExtension(x, (count * kLanes - 1) * static_cast<int>(x.Step()), fail);
  const int32_t highest = (count - 1) * kLanes * x.StepBytes();
  const x86::Mem begin = EmitRunAddress(x, /*is_wide=*/false, fail, /*lowest=*/0, highest);
  EmitMoves(x, first, count, begin);
}

void EmitRowLanes(const IndexedAccess& x, int first, int count) {
  x86::Assembler& a = x.region.a;
  for (int n = first; n < first + count; ++n) {
    EmitFirstIndex(x, n);
    ConstantPool::Vector steps;
    for (uint32_t lane = 0; lane < steps.size(); ++lane) steps[lane] = lane;
    a.vpbroadcastd(Z(kT2), x86::eax);
    a.vpaddd(Z(kT2), Z(kT2), x.region.constants.Whole(steps));
    EmitLanes(x, n, kT2);
    if (n + 1 != first + count) a.bind(x.parts[n].exits.done);
  }
}

}  // namespace gcnjit::backend::avx512
