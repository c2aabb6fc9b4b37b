#include "differential/kernel_loops.h"

#include <algorithm>

namespace gcnjit::differential {

using frontend::kCodeExecLo;
using frontend::kCodeVccLo;

void KernelLoops::Add(uint32_t depth) {
  const int unit = w_.BeginUnit();
  Loop loop;
  loop.depth = depth;
  constexpr int kWeights[] = {45, 15, 25, 15};
  loop.kind = static_cast<Kind>(random_.Weighted(kWeights));
  loop.is_guarded = random_.Percent(18);
  loop.has_atomics = random_.Percent(12);
  loop.has_scalars = random_.Percent(12);
  ChooseTrips(loop);
  const uint32_t pointers = kPointers + 4 * depth;
  loop.streams.push_back(RandomLoad(loop, pointers));
  for (uint32_t n = random_.Below(3); n > 0; --n) {
    const uint32_t vgpr = n == 1 ? pointers + 2 : kExtraPointers + 2 * depth;
    const bool stores = random_.Percent(45);
    loop.streams.push_back(stores ? RandomStore(loop, vgpr) : RandomLoad(loop, vgpr));
  }
  if (loop.has_scalars) w_.Add(w_.assembler().Sop1(Opcode::S_MOV_B64, kWalk, Sgpr(kInput)));
  switch (loop.kind) {
    case Kind::kTestedFirst: TestedFirst(loop); break;
    case Kind::kOfLanes: OfLanes(loop); break;
    case Kind::kCounted:
    case Kind::kLeftEarly: Counted(loop); break;
  }
  w_.SetUnit(unit);
}

void KernelLoops::ChooseTrips(Loop& loop) {
  loop.most_trips = w_.most_trips(loop.depth);
  if (random_.Percent(65)) {
    loop.trips = Sgpr(loop.depth == 0 ? kTrips : kInnerTrips);
  } else {
    loop.most_trips = random_.Between(1, std::max(loop.most_trips, 1u));
    loop.trips = Constant(loop.most_trips);
  }
}

// ---- The loops

void KernelLoops::Body(Loop& loop) {
  const Assembler& a = w_.assembler();
  const bool steps_first = random_.Percent(10);
  if (steps_first) StepOn(loop);
  int skip = -1;
  if (loop.is_guarded) {
    const uint32_t what = random_.Pick({kGlobal, kGlobal, kLocal, w_.RandomSum()});
    w_.Add(a.Vopc(random_.Pick({Opcode::V_CMP_GT_U32, Opcode::V_CMP_LE_U32}), Sgpr(kBound), what));
    w_.Add(a.Sop1(Opcode::S_AND_SAVEEXEC_B64, kInnerExec, kVcc));
    if (random_.Percent(70)) skip = w_.Branch(Opcode::S_CBRANCH_EXECZ);
  }
  for (const Stream& stream : loop.streams) {
    if (!stream.stores) {
      Load(loop, stream, kLoaded);
      w_.Combine(kLoaded + random_.Below(std::max(BytesOf(stream.access) / 4, 1u)));
      continue;
    }
    if (random_.Percent(40)) {  // what it has stored before
      p_.At(stream.pointer, Access::kLoadDword, kTemp);
      w_.Combine(kTemp);
    }
    p_.At(stream.pointer, stream.access, w_.RandomSum(), stream.offset);
  }
  w_.RandomVectors(random_.Percent(40) ? random_.Between(1, 3) : 0);
  if (loop.has_scalars) ScalarLoad();
  if (loop.has_atomics) Atomic();
  if (skip >= 0) w_.TargetHere(skip);
  if (loop.is_guarded) w_.Scalar(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(kInnerExec));
  if (loop.kind == Kind::kLeftEarly) {
    w_.Add(a.Vopc(random_.Pick({Opcode::V_CMP_GT_U32, Opcode::V_CMP_GT_I32}),
                  Literal(random_.Word() >> random_.Below(32)), random_.Below(4)));
    w_.Scalar(Opcode::S_ANDN2_B64, kCodeExecLo, kExec, kVcc);
    loop.leaves = w_.Branch(Opcode::S_CBRANCH_EXECZ);
  }
  if (loop.depth == 0 && random_.Percent(12)) Add(1);
  if (!steps_first) StepOn(loop);
}

void KernelLoops::Counted(Loop& loop) {
  const Assembler& a = w_.assembler();
  const uint32_t counter = loop.counter();
  const uint32_t form = random_.Below(4);
  const bool counts_up = form < 2;
  const Source from = counts_up ? Inline(0) : loop.trips;
  w_.Add(a.Sop1(Opcode::S_MOV_B32, counter, from));
  w_.Add(a.Sop1(Opcode::S_MOV_B64, loop.saved(), kExec));
  int skip = -1;
  if (loop.trips.code < 128) {
    w_.Add(a.Sopc(Opcode::S_CMP_LT_I32, loop.trips, Inline(1)));
    skip = w_.Branch(Opcode::S_CBRANCH_SCC1);
  }
  const int begin = w_.here();
  Body(loop);
  Opcode branch = Opcode::S_CBRANCH_SCC1;
  switch (form) {
    case 0:
      w_.Scalar(Opcode::S_ADD_U32, counter, Sgpr(counter), Inline(1));
      w_.Add(a.Sopc(Opcode::S_CMP_LT_U32, Sgpr(counter), loop.trips));
      break;
    case 1:
      w_.Scalar(Opcode::S_ADD_I32, counter, Sgpr(counter), Inline(1));
      w_.Add(a.Sopc(Opcode::S_CMP_GE_I32, Sgpr(counter), loop.trips));
      branch = Opcode::S_CBRANCH_SCC0;
      break;
    case 2:
      w_.Scalar(Opcode::S_ADD_I32, counter, Sgpr(counter), kMinusOne);
      w_.Add(a.Sopc(Opcode::S_CMP_LG_U32, Sgpr(counter), Inline(0)));
      break;
    default:
      w_.Scalar(Opcode::S_SUB_U32, counter, Sgpr(counter), Inline(1));
      w_.Add(a.Sopc(Opcode::S_CMP_EQ_U32, Sgpr(counter), Inline(0)));
      branch = Opcode::S_CBRANCH_SCC0;
      break;
  }
  w_.Target(w_.Branch(branch), begin);
  if (loop.leaves >= 0) w_.TargetHere(loop.leaves);
  if (skip >= 0) w_.TargetHere(skip);
  w_.Add(a.Sop1(Opcode::S_MOV_B64, kCodeExecLo, Sgpr(loop.saved())));
}

void KernelLoops::TestedFirst(Loop& loop) {
  const Assembler& a = w_.assembler();
  w_.Add(a.Sop1(Opcode::S_MOV_B32, loop.counter(), Inline(0)));
  const int begin = w_.here();
  w_.Add(a.Sopc(Opcode::S_CMP_GE_U32, Sgpr(loop.counter()), loop.trips));
  const int end = w_.Branch(Opcode::S_CBRANCH_SCC1);
  Body(loop);
  w_.Scalar(Opcode::S_ADD_U32, loop.counter(), Sgpr(loop.counter()), Inline(1));
  w_.Target(w_.Branch(Opcode::S_BRANCH), begin);
  w_.TargetHere(end);
}

// Each lane has its own number of iterations.
void KernelLoops::OfLanes(Loop& loop) {
  const Assembler& a = w_.assembler();
  const uint32_t counter = loop.lane_counter();
  uint32_t mask = 1;
  while (mask * 2 <= loop.most_trips) mask *= 2;
  w_.Multiply(counter, Constant(random_.Pick({0u, 1u, 3u, 5u, 16u})), kGlobal);
  w_.AddTo(counter, Sgpr(kLaneTrips));
  w_.Add(a.Vop2(Opcode::V_AND_B32, counter, Constant(mask - 1), counter));
  // Others are taken for 1.
  const bool skips = random_.Percent(60);
  if (!skips) w_.AddTo(counter, Inline(1));
  w_.Add(a.Sop1(Opcode::S_MOV_B32, loop.counter(), Inline(0)));
  w_.Add(a.Sop1(Opcode::S_MOV_B64, loop.saved(), kExec));
  w_.Add(a.Sop1(Opcode::S_MOV_B64, loop.done(), Inline(0)));
  int skip = -1;
  if (skips) {
    w_.Add(a.Vopc(Opcode::V_CMP_LT_I32, Inline(0), counter));
    w_.Scalar(Opcode::S_AND_B64, kCodeExecLo, kExec, kVcc);
    skip = w_.Branch(Opcode::S_CBRANCH_EXECZ);
  }
  const int begin = w_.here();
  Body(loop);
  w_.Add(a.Vop2(Opcode::V_SUBREV_CO_U32, counter, Inline(1), counter));
  Opcode branch = Opcode::S_CBRANCH_EXECNZ;
  switch (random_.Below(4)) {
    case 0:
    case 1:
      w_.Add(a.Vopc(Opcode::V_CMP_GE_I32, Inline(0), counter));
      w_.Scalar(Opcode::S_OR_B64, loop.done(), kVcc, Sgpr(loop.done()));
      w_.Scalar(Opcode::S_ANDN2_B64, kCodeExecLo, kExec, Sgpr(loop.done()));
      break;
    case 2:
      w_.Add(a.Vopc(Opcode::V_CMP_NE_U32, Inline(0), counter));
      w_.Scalar(Opcode::S_AND_B64, kCodeExecLo, kExec, kVcc);
      break;
    default:  // EXEC stays
      w_.Add(a.Vopc(Opcode::V_CMP_LT_I32, Inline(0), counter));
      w_.Scalar(Opcode::S_AND_B64, kCodeVccLo, kExec, kVcc);
      branch = Opcode::S_CBRANCH_VCCNZ;
      break;
  }
  w_.Target(w_.Branch(branch), begin);
  if (skip >= 0) w_.TargetHere(skip);
  w_.Add(a.Sop1(Opcode::S_MOV_B64, kCodeExecLo, Sgpr(loop.saved())));
}

}  // namespace gcnjit::differential
