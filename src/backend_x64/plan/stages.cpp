#include "backend_x64/plan/stages.h"

#include <algorithm>
#include <bit>

#include "backend_x64/plan/from_memory.h"
#include "backend_x64/plan/fuse_compares.h"
#include "backend_x64/plan/hoist_selects.h"
#include "backend_x64/plan/loop_condition.h"
#include "backend_x64/plan/masks_in_gprs.h"
#include "backend_x64/plan/repeated_parts.h"
#include "backend_x64/plan/shuffles.h"
#include "backend_x64/plan/sink_loads.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// Memory that an access may touch, as bits.
constexpr int kGlobalBit = 1;
constexpr int kLdsBit = 2;
int SpacesOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds: return kLdsBit;
    case Op::kLoadScalar: return kGlobalBit;
    default: return inst.access().space == ir::Space::kFlat ? kGlobalBit | kLdsBit : kGlobalBit;
  }
}

class Planner {
 public:
  Planner(const ir::Function& function, const ir::Block& block, LoopAccesses accesses)
      : function_(function), block_(block), accesses_(accesses) {
    plan_.stage_of.assign(function.insts.size(), 0);
    plan_.is_sliced.assign(function.insts.size(), 0);
    plan_.is_fused.assign(function.insts.size(), 0);
    plan_.is_wave_mask.assign(function.insts.size(), 0);
  }

  StagePlan Run() {
    for (const Value v : block_.insts) Place(v);
    return std::move(plan_);
  }

 private:
  void Place(Value v) {
    const Inst& inst = function_[v];
    const Effect effect = ir::InfoOf(inst.op).effect;
    if (effect == Effect::kEnd || inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64 ||
        inst.op == Op::kSetScc || inst.op == Op::kSetMode || inst.op == Op::kSkipped ||
        inst.op == Op::kMatrix) {
      plan_.final_ops.push_back(v);
      return;
    }
    if (inst.op == Op::kGetVgpr || inst.op == Op::kConst) return;  // where they are from the start
    const bool whole = effect == Effect::kWhole && !MayBeInSlice(inst);
    if (inst.op == Op::kNoteExec && plan_.is_sliced[inst.args[0].id] != 0) {
      return;  // the slices store it
    }
    const bool lanes = !whole && WorksOnLanes(inst);
    int stage = 0;
    for (int n = 0; n < inst.argument_count; ++n) {
      const Value arg = inst.args[n];
      const int ready = plan_.stage_of[arg.id];
      const bool whole_argument = !lanes || effect == Effect::kWhole ||
                                  (function_[arg].type == Type::kU64 && !ir::TakesMask(inst, n));
      stage = std::max(stage, plan_.is_sliced[arg.id] && whole_argument ? ready + 1 : ready);
    }
    if (effect == Effect::kRead || effect == Effect::kWrite) {
      stage = std::max(stage, MemoryStage(inst, effect));
    } else if (lanes) {
      // In the last access's stage, not before it: fewer values cross from stage to stage.
      stage = std::max(stage, last_access_);
    }
    // VGPRs are written after reads whose numbers are not known, and before writes.
    if (inst.op == Op::kGetVgprAt) vgpr_read_at_ = std::max(vgpr_read_at_, stage);
    if (inst.op == Op::kSetVgpr) stage = std::max(stage, vgpr_read_at_);
    if (inst.op == Op::kSetVgprAt) {
      stage = std::max(stage, static_cast<int>(plan_.stages.size()) - 1);
    }
    if (inst.op == Op::kPart) stage = plan_.stage_of[inst.args[0].id];
    plan_.stage_of[v.id] = stage;
    plan_.is_sliced[v.id] = lanes;
    if (static_cast<size_t>(stage) >= plan_.stages.size()) plan_.stages.resize(stage + 1);
    Stage& s = plan_.stages[stage];
    (lanes ? s.lane_ops : s.scalar_ops).push_back(v);
  }

  // If it is to be seen when slices are known.
  bool MayBeInSlice(const Inst& inst) const {
    if (inst.op != Op::kPermute) return false;
    const Value source = inst.args[0];
    return plan_.is_sliced[source.id] != 0 || function_[source].op == Op::kGetVgpr;
  }

  bool WorksOnLanes(const Inst& inst) const {
    if (ir::IsLanes(inst.type) || inst.op == Op::kSetVgpr) return true;
    if (inst.op == Op::kSetVgprAt) return true;
    switch (inst.op) {
      case Op::kStore:
      case Op::kStoreSwizzled:
      case Op::kStoreLds:
      case Op::kAtomic:
      case Op::kAtomicLds: return true;
      default: break;
    }
    if (inst.type != Type::kU64) return false;
    switch (inst.op) {
      // A lane mask even if it compares two scalars: that would be a u1 otherwise.
      case Op::kFCmp:
      case Op::kEq:
      case Op::kNe:
      case Op::kLtU:
      case Op::kLeU:
      case Op::kLtS:
      case Op::kLeS: return true;
      default: break;
    }
    bool sliced = false;
    for (int n = 0; n < inst.argument_count; ++n) {
      if (ir::IsLanes(function_[inst.args[n]].type)) return true;  // a compare
      sliced |= plan_.is_sliced[inst.args[n].id] != 0;
    }
    // A mask made slice by slice can be worked on slice by slice.
    return sliced && ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit);
  }

  // Loads may share a stage; a store must wait for all accesses before it, and all accesses after
  // it for the store.
  int MemoryStage(const Inst& inst, Effect effect) {
    if (accesses_ == LoopAccesses::kDisjoint) return 0;
    int stage = 0;
    const int spaces = SpacesOf(inst);
    const bool writes = effect == Effect::kWrite;
    for (int bit = 0; bit < 2; ++bit) {
      if ((spaces >> bit & 1) == 0) continue;
      stage = std::max(stage, last_store_[bit] + 1);
      if (writes) stage = std::max(stage, last_load_[bit] + 1);
    }
    // Faults count in program order: an access never overtakes another by a stage.
    stage = std::max(stage, last_access_);
    for (const Value arg : inst.args) {
      if (!arg) continue;
      const bool needs_whole = inst.op == Op::kLoadScalar && plan_.is_sliced[arg.id];
      stage = std::max(stage, plan_.stage_of[arg.id] + (needs_whole ? 1 : 0));
    }
    for (int bit = 0; bit < 2; ++bit) {
      if ((spaces >> bit & 1) == 0) continue;
      (writes ? last_store_ : last_load_)[bit] = stage;
    }
    last_access_ = stage;
    return stage;
  }

  const ir::Function& function_;
  const ir::Block& block_;
  const LoopAccesses accesses_;
  StagePlan plan_;
  int last_load_[2] = {-1, -1};
  int last_store_[2] = {-1, -1};
  int last_access_ = 0;
  int vgpr_read_at_ = 0;  // the last stage of a kGetVgprAt
};

// The most host registers that the stage's lane values take at once in slices of so many parts.
struct Pressure {
  int vectors = 0;
  int masks = 0;
};
Pressure PressureOf(const ir::Function& function, const StagePlan& plan, const Stage& stage,
                    const std::vector<uint8_t>& is_fused, const std::vector<uint8_t>& part_bits,
                    int parts) {
  const auto end = static_cast<int32_t>(stage.lane_ops.size());
  std::vector<int32_t> last_use(function.insts.size(), -1);
  // A fused compare takes nothing itself: its arguments are its user's.
  const auto for_each_argument = [&](Value v, const auto& f) {
    if (is_fused[v.id] != 0) return;
    const Inst& inst = function[v];
    for (int a = 0; a < inst.argument_count; ++a) {
      const Value argument = inst.args[a];
      if (plan.loop && plan.loop->PointerWith(argument) != nullptr) continue;
      if (is_fused[argument.id] == 0) {
        f(argument);
      } else {
        for (int b = 0; b < function[argument].argument_count; ++b) f(function[argument].args[b]);
      }
    }
  };
  for (size_t n = 0; n < stage.lane_ops.size(); ++n) {
    for_each_argument(stage.lane_ops[n],
                      [&](Value argument) { last_use[argument.id] = static_cast<int32_t>(n); });
  }
  Pressure now;
  Pressure most;
  std::vector<uint8_t> live(function.insts.size(), 0);
  const auto count = [&](Value v, int by) {
    const Inst& inst = function[v];
    by *= CountStandIns(part_bits[v.id], parts);
    if (inst.type == Type::kU64 && plan.is_sliced[v.id] != 0) {
      now.masks += by;
    } else if (inst.type == Type::kV64) {
      now.vectors += 2 * by;
    } else if (inst.type == Type::kV32) {
      now.vectors += by;
    }
  };
  if (plan.loop) {
    for (const Value v : plan.loop->lanes.invariant) last_use[v.id] = end;
    for (const Value v : plan.loop->lanes.sets) last_use[function[v].args[0].id] = end;
    for (const std::vector<Value>* reads :
         {&plan.loop->lanes.invariant, &plan.loop->lanes.carried}) {
      for (const Value v : *reads) {
        if (last_use[v.id] < 0) continue;
        live[v.id] = 1;
        count(v, 1);
      }
    }
    most = now;
  }
  for (size_t n = 0; n < stage.lane_ops.size(); ++n) {
    const Value v = stage.lane_ops[n];
    for_each_argument(v, [&](Value arg) {
      if (live[arg.id] == 0) {
        live[arg.id] = 1;
        count(arg, 1);
      }
    });
    most.vectors = std::max(most.vectors, now.vectors);
    most.masks = std::max(most.masks, now.masks);
    for_each_argument(v, [&](Value arg) {
      if (live[arg.id] == 1 && last_use[arg.id] <= static_cast<int32_t>(n)) {
        live[arg.id] = 2;
        count(arg, -1);
      }
    });
    if (last_use[v.id] > static_cast<int32_t>(n)) {
      live[v.id] = 1;
      count(v, 1);
      most.vectors = std::max(most.vectors, now.vectors);
      most.masks = std::max(most.masks, now.masks);
    }
  }
  return most;
}

bool Fit(const Pressure& pressure, const RegisterCounts& registers) {
  const bool masks_are_vectors = registers.masks == 0;
  const int vectors = pressure.vectors + (masks_are_vectors ? pressure.masks : 0);
  return vectors <= registers.vectors && (masks_are_vectors || pressure.masks <= registers.masks);
}

// A host's slices: `parts` registers of `lanes` lanes each, if they are as wide as can be.
struct Slices {
  int parts = 1;
  int lanes = 1;
  bool IsWave() const { return parts * lanes == ir::kLanes; }
  // Registers of the wave that the first slice has.
  uint32_t Registers() const { return (1u << parts) - 1; }
};

// Are all parts of a permutation that are read in the first slice, and can registers do them?
bool FitsInSlice(const ir::Function& function, Value v, const Wanted& wanted,
                 const Slices& slices) {
  const ir::LanePattern& pattern = function.patterns[static_cast<size_t>(function[v].imm)];
  if ((wanted.registers[v.id] & ~slices.Registers()) != 0) return false;
  for (int part = 0; part < slices.parts; ++part) {
    const auto permutation =
        ShuffleOf(pattern, part * slices.lanes, slices.lanes, wanted.lanes[v.id]);
    if (!permutation) return false;
    for (int n = 0; n < permutation->source_count; ++n) {
      if (permutation->sources[static_cast<size_t>(n)] >= slices.parts) return false;
    }
  }
  return true;
}

// Permutations of which lanes are elsewhere are done between lane loops.
void TakePermutationsOut(const ir::Function& function, const Wanted& wanted, const Slices& slices,
                         StagePlan& plan) {
  for (Stage& stage : plan.stages) {
    const bool is_one_slice = stage.is_one_slice || stage.slice_parts * slices.lanes == ir::kLanes;
    std::erase_if(stage.lane_ops, [&](Value v) {
      if (function[v].op != Op::kPermute) return false;
      if (is_one_slice && FitsInSlice(function, v, wanted, slices)) return false;
      plan.is_sliced[v.id] = 0;
      stage.scalar_ops.push_back(v);
      return true;
    });
  }
}

// Do the stage's lane operations need nothing of stages from `first` on but what their own slice
// has?
bool NeedsOwnSliceOnly(const ir::Function& function, const StagePlan& plan, const Stage& stage,
                       int first, const Wanted& wanted, const Slices& slices) {
  if (!stage.scalar_ops.empty()) return false;
  for (const Value v : stage.lane_ops) {
    const Inst& inst = function[v];
    if (inst.op == Op::kPermute && !FitsInSlice(function, v, wanted, slices)) return false;
    for (int n = 0; n < inst.argument_count; ++n) {
      const Value arg = inst.args[n];
      const bool as_number = function[arg].type == Type::kU64 && !ir::TakesMask(inst, n);
      if (as_number && plan.is_sliced[arg.id] != 0 && plan.stage_of[arg.id] >= first) return false;
    }
  }
  return true;
}

// A slice that is the whole wave does instruction after instruction for all lanes, as the guest
// does. Then memory accesses need no stages of their own, nor do permutations. The same holds where
// all lanes that are read are in one slice.
void JoinStages(const ir::Function& function, const std::vector<uint32_t>& uses,
                const std::vector<uint8_t>& part_bits, const Slices& slices,
                const RegisterCounts& registers, const Wanted& wanted, StagePlan& plan) {
  std::vector<int> new_number(plan.stages.size());
  std::vector<Stage> joined;
  int first = 0;  // of the stages in joined.back()
  // Each attempt looks at all values: so many are looked at, then stages stay apart.
  size_t left = size_t{1} << 25;
  const auto append = [&](size_t begin, size_t end) {
    left -= std::min(left, function.insts.size());
    Stage all = joined.back();
    for (size_t n = begin; n < end; ++n) {
      const std::vector<Value>& more = plan.stages[n].lane_ops;
      all.lane_ops.insert(all.lane_ops.end(), more.begin(), more.end());
    }
    SinkLoads(function, all.lane_ops);
    std::vector<uint8_t> is_fused = plan.is_fused;
    if (registers.masks != 0) FuseCompares(function, uses, all.lane_ops, is_fused);
    const Pressure pressure = PressureOf(function, plan, all, is_fused, part_bits, slices.parts);
    if (!Fit(pressure, registers)) return false;
    all.slice_parts = slices.parts;
    all.is_one_slice = true;
    plan.is_fused = std::move(is_fused);
    joined.back() = std::move(all);
    for (size_t n = begin; n < end; ++n) new_number[n] = static_cast<int>(joined.size()) - 1;
    return true;
  };
  const uint32_t of_slice = slices.Registers();
  const auto is_one_slice = [&](const Stage& stage) {
    if (slices.IsWave()) return true;
    return std::all_of(stage.lane_ops.begin(), stage.lane_ops.end(),
                       [&](Value v) { return (wanted.registers[v.id] & ~of_slice) == 0; });
  };
  const auto may_join = [&](size_t n) {
    return n < plan.stages.size() && is_one_slice(joined.back()) && is_one_slice(plan.stages[n]) &&
           NeedsOwnSliceOnly(function, plan, plan.stages[n], first, wanted, slices);
  };
  for (size_t n = 0; n < plan.stages.size();) {
    new_number[n] = static_cast<int>(joined.size());
    first = static_cast<int>(n);
    joined.push_back(std::move(plan.stages[n++]));
    if (left == 0) continue;
    // All at once, or else, which takes time, one by one.
    size_t end = n;
    while (may_join(end)) ++end;
    if (end > n + 1 && append(n, end)) n = end;
    while (left != 0 && may_join(n) && append(n, n + 1)) ++n;
  }
  if (joined.size() == new_number.size()) {
    plan.stages = std::move(joined);
    return;
  }
  plan.stages = std::move(joined);
  for (int32_t& stage : plan.stage_of) {
    if (static_cast<size_t>(stage) < new_number.size()) stage = new_number[stage];
  }
}

constexpr int kForIteration = 6;

// Which values a loop keeps in registers over its back edge: those it changes before those it only
// reads, and leaving some registers for what an iteration computes.
void ChooseResidents(const ir::Function& function, const std::vector<uint8_t>& part_bits, int parts,
                     const RegisterCounts& registers, int for_iteration, LoopPlan& loop) {
  constexpr int kMasksForIteration = 1;
  int vectors = std::max(0, registers.vectors - for_iteration);
  int masks = std::max(0, registers.loop_masks - kMasksForIteration);
  int& mask_budget = registers.loop_masks == 0 ? vectors : masks;
  for (const std::vector<Value>* reads : {&loop.lanes.carried, &loop.lanes.invariant}) {
    for (const Value v : *reads) {
      int& budget = function[v].type == Type::kU64 ? mask_budget : vectors;
      const int wanted = CountStandIns(part_bits[v.id], parts);
      if (budget < wanted) continue;
      budget -= wanted;
      loop.lanes.residents.push_back(v);
    }
  }
}

}  // namespace

void StagePlan::MoveToLanes(const ir::Block& block, std::vector<Value>& from,
                            const std::vector<Value>& moved) {
  if (moved.empty()) return;
  std::vector<uint32_t> place(is_sliced.size(), 0);
  for (uint32_t n = 0; n < block.insts.size(); ++n) place[block.insts[n].id] = n;
  std::erase_if(from,
                [&](Value v) { return std::find(moved.begin(), moved.end(), v) != moved.end(); });
  std::vector<Value>& lane_ops = stages[0].lane_ops;
  lane_ops.insert(lane_ops.end(), moved.begin(), moved.end());
  std::stable_sort(lane_ops.begin(), lane_ops.end(),
                   [&](Value a, Value b) { return place[a.id] < place[b.id]; });
}

int SlicesOf(const Stage& stage, const Wanted& wanted, int lanes_per_register) {
  uint32_t any = 1;
  for (const Value v : stage.lane_ops) any |= wanted.registers[v.id];
  const int count =
      std::min(static_cast<int>(std::bit_width(any)), ir::kLanes / lanes_per_register);
  return (count + stage.slice_parts - 1) / stage.slice_parts;
}

StagePlan PlanStages(const ir::Function& function, const ir::Block& block, int lanes_per_register,
                     const RegisterCounts& registers, const std::vector<uint8_t>& repeating,
                     const Wanted& wanted, const std::vector<uint8_t>& uniform,
                     LoopAccesses accesses) {
  StagePlan plan = Planner(function, block, accesses).Run();
  plan.loop = PlanLoop(function, block, plan, accesses);
  const std::vector<uint32_t> uses = ir::CountUses(function, block);
  if (plan.loop) {
    TakeLoopPointers(function, block, uniform, plan);
    TakeLoopTest(function, uses, plan);
  }
  const std::vector<uint8_t> part_bits =
      FindShared(function, block, plan.is_sliced, repeating, wanted.part_bits);
  const int most_parts = std::min(4, ir::kLanes / lanes_per_register);
  const Slices slices{most_parts, lanes_per_register};
  if (!plan.loop) JoinStages(function, uses, part_bits, slices, registers, wanted, plan);
  for (Stage& stage : plan.stages) {
    if (stage.is_one_slice) continue;  // joined: it has to be as wide as can be
    SinkLoads(function, stage.lane_ops);
    if (plan.loop) HoistSelects(function, uses, stage.lane_ops);
    if (registers.masks != 0) FuseCompares(function, uses, stage.lane_ops, plan.is_fused);
    // In a loop, spilling a mask or two costs less than a narrower slice. So does keeping some of
    // its values in memory, if all slices make as many iterations: each of these has its scalars
    // and its addresses to work out, however many lanes there are.
    constexpr int kCrowded = 3;  // so many times the registers are wanted at once
    const bool is_counted = plan.loop && !plan.loop->until_no_lane;
    const int masks = plan.loop ? registers.loop_masks * 2 : registers.masks;
    const auto pressure_of = [&](int parts) {
      return PressureOf(function, plan, stage, plan.is_fused, part_bits, parts);
    };
    const auto fits = [&](int parts, bool is_crowded) {
      const Pressure pressure = pressure_of(parts);
      const int vectors = is_crowded ? registers.vectors * kCrowded : registers.vectors;
      if (registers.masks == 0) return pressure.vectors + pressure.masks <= vectors;
      return pressure.vectors <= vectors && pressure.masks <= masks;
    };
    // A gather takes as long whatever lanes it has: the fewer lanes a slice waits for, the better,
    // unless gathers wait for each other.
    const bool ends_with_few_lanes =
        plan.loop && plan.loop->until_no_lane && plan.loop->is_undone_if_fault;
    // The fewer rows are gone through at once, the more of them stay in the nearest cache.
    stage.slice_parts = plan.loop && plan.loop->stores_rows ? 1
                        : !ends_with_few_lanes              ? most_parts
                        : LoadsFromLoaded(function, block)  ? 2
                                                            : 1;
    // A few values in memory cost less than masks that are made part by part.
    const int crowd = registers.vectors * 3 / 2;
    const bool is_wave = slices.IsWave() && stage.slice_parts == most_parts;
    if (plan.loop && !ends_with_few_lanes && registers.masks != 0 && is_wave &&
        HasMasksInGprs(function, plan) && pressure_of(most_parts).vectors <= crowd) {
      PutMasksInGprs(function, plan);
      ChooseResidents(function, part_bits, most_parts, registers, kForIteration, *plan.loop);
      continue;
    }
    while (!ends_with_few_lanes && stage.slice_parts > 1 && !fits(stage.slice_parts, is_counted))
      stage.slice_parts /= 2;
    // Elsewhere, too, one step wider is better than having all values in registers: there are half
    // as many addresses to work out, and operations that wait have others beside them.
    if (!plan.loop && stage.slice_parts < most_parts && fits(stage.slice_parts * 2, true)) {
      stage.slice_parts *= 2;
    }
    int for_iteration = kForIteration;
    if (registers.masks == 0 && plan.loop && plan.loop->until_no_lane && !ends_with_few_lanes &&
        stage.slice_parts < most_parts) {
      // Half as many scalars, too; most of what such an iteration computes takes the places of what
      // it has read; and iterations wait for each other, so that slices had better wait together.
      const Pressure wider = pressure_of(stage.slice_parts * 2);
      if (wider.vectors + wider.masks <= registers.vectors * 2) {
        stage.slice_parts *= 2;
        for_iteration = 1;
      }
    }
    if (plan.loop) {
      ChooseResidents(function, part_bits, stage.slice_parts, registers, for_iteration, *plan.loop);
      // Other masks stay in the wave's state.
      for (const Value v : plan.loop->lanes.carried) {
        const std::vector<Value>& residents = plan.loop->lanes.residents;
        if (std::find(residents.begin(), residents.end(), v) == residents.end()) {
          plan.is_sliced[v.id] = 0;
        }
      }
    }
  }
  TakePermutationsOut(function, wanted, slices, plan);
  return plan;
}

}  // namespace gcnjit::backend
