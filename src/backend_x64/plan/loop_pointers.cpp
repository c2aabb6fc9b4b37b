#include "backend_x64/plan/loop_pointers.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "backend_x64/plan/address_shape.h"
#include "backend_x64/plan/fuse_compares.h"
#include "backend_x64/plan/stages.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

class PointerFinder {
 public:
  PointerFinder(const ir::Function& function, const ir::Block& block,
                const std::vector<LaneStep>& steps, StagePlan& plan)
      : function_(function),
        block_(block),
        steps_(steps),
        plan_(plan),
        loop_(*plan.loop),
        uses_(ir::CountUses(function, block)) {}

  void Run() {
    std::vector<uint8_t> is_gone(function_.insts.size());
    for (const Value low : loop_.lanes.carried) {
      const std::optional<Found> found = Find(low);
      if (!found) continue;
      loop_.pointers.push_back(found->pointer);
      for (const Value v : found->operations) is_gone[v.id] = 1;
    }
    const auto goes = [&](Value v) { return is_gone[v.id] != 0; };
    std::erase_if(loop_.lanes.carried, goes);
    std::ranges::copy_if(loop_.lanes.sets, std::back_inserter(loop_.pointer_sets), goes);
    std::erase_if(loop_.lanes.sets, goes);
    std::erase_if(plan_.stages[0].lane_ops, goes);
  }

 private:
  struct Found {
    LoopPointer pointer;
    std::vector<Value> operations;  // that have no other use, reads and write-backs included
    uint32_t uses_of_low = 0;       // by these
    uint32_t uses_of_high = 0;
  };

  const Inst& Of(Value v) const { return function_[v]; }
  bool IsUsedOnce(Value v) const { return uses_[v.id] == 1; }
  bool IsConst(Value v, int64_t value) const {
    return Of(v).op == Op::kConst && Of(v).imm == value;
  }
  bool IsSame(Value a, Value b) const {
    return a == b || (Of(a).op == Op::kConst && Of(b).op == Op::kConst && Of(a).imm == Of(b).imm);
  }

  // What comes of `low`: low' = low + step; high' = high + (carry ? 1 : 0).
  std::optional<Found> Find(Value low) const {
    if (!IsCarried(low)) return {};
    const Next next = NextOf(low);
    const Value step = AddedTo(low, next.value);
    if (!step || !IsStep(step)) return {};
    const Carry carry = CarryOf(low, next.value, step);
    if (uses_[next.value.id] != 1u + (carry.of_next ? 1 : 0)) return {};
    const Value one = carry.bit && IsUsedOnce(carry.bit) ? UserOf(carry.bit, Op::kSelect) : Value{};
    if (!one || !IsUsedOnce(one) || Of(one).args[0] != carry.bit) return {};
    if (!IsConst(Of(one).args[1], 1) || !IsConst(Of(one).args[2], 0)) return {};
    const Value next_high = UserOf(one, Op::kAdd);
    const Value high = next_high ? AddedTo(one, next_high) : Value{};
    if (!high || !IsCarried(high) || !IsUsedOnce(next_high)) return {};
    const Next of_high = NextOf(high);
    if (of_high.value != next_high) return {};
    Found found;
    found.pointer = {low, high, step, false, bool{next.kept}, bool{of_high.kept}};
    found.operations = {low, high, next.value, carry.bit, one, next_high, next.set, of_high.set};
    found.uses_of_low = 1u + (carry.of_next ? 0 : 1) + (next.kept ? 1 : 0);
    found.uses_of_high = 1u + (of_high.kept ? 1 : 0);
    for (const Next& half : {next, of_high}) {
      if (half.kept) found.operations.push_back(half.kept);
    }
    const LaneStep lanes = steps_[low.id];
    const bool is_uniform = lanes == LaneStep::kNone && steps_[high.id] == LaneStep::kNone;
    const bool is_kept = next.kept || of_high.kept;
    if (is_uniform && !is_kept && !loop_.until_no_lane) return If(AreForLoads(found), found);
    found.pointer.of_lanes = true;
    if (is_kept && loop_.until_no_lane) return {};  // not as many iterations for all lanes
    return If(lanes == LaneStep::kUnknown && AreForStreams(found), found);
  }
  static std::optional<Found> If(bool condition, const Found& found) {
    return condition ? std::optional(found) : std::nullopt;
  }

  // Whether low + step goes beyond 32 bits.
  struct Carry {
    Value bit;
    bool of_next = true;  // next < step; else low is the largest number, and the step is 1
  };
  Carry CarryOf(Value low, Value next, Value step) const {
    const Value below = UserOf(next, Op::kLtU);
    if (below && Of(below).args[0] == next && IsSame(Of(below).args[1], step)) return {below};
    const Value last = UserOf(low, Op::kEq);
    const bool is_last = last && IsConst(step, 1) && Of(last).args[0] == low &&
                         IsConst(Of(last).args[1], UINT32_MAX);
    return is_last ? Carry{last, false} : Carry{};
  }

  // One that the loop carries.
  bool IsCarried(Value v) const {
    return Of(v).op == Op::kGetVgpr &&
           std::ranges::find(loop_.lanes.carried, v) != loop_.lanes.carried.end();
  }
  // What a VGPR holds in the next iteration, at least in the lanes that EXEC has. (EXEC stays in
  // loops of the first kind that read memory: loops.h.)
  struct Next {
    Value value;
    Value set;   // writes it
    Value kept;  // the selection of the lanes; none: it is all of them
  };
  Next NextOf(Value get) const {
    const Value set = SetOf(get);
    const Value next = Of(set).args[0];
    const Inst& inst = Of(next);
    const bool is_kept = inst.op == Op::kSelect && Of(inst.args[0]).op == Op::kGetSgpr64 &&
                         Of(inst.args[0]).imm == ir::kExec && inst.args[2] == get &&
                         IsUsedOnce(next);
    return is_kept ? Next{inst.args[1], set, next} : Next{next, set, {}};
  }
  Value SetOf(Value get) const {
    return *std::find_if(loop_.lanes.sets.begin(), loop_.lanes.sets.end(), [&](Value set) {
      return Of(set).op == Op::kSetVgpr && Of(set).imm == Of(get).imm;
    });
  }
  // The other operand of `sum`; none: it is no sum with v.
  Value AddedTo(Value v, Value sum) const {
    const Inst& inst = Of(sum);
    if (inst.op != Op::kAdd || inst.type != Type::kV32) return {};
    if (inst.args[0] == v) return inst.args[1];
    return inst.args[1] == v ? inst.args[0] : Value{};
  }
  Value UserOf(Value v, Op op) const {
    const auto uses_it = [&](Value user) {
      const Inst& inst = Of(user);
      return inst.op == op && std::find(inst.args, inst.args + inst.argument_count, v) !=
                                  inst.args + inst.argument_count;
    };
    const auto user = std::find_if(block_.insts.begin(), block_.insts.end(), uses_it);
    return user == block_.insts.end() ? Value{} : *user;
  }
  // Does every iteration find the same there?
  bool IsStep(Value v) const {
    const Inst& inst = Of(v);
    if (inst.type != Type::kU32) return false;
    if (inst.op == Op::kConst) return true;
    return inst.op == Op::kGetSgpr &&
           std::none_of(block_.insts.begin(), block_.insts.end(), [&](Value other) {
             const Inst& set = Of(other);
             return (set.op == Op::kSetSgpr && set.imm == inst.imm) ||
                    (set.op == Op::kSetSgpr64 && (set.imm == inst.imm || set.imm + 1 == inst.imm));
           });
  }
  // Are loads of a dword, and what makes the next addresses, their only uses?
  bool AreForLoads(const Found& found) const {
    return AreFor(found, [&](Value v) { return Of(v).access().Dwords() == 1; });
  }
  // Likewise of loads that are streams.
  bool AreForStreams(const Found& found) const {
    return AreFor(
        found, [&](Value v) { return std::ranges::find(loop_.streams, v) != loop_.streams.end(); });
  }
  template <typename F>
  bool AreFor(const Found& found, const F& is_one) const {
    const auto [low, high] = std::pair(found.pointer.low, found.pointer.high);
    const auto loads = static_cast<uint32_t>(std::ranges::count_if(block_.insts, [&](Value v) {
      const Inst& inst = Of(v);
      return inst.op == Op::kLoad && !inst.access().indexed && inst.args[0] == low &&
             inst.args[1] == high && is_one(v);
    }));
    return loads != 0 && uses_[low.id] == loads + found.uses_of_low &&
           uses_[high.id] == loads + found.uses_of_high;
  }

  const ir::Function& function_;
  const ir::Block& block_;
  const std::vector<LaneStep>& steps_;
  StagePlan& plan_;
  LoopPlan& loop_;
  const std::vector<uint32_t> uses_;
};

}  // namespace

std::vector<LaneStep> FindLaneSteps(const ir::Function& function, const ir::LanePatterns* patterns,
                                    const std::vector<ir::LaneShape>& shapes, int lanes) {
  std::vector<LaneStep> steps(function.insts.size());
  if (patterns == nullptr) return steps;
  for (size_t id = 0; id < steps.size(); ++id) {
    if (function.insts[id].op != Op::kGetVgpr) continue;
    const AddressShape shape = AddressShapeOf(patterns, shapes[id], lanes, /*parts=*/1);
    if (shape.IsUniform(0)) {
      steps[id] = LaneStep::kNone;
    } else if (shape.HasStep(0, 1) || shape.HasStep(0, 2) || shape.HasStep(0, 4)) {
      steps[id] = LaneStep::kElement;
    }
  }
  return steps;
}

void TakeLoopPointers(const ir::Function& function, const ir::Block& block,
                      const std::vector<LaneStep>& steps, StagePlan& plan) {
  PointerFinder(function, block, steps, plan).Run();
}

}  // namespace gcnjit::backend
