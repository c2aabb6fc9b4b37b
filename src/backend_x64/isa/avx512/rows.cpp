#include "backend_x64/isa/avx512/rows.h"

#include <algorithm>

#include "backend_x64/emit/row_addresses.h"
#include "backend_x64/isa/avx512/indexed_lanes.h"
#include "backend_x64/isa/avx512/runs.h"

namespace gcnjit::backend::avx512 {

namespace {

// One row.
void EmitRow(const IndexedAccess& x, int first, int count, const asmjit::Label& fail) {
  EmitFirstIndex(x, first);
  EmitExtension(x, (count * kLanes - 1) * static_cast<int>(x.Step()), fail);
  const int32_t highest = (count - 1) * kLanes * x.StepBytes();
  const x86::Mem begin = EmitRunAddress(x, /*is_wide=*/false, fail, /*lowest=*/0, highest);
  EmitMoves(x, first, count, begin);
}

// What is not within the window, or wraps around: lane by lane.
void EmitRowLanes(const IndexedAccess& x, int first, int count) {
  x86::Assembler& a = x.region.a;
  for (int n = first; n < first + count; ++n) {
    EmitFirstIndex(x, n);
    ConstantPool::Vector steps;
    for (uint32_t lane = 0; lane < steps.size(); ++lane) steps[lane] = lane;
    a.vpbroadcastd(Z(kT2), x86::eax);
    a.vpaddd(Z(kT2), Z(kT2), x.region.constants.Whole(steps));
    EmitLanes(x, n, kT2);
    if (n + 1 != first + count) a.bind(x.part[n].done);
  }
}

}  // namespace

void EmitRowsInPlane(const IndexedAccess& x, const PlaceInPlane& place, AccessGuard& guard) {
  const asmjit::Label outside = x.region.a.newLabel();
  const int count = std::min(x.parts, x.late->row_lanes / kLanes);
  const asmjit::Label done = x.region.a.newLabel();
  guard.ResumeAt(outside);
  place.EmitAddress(x.region.a, *x.late, x.Number(0) * kLanes, outside);
  for (int n = 0; n < x.parts; n += count) {
    if (n != 0) x.region.a.add(x86::rax, place.step);
    EmitMoves(x, n, count);
  }
  x.region.a.bind(done);
  x.region.cold.push_back([x, count, outside, done] {
    x.region.a.bind(outside);
    for (int n = 0; n < x.parts; n += count) {
      const asmjit::Label lanes = x.region.a.newLabel();
      const asmjit::Label& next = x.part[n + count - 1].done;
      EmitRow(x, n, count, lanes);
      x.region.a.jmp(next);
      x.region.a.bind(lanes);
      EmitRowLanes(x, n, count);
      x.region.a.bind(next);
    }
    x.region.a.jmp(done);
  });
}

void EmitRows(const IndexedAccess& x, std::optional<int> step) {
  const int count = std::min(x.parts, x.late->row_lanes / kLanes);
  const int together = step ? x.parts : count;
  for (int first = 0; first < x.parts; first += together) {
    const asmjit::Label otherwise = x.region.a.newLabel();
    if (together > count) {
      EmitRowsAddress(x, *x.late, together / count, count * kLanes, Gp(*step, true), otherwise);
      for (int n = first; n < first + together; n += count) {
        if (n != first) x.region.a.add(x86::rax, Gp(*step, true));
        EmitMoves(x, n, count);
      }
    } else {
      EmitRow(x, first, count, otherwise);
    }
    x.region.a.bind(x.part[first + together - 1].done);
    x.region.cold.push_back([x, first, together, otherwise] {
      x.region.a.bind(otherwise);
      EmitRowLanes(x, first, together);
    });
  }
}

}  // namespace gcnjit::backend::avx512
