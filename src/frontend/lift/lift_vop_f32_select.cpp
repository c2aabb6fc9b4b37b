// f32 minimum, maximum and median.
#include "frontend/lift/min_max.h"

namespace gcnjit::frontend {
namespace {

using Wanted = MinMax::Wanted;

void ChooseF32(Lifter& l, const Instruction& i, Wanted wanted) {
  MinMax choose(l, kF32);
  const Value x = l.SrcF32(i, 0);
  const Value y = SameSources(i) ? x : l.SrcF32(i, 1);
  l.WriteF32(i, choose.Finish(choose.Of(wanted, x, y)));
}

void Choose3F32(Lifter& l, const Instruction& i, Wanted wanted) {
  MinMax choose(l, kF32);
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  const Value z = l.SrcF32(i, 2);
  l.WriteF32(i, choose.Finish(choose.Of(wanted, choose.Of(wanted, x, y), z)));
}

// A compare that is unordered chooses src1. No denormal is flushed.
void Legacy(Lifter& l, const Instruction& i, Predicate takes_first) {
  ir::Builder& b = l.b;
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  l.WriteF32(i, b.Select(b.FCmp(takes_first, l.EnvNearest(), x, y), x, y));
}

}  // namespace

void lift_V_MIN_F32(Lifter& l, const Instruction& i) { ChooseF32(l, i, Wanted::kMin); }
void lift_V_MAX_F32(Lifter& l, const Instruction& i) { ChooseF32(l, i, Wanted::kMax); }
void lift_V_MIN3_F32(Lifter& l, const Instruction& i) { Choose3F32(l, i, Wanted::kMin); }
void lift_V_MAX3_F32(Lifter& l, const Instruction& i) { Choose3F32(l, i, Wanted::kMax); }
void lift_V_MED3_F32(Lifter& l, const Instruction& i) {
  MinMax choose(l, kF32);
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  l.WriteF32(i, choose.Finish(choose.Median(x, y, l.SrcF32(i, 2))));
}
void lift_V_MIN_LEGACY_F32(Lifter& l, const Instruction& i) { Legacy(l, i, kLess); }
void lift_V_MAX_LEGACY_F32(Lifter& l, const Instruction& i) { Legacy(l, i, kGreaterOrEqual); }

}  // namespace gcnjit::frontend
