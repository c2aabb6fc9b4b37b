#include "backend_x64/plan/loop_condition.h"

#include <algorithm>

#include "backend_x64/plan/stages.h"
#include "ir/compute.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// What the block leaves in the SGPR that `get` reads, if that comes before `end` and is a sum with
// a constant; none: it is something else.
Value NextValue(const ir::Function& alone, Value get, Value end) {
  const std::vector<Value>& insts = alone.blocks[0].insts;
  const auto set = std::find_if(insts.begin(), insts.end(), [&](Value v) {
    return alone[v].op == Op::kSetSgpr && alone[v].imm == alone[get].imm;
  });
  if (set == insts.end()) return {};
  const Value next = alone[*set].args[0];
  const Inst& sum = alone[next];
  if (sum.op != Op::kAdd || sum.args[0] != get || alone[sum.args[1]].op != Op::kConst) return {};
  const auto at = std::find(insts.begin(), insts.end(), end);
  return std::find(insts.begin(), at, next) != at ? next : Value{};
}

}  // namespace

void CompareNextValue(ir::Function& alone) {
  ir::Block& block = alone.blocks[0];
  const Inst& branch = alone[block.insts.back()];
  const bool is_loop = branch.op == Op::kBranch && block.IsLoop();
  if (!is_loop) return;
  const Value test = branch.args[0];
  const Inst compare = alone[test];
  if ((compare.op != Op::kEq && compare.op != Op::kNe) || compare.type != Type::kU1) return;
  if (alone[compare.args[0]].op != Op::kGetSgpr || alone[compare.args[1]].op != Op::kConst) return;
  const Value next = NextValue(alone, compare.args[0], test);
  if (!next) return;
  const auto number = static_cast<uint32_t>(alone[compare.args[1]].imm) +
                      static_cast<uint32_t>(alone[alone[next].args[1]].imm);
  const Value constant{static_cast<uint32_t>(alone.insts.size())};
  Inst inst = alone[compare.args[1]];
  inst.imm = number;
  alone.insts.push_back(inst);
  block.insts.insert(std::find(block.insts.begin(), block.insts.end(), test), constant);
  alone[test].args[0] = next;
  alone[test].args[1] = constant;
}

void TakeLoopTest(const ir::Function& function, const std::vector<uint32_t>& uses,
                  StagePlan& plan) {
  LoopPlan& loop = *plan.loop;
  const Inst& test = function[loop.branch.condition];
  if (loop.until_no_lane || test.type != Type::kU1 || !ir::IsCompare(test.op)) return;
  if (uses[loop.branch.condition.id] != 1) return;
  std::vector<Value>& ops = plan.stages[0].scalar_ops;
  const auto found = std::find(ops.begin(), ops.end(), loop.branch.condition);
  if (found == ops.end()) return;
  ops.erase(found);
  plan.final_ops.insert(plan.final_ops.end() - 1, loop.branch.condition);
  loop.branch.tests_at_end = true;
}

}  // namespace gcnjit::backend
