// Accesses of which each row of lanes is a run.
#include <algorithm>

#include "backend_x64/emit/row_addresses.h"
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// Of a plane.
void IndexedAccess::EmitRowsInPlane(AccessGuard& guard) const {
  const asmjit::Label outside = region.a.newLabel();
  const int count = std::min(parts, late->row_lanes / kLanes);
  const asmjit::Label done = region.a.newLabel();
  guard.ResumeAt(outside);
  in_plane->EmitAddress(region.a, *late, /*lane=*/0, outside);
  for (int n = 0; n < parts; n += count) {
    if (n != 0) region.a.add(x86::rax, in_plane->step);
    EmitMoves(n, count);
  }
  region.a.bind(done);
  region.cold.push_back([*this, count, outside, done] {
    region.a.bind(outside);
    for (int n = 0; n < parts; n += count) {
      const asmjit::Label lanes = region.a.newLabel();
      const asmjit::Label& next = part[n + count - 1].done;
      EmitRow(n, count, lanes);
      region.a.jmp(next);
      region.a.bind(lanes);
      EmitRowLanes(n, count);
      region.a.bind(next);
    }
    region.a.jmp(done);
  });
}

// One row.
void IndexedAccess::EmitRow(int first, int count, const asmjit::Label& fail) const {
  IndexedAccess row = *this;
  row.highest = (count - 1) * kLanes * StepBytes();
  EmitFirstIndex(first);
  EmitExtension((count * kLanes - 1) * static_cast<int>(Step()), fail);
  row.EmitRunAddress(/*is_wide=*/false, fail);
  EmitMoves(first, count);
}

// All rows at once, if there is a register for what lies between them, else one by one.
void IndexedAccess::EmitRows(std::optional<int> step) const {
  const int count = std::min(parts, late->row_lanes / kLanes);
  const int together = step ? parts : count;
  for (int first = 0; first < parts; first += together) {
    const asmjit::Label otherwise = region.a.newLabel();
    if (together > count) {
      EmitRowsAddress(*this, *late, together / count, count * kLanes, Gp(*step, true), otherwise);
      for (int n = first; n < first + together; n += count) {
        if (n != first) region.a.add(x86::rax, Gp(*step, true));
        EmitMoves(n, count);
      }
    } else {
      EmitRow(first, count, otherwise);
    }
    region.a.bind(part[first + together - 1].done);
    region.cold.push_back([*this, first, together, otherwise] {
      region.a.bind(otherwise);
      EmitRowLanes(first, together);
    });
  }
}

// What is not within the window, or wraps around: lane by lane.
void IndexedAccess::EmitRowLanes(int first, int count) const {
  x86::Assembler& a = region.a;
  for (int n = first; n < first + count; ++n) {
    IndexedAccess lanes = *this;
    lanes.index[n] = kT2;
    EmitFirstIndex(n);
    ConstantPool::Vector steps;
    for (uint32_t lane = 0; lane < steps.size(); ++lane) steps[lane] = lane;
    a.vpbroadcastd(Z(kT2), x86::eax);
    a.vpaddd(Z(kT2), Z(kT2), region.constants.Whole(steps));
    lanes.EmitLanes(n);
    if (n + 1 != first + count) a.bind(part[n].done);
  }
}

}  // namespace gcnjit::backend::avx512
