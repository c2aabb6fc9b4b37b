#include "backend_x64/plan/slice_widths.h"

#include <algorithm>

#include "backend_x64/plan/from_memory.h"
#include "backend_x64/plan/masks_in_gprs.h"
#include "backend_x64/plan/register_pressure.h"

namespace gcnjit::backend {
namespace {

using ir::Type;
using ir::Value;

constexpr int kForIteration = 6;
// So many times the registers may be wanted at once where that costs less than a narrower slice.
constexpr int kCrowded = 3;

class WidthChooser {
 public:
  WidthChooser(const ir::Function& function, const std::vector<uint8_t>& part_bits,
               const std::vector<LaneStep>& steps, const Slices& slices,
               const RegisterCounts& registers, StagePlan& plan, Stage& stage)
      : function_(function),
        part_bits_(part_bits),
        steps_(steps),
        slices_(slices),
        registers_(registers),
        plan_(plan),
        stage_(stage) {}

  // One step wider is better than having all values in registers: there are half as many addresses
  // to work out, and operations that wait have others beside them.
  void OfBlock() {
    int parts = slices_.parts;
    while (parts > 1 && !Fits(parts, registers_)) parts /= 2;
    if (parts < slices_.parts && Fits(parts * 2, Crowded(registers_))) parts *= 2;
    stage_.slice_parts = parts;
  }

  void OfLoop(const ir::Block& block) {
    LoopPlan& loop = *plan_.loop;
    stage_.slice_parts = MostPartsOf(loop, block);
    if (stage_.slice_parts == slices_.parts && TakesMasksInGprs(loop)) {
      PutMasksInGprs(function_, plan_);
      return ChooseResidents(kForIteration);
    }
    if (EndsWithFewLanes(loop)) return KeepResidents(kForIteration);
    // Spilling a mask or two costs less than a narrower slice. So does keeping some of its values
    // in memory, if all slices make as many iterations: each of these has its scalars and its
    // addresses to work out, however many lanes there are.
    RegisterCounts registers = loop.until_no_lane ? registers_ : Crowded(registers_);
    registers.masks = registers_.loop_masks * 2;
    while (stage_.slice_parts > 1 && !Fits(stage_.slice_parts, registers)) stage_.slice_parts /= 2;
    if (!loop.until_no_lane) stage_.slice_parts = CarryingParts(loop, stage_.slice_parts);
    const bool is_wider = IsBetterWider(loop);
    if (is_wider) stage_.slice_parts *= 2;
    KeepResidents(is_wider ? 1 : kForIteration);
  }

 private:
  static RegisterCounts Crowded(RegisterCounts registers) {
    registers.vectors *= kCrowded;
    return registers;
  }
  Pressure Of(int parts) const {
    return PressureOf(function_, plan_, stage_, plan_.is_fused, part_bits_, parts);
  }
  bool Fits(int parts, const RegisterCounts& registers) const {
    return Of(parts).FitsIn(registers);
  }

  // Values that the loop changes go through memory in each iteration, and the next one waits for
  // them, where a slice is so wide that registers do not hold them; unless no slice is narrow
  // enough.
  int CarryingParts(const LoopPlan& loop, int most) const {
    const auto are_held = [&](int parts) {
      int wanted = 0;
      for (const Value v : loop.lanes.carried) {
        if (function_[v].type != Type::kU64) wanted += CountStandIns(part_bits_[v.id], parts);
      }
      return wanted <= registers_.vectors;
    };
    for (int parts = most; parts != 0; parts /= 2) {
      if (are_held(parts)) return parts;
    }
    return most;
  }

  // A gather takes as long whatever lanes it has: the fewer lanes a slice waits for, the better.
  // Where the lanes' elements lie side by side, all of a wave leave together as a rule; slices that
  // share a cache line had better read it together.
  bool EndsWithFewLanes(const LoopPlan& loop) const {
    return loop.until_no_lane && loop.is_undone_if_fault && LoadsFarLanes();
  }

  // LDS has no lines to share.
  bool LoadsFarLanes() const {
    return std::any_of(stage_.lane_ops.begin(), stage_.lane_ops.end(), [this](Value v) {
      const ir::Inst& inst = function_[v];
      return ir::InfoOf(inst.op).effect == ir::Effect::kRead &&
             (inst.op != ir::Op::kLoad || !AreClose(inst.args[0]));
    });
  }

  // Are the lanes' addresses, or indices, known to be alike or next to each other?
  bool AreClose(Value address, int most_sums = 4) const {
    const ir::Inst& inst = function_[address];
    if (!ir::IsLanes(inst.type)) return true;
    if (inst.op == ir::Op::kGetVgpr) return steps_[address.id] != LaneStep::kUnknown;
    return inst.op == ir::Op::kAdd && most_sums != 0 && AreClose(inst.args[0], most_sums - 1) &&
           AreClose(inst.args[1], most_sums - 1);
  }

  int MostPartsOf(const LoopPlan& loop, const ir::Block& block) const {
    // The fewer rows are gone through at once, the more of them stay in the nearest cache.
    if (loop.stores_rows) return 1;
    if (!EndsWithFewLanes(loop)) return slices_.parts;
    return LoadsFromLoaded(function_, block) ? 2 : 1;  // such gathers wait for each other
  }

  // A few values in memory cost less than masks that are made part by part.
  bool TakesMasksInGprs(const LoopPlan& loop) const {
    return !EndsWithFewLanes(loop) && registers_.masks != 0 && slices_.IsWave() &&
           HasMasksInGprs(function_, plan_) &&
           Of(slices_.parts).vectors <= registers_.vectors * 3 / 2;
  }

  // Where masks are vectors: half as many scalars, too; most of what such an iteration computes
  // takes the places of what it has read; and iterations wait for each other, so that slices had
  // better wait together.
  bool IsBetterWider(const LoopPlan& loop) const {
    if (registers_.masks != 0 || !loop.until_no_lane || stage_.slice_parts == slices_.parts) {
      return false;
    }
    RegisterCounts registers = registers_;
    registers.vectors *= 2;
    return Fits(stage_.slice_parts * 2, registers);
  }

  // Which values the loop keeps in registers over its back edge: those it changes before those it
  // only reads, and leaving some registers for what an iteration computes.
  void ChooseResidents(int for_iteration) {
    constexpr int kMasksForIteration = 1;
    LoopPlan& loop = *plan_.loop;
    int vectors = std::max(0, registers_.vectors - for_iteration);
    int masks = std::max(0, registers_.loop_masks - kMasksForIteration);
    int& mask_budget = registers_.loop_masks == 0 ? vectors : masks;
    for (const std::vector<Value>* reads : {&loop.lanes.carried, &loop.lanes.invariant}) {
      for (const Value v : *reads) {
        int& budget = function_[v].type == Type::kU64 ? mask_budget : vectors;
        const int wanted = CountStandIns(part_bits_[v.id], stage_.slice_parts);
        if (budget < wanted) continue;
        budget -= wanted;
        loop.lanes.residents.push_back(v);
      }
    }
  }

  // Other masks stay in the wave's state.
  void KeepResidents(int for_iteration) {
    ChooseResidents(for_iteration);
    const std::vector<Value>& residents = plan_.loop->lanes.residents;
    for (const Value v : plan_.loop->lanes.carried) {
      if (std::find(residents.begin(), residents.end(), v) == residents.end()) {
        plan_.is_sliced[v.id] = 0;
      }
    }
  }

  const ir::Function& function_;
  const std::vector<uint8_t>& part_bits_;
  const std::vector<LaneStep>& steps_;
  const Slices& slices_;
  const RegisterCounts& registers_;
  StagePlan& plan_;
  Stage& stage_;
};

}  // namespace

void ChooseSliceWidth(const ir::Function& function, const ir::Block& block,
                      const std::vector<uint8_t>& part_bits, const std::vector<LaneStep>& steps,
                      const Slices& slices, const RegisterCounts& registers, StagePlan& plan,
                      Stage& stage) {
  WidthChooser chooser(function, part_bits, steps, slices, registers, plan, stage);
  if (plan.loop) {
    chooser.OfLoop(block);
  } else {
    chooser.OfBlock();
  }
}

}  // namespace gcnjit::backend
