#include "backend_x64/plan/loop_pointers.h"

#include <algorithm>
#include <optional>

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
                const std::vector<uint8_t>& uniform, StagePlan& plan)
      : function_(function),
        block_(block),
        uniform_(uniform),
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
    std::erase_if(loop_.lanes.sets, goes);
    std::erase_if(plan_.stages[0].lane_ops, goes);
  }

 private:
  struct Found {
    LoopPointer pointer;
    std::vector<Value> operations;  // that have no other use, reads and write-backs included
  };

  const Inst& Of(Value v) const { return function_[v]; }
  bool IsUsedOnce(Value v) const { return uses_[v.id] == 1; }
  bool IsConst(Value v, int64_t value) const {
    return Of(v).op == Op::kConst && Of(v).imm == value;
  }
  bool IsSame(Value a, Value b) const {
    return a == b || (Of(a).op == Op::kConst && Of(b).op == Op::kConst && Of(a).imm == Of(b).imm);
  }

  // What comes of `low`: low' = low + step; high' = high + (low' < step ? 1 : 0).
  std::optional<Found> Find(Value low) const {
    if (!IsUniform(low)) return {};
    const Value set_low = SetOf(low);
    const Value next_low = Of(set_low).args[0];
    const Value step = AddedTo(low, next_low);
    if (!step || !IsStep(step) || uses_[next_low.id] != 2) return {};
    const Value carry = UserOf(next_low, Op::kLtU);
    if (!carry || Of(carry).args[0] != next_low || !IsSame(Of(carry).args[1], step)) return {};
    const Value one = IsUsedOnce(carry) ? UserOf(carry, Op::kSelect) : Value{};
    if (!one || !IsUsedOnce(one) || Of(one).args[0] != carry) return {};
    if (!IsConst(Of(one).args[1], 1) || !IsConst(Of(one).args[2], 0)) return {};
    const Value next_high = UserOf(one, Op::kAdd);
    const Value high = next_high ? AddedTo(one, next_high) : Value{};
    if (!high || !IsUniform(high) || !IsUsedOnce(next_high)) return {};
    const Value set_high = SetOf(high);
    if (Of(set_high).args[0] != next_high || !AreForLoads(low, high)) return {};
    return Found{{low, high, step},
                 {low, high, next_low, carry, one, next_high, set_low, set_high}};
  }

  // One that the loop carries.
  bool IsUniform(Value v) const {
    const bool is_carried = Of(v).op == Op::kGetVgpr &&
                            std::find(loop_.lanes.carried.begin(), loop_.lanes.carried.end(), v) !=
                                loop_.lanes.carried.end();
    return is_carried && uniform_[v.id] != 0;
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
  // Are loads of a dword, and the sums, their only uses?
  bool AreForLoads(Value low, Value high) const {
    const auto loads =
        static_cast<uint32_t>(std::count_if(block_.insts.begin(), block_.insts.end(), [&](Value v) {
          const Inst& inst = Of(v);
          return inst.op == Op::kLoad && !inst.access().indexed && inst.access().Dwords() == 1 &&
                 inst.args[0] == low && inst.args[1] == high;
        }));
    return loads != 0 && uses_[low.id] == loads + 1 && uses_[high.id] == loads + 1;
  }

  const ir::Function& function_;
  const ir::Block& block_;
  const std::vector<uint8_t>& uniform_;
  StagePlan& plan_;
  LoopPlan& loop_;
  const std::vector<uint32_t> uses_;
};

}  // namespace

std::vector<uint8_t> FindUniform(const ir::Function& function, const ir::LanePatterns* patterns,
                                 const std::vector<ir::LaneShape>& shapes, int lanes) {
  std::vector<uint8_t> uniform(function.insts.size());
  if (patterns == nullptr) return uniform;
  for (size_t id = 0; id < uniform.size(); ++id) {
    if (function.insts[id].op != Op::kGetVgpr) continue;
    uniform[id] = AddressShapeOf(patterns, shapes[id], lanes, /*parts=*/1).IsUniform(0);
  }
  return uniform;
}

void TakeLoopPointers(const ir::Function& function, const ir::Block& block,
                      const std::vector<uint8_t>& uniform, StagePlan& plan) {
  if (!plan.loop->until_no_lane) PointerFinder(function, block, uniform, plan).Run();
}

}  // namespace gcnjit::backend
