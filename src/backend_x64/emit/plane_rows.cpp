#include "backend_x64/emit/plane_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "backend_x64/plan/scalar_sums.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// What is read, at most, where 16 lanes have consecutive elements.
int32_t ReadFrom(const ir::MemoryAccess& access) {
  return kMaxPartLanes * access.bytes + (access.bytes == 12 ? 4 : 0);
}

}  // namespace

void PlaceInPlane::EmitAddress(x86::Assembler& a, const LateIndex& late, int lane,
                               const asmjit::Label& outside) const {
  a.mov(x86::rax, begin);
  a.test(x86::rax, x86::rax);
  a.jz(outside);
  const int of_lane = row + lane / late.row_lanes;
  if (late.slice_lanes != ir::kLanes && late.IsOfRows()) {
    a.mov(x86::edx, x86::r15d);  // eighths of the lanes before the slice
    if (late.row_lanes != 8) {
      a.shr(x86::edx, std::countr_zero(static_cast<uint32_t>(late.row_lanes)) - 3);
    }
    if (of_lane != 0) a.add(x86::edx, of_lane);
    a.imul(x86::rdx, step);
    a.add(x86::rax, x86::rdx);
  } else if (of_lane == 1) {
    a.add(x86::rax, step);
  } else if (of_lane != 0) {
    a.imul(x86::rdx, step, of_lane);
    a.add(x86::rax, x86::rdx);
  }
  const int more = bytes + lane % late.row_lanes * element_bytes;
  if (late.slice_lanes < late.row_lanes) {
    a.mov(x86::edx, x86::r15d);
    if (late.IsOfRows()) a.and_(x86::edx, late.row_lanes / 8 - 1);
    if (element_bytes > 1) a.shl(x86::edx, std::countr_zero(static_cast<uint32_t>(element_bytes)));
    a.lea(x86::rax, x86::ptr(x86::rax, x86::rdx, 3, more));
  } else if (more != 0) {
    a.add(x86::rax, more);
  }
}

PlaneRows::PlaneRows(RegionAssembler& region, Cursor& at, ValueMemory& memory, BlockSites& sites,
                     ContiguousAccesses& runs)
    : a(region.a),
      region_(region),
      at_(at),
      block_(at.block),
      memory_(memory),
      sites_(sites),
      runs_(runs) {}

void PlaneRows::Find() {
  if (block_.plan.loop || ir::WaveOf(block_.source.begin) < 0) return;  // of group code
  ScalarSums sums(block_.function);
  for (size_t stage = 0; stage < block_.plan.stages.size(); ++stage) {
    at_.parts = block_.plan.stages[stage].slice_parts;
    for (const Value v : block_.plan.stages[stage].lane_ops) {
      if (const auto rows = runs_.RowsOf(v)) Take(v, *rows, static_cast<int>(stage), sums);
    }
  }
  for (Plane& plane : planes_) {
    // Where slices are waves, as much code finds one row's address anew as takes it from memory.
    const bool is_wave = block_.plan.stages[plane.stage].slice_parts * block_.lanes == ir::kLanes;
    plane.is_wanted = plane.accesses > 1 && (plane.step || !is_wave);
    if (!plane.is_wanted || !plane.step) continue;
    memory_[plane.step].is_kept = true;
    memory_[plane.step].is_for_lanes = true;
  }
  std::erase_if(members_,
                [this](const auto& member) { return !planes_[member.second.plane].is_wanted; });
}

// In a plane, if all is the same but where the rows begin. May give the plane its step.
std::optional<PlaneRows::Place> PlaneRows::PlaceIn(Plane& plane, Value v,
                                                   const ContiguousAccesses::Rows& to,
                                                   ScalarSums& sums) const {
  constexpr int32_t kMostRows = 4096;
  const Inst& x = block_.function[plane.first];
  const Inst& y = block_.function[v];
  const ContiguousAccesses::Rows& from = plane.rows_of_first;
  if (x.args[1] != y.args[1] || from.step != to.step || from.lanes != to.lanes ||
      x.access().index_shift != y.access().index_shift ||
      x.access().index_signed != y.access().index_signed) {
    return std::nullopt;
  }
  Value step = plane.step;
  if (!step) {
    step = sums.StepBetween(from.first, to.first);
    if (step && !IsReady(step, plane.stage)) return std::nullopt;
  }
  const auto distance = sums.Between(from.first, to.first, step);
  if (!distance) return std::nullopt;
  const auto element =
      static_cast<int32_t>(static_cast<uint32_t>(distance->rest) + to.constant - from.constant);
  if (distance->steps >= kMostRows || distance->steps <= -kMostRows) return std::nullopt;
  if (element >= ir::kMaxLaneOffset || element <= -ir::kMaxLaneOffset) return std::nullopt;
  plane.step = step;
  return Place{distance->steps, element};
}

// Is the scalar known before the slices of a stage?
bool PlaneRows::IsReady(Value scalar, int stage) const {
  return block_.function[scalar].type == ir::Type::kU32 && block_.plan.stage_of[scalar.id] <= stage;
}

// Into the first plane that it may be in, or one of its own.
void PlaneRows::Take(Value v, const ContiguousAccesses::Rows& rows, int stage, ScalarSums& sums) {
  constexpr size_t kMost = 64;
  const Inst& inst = block_.function[v];
  size_t number = 0;
  std::optional<Place> place;
  for (; number < planes_.size() && !place; ++number) {
    place = PlaceIn(planes_[number], v, rows, sums);
  }
  const int32_t element_bytes = 1 << inst.access().index_shift;
  const auto imm = static_cast<int32_t>(inst.imm);
  if (place) {
    --number;
  } else if (planes_.size() == kMost) {
    return;
  } else {
    place = Place{};
    planes_.push_back({v, v, rows, rows.step, stage, /*accesses=*/0, {}, {}, imm, imm});
  }
  Plane& plane = planes_[number];
  ++plane.accesses;
  const int32_t bytes = place->element * element_bytes + imm;
  members_[v.id] = {number, place->row, bytes};
  plane.rows.Include(place->row);
  plane.rows.Include(place->row + ir::kLanes / rows.lanes - 1);
  plane.elements.Include(place->element);
  plane.elements.Include(place->element + rows.lanes - 1);
  plane.begin = std::min(plane.begin, bytes);
  // A window's end is that of 16 lanes, and of what is read beyond them.
  plane.end = std::max(plane.end, bytes + std::max(rows.lanes - kMaxPartLanes, 0) * element_bytes +
                                      ReadFrom(inst.access()));
  const bool is_store = block_.function[plane.looked_at].op == Op::kStore;
  if (inst.op == Op::kStore && !is_store) plane.looked_at = v;
}

void PlaneRows::Emit() {
  for (Plane& plane : planes_) {
    if (plane.stage != at_.stage || !plane.is_wanted) continue;
    plane.slots.begin = region_.frame.slots.Take();
    plane.slots.step = region_.frame.slots.Take();
    region_.Note(plane.first);
    EmitLook(plane);
  }
}

void PlaneRows::Free() {
  for (const Plane& plane : planes_) {
    if (!plane.is_wanted) continue;
    region_.frame.slots.Free(plane.slots.begin);
    region_.frame.slots.Free(plane.slots.step);
  }
}

void PlaneRows::EmitLook(const Plane& plane) {
  const Inst& inst = block_.function[plane.first];
  const ir::MemoryAccess access = inst.access();
  const ContiguousAccesses::Rows& rows = plane.rows_of_first;
  x86::Mem begin = memory_.Slot(plane.slots.begin);
  begin.setSize(8);
  const asmjit::Label outside = a.newLabel();
  const asmjit::Label done = a.newLabel();
  if (access.index_signed && rows.constant == 0) {
    a.movsxd(x86::rax, memory_.Scalar32(rows.first));
  } else {
    a.mov(x86::eax, memory_.Scalar32(rows.first));
    if (rows.constant != 0) a.add(x86::eax, static_cast<int32_t>(rows.constant));
    if (access.index_signed) a.movsxd(x86::rax, x86::eax);
  }
  if (plane.step) {
    a.movsxd(x86::rcx, memory_.Scalar32(plane.step));
    if (plane.rows.lowest != 0) {
      a.imul(x86::rdx, x86::rcx, plane.rows.lowest);
      a.add(x86::rax, x86::rdx);
    }
    a.imul(x86::rdx, x86::rcx, plane.rows.highest - plane.rows.lowest);
    a.add(x86::rdx, x86::rax);
    if (access.index_shift != 0) a.shl(x86::rcx, access.index_shift);
    a.mov(memory_.Slot(plane.slots.step), x86::rcx);
  }
  EmitNoWrap(plane, outside);
  for (const x86::Gp& index : EndsOf(plane)) {
    if (access.index_shift != 0) a.shl(index, access.index_shift);
    a.add(index, memory_.Scalar64(inst.args[1]));
  }
  a.mov(begin, x86::rax);
  const uint32_t window = sites_.AddEarly(plane.looked_at).index;
  const auto field = [&](size_t offset) {
    return x86::qword_ptr(x86::rcx, static_cast<int32_t>(window * sizeof(MemoryWindow) + offset));
  };
  // From where the first 16 lanes begin to where the last ones do.
  const int32_t span =
      plane.end - ReadFrom(block_.function[plane.looked_at].access()) - plane.begin;
  a.mov(x86::rcx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  for (const x86::Gp& row : EndsOf(plane)) {
    a.sub(row, field(offsetof(MemoryWindow, base)));
    if (plane.begin != 0) a.add(row, plane.begin);
    a.cmp(row, field(offsetof(MemoryWindow, run_end)));
    a.jae(outside);
    if (span <= 0) continue;
    a.add(row, span);
    a.cmp(row, field(offsetof(MemoryWindow, run_end)));
    a.jae(outside);
  }
  a.bind(done);
  region_.cold.push_back([&region = region_, begin, outside, done] {
    region.a.bind(outside);
    region.a.mov(begin, 0);
    region.a.jmp(done);
  });
}

// rax and rdx: the first access's index in the first and in the last row, in 64 bits. No index of
// an access differs from what it is in 32 bits; those in between are between these, whatever the
// sign of the step. Changes rcx.
void PlaneRows::EmitNoWrap(const Plane& plane, const asmjit::Label& fail) {
  const auto [lowest, highest] = plane.elements;
  if (block_.function[plane.first].access().index_signed) {
    for (const x86::Gp& index : EndsOf(plane)) {
      a.cmp(index, std::numeric_limits<int32_t>::max() - highest);
      a.jg(fail);
      // It has been extended.
      if (index == x86::rax && lowest == 0 && plane.rows.lowest == 0) continue;
      a.cmp(index, std::numeric_limits<int32_t>::min() - lowest);
      a.jl(fail);
    }
    return;
  }
  a.mov(x86::ecx, -1 - highest);
  for (const x86::Gp& index : EndsOf(plane)) {
    a.cmp(index, x86::rcx);
    a.ja(fail);  // or below 0
    if (lowest == 0) continue;
    a.cmp(index, -lowest);
    a.jb(fail);
  }
}

std::span<const x86::Gp> PlaneRows::EndsOf(const Plane& plane) {
  static const std::array<x86::Gp, 2> kEnds = {x86::rax, x86::rdx};
  return std::span(kEnds).first(plane.step ? 2 : 1);
}

bool PlaneRows::AreInOne(Value access, Value other) const {
  const auto first = members_.find(access.id);
  const auto second = members_.find(other.id);
  return first != members_.end() && second != members_.end() &&
         first->second.plane == second->second.plane;
}

std::optional<PlaceInPlane> PlaneRows::PlaceOf(Value access) const {
  const auto found = members_.find(access.id);
  if (found == members_.end()) return std::nullopt;
  const Member& member = found->second;
  const Plane& plane = planes_[member.plane];
  return PlaceInPlane{memory_.Slot(plane.slots.begin), memory_.Slot(plane.slots.step),
                      member.row - plane.rows.lowest, member.bytes,
                      1 << block_.function[access].access().index_shift};
}

}  // namespace gcnjit::backend
