#include "ir/rewrite/exit_masks.h"

#include "ir/compute.h"

namespace gcnjit::ir {
namespace {

bool IsExec(const Inst& inst) { return inst.op == Op::kGetSgpr64 && inst.imm == kExec; }

// If `is` holds for one of two arguments, the other one; none otherwise.
template <typename F>
Value OtherThan(const Function& function, const Inst& inst, const F& is) {
  if (is(function[inst.args[0]])) return inst.args[1];
  return is(function[inst.args[1]]) ? inst.args[0] : Value{};
}

// Are they one compare, or copies of one (clone_compares.h)?
bool AreTheSame(const Function& function, Value a, Value b) {
  if (a == b) return true;
  if (!a || !b) return false;
  const Inst& x = function[a];
  const Inst& y = function[b];
  return IsAnyCompare(x.op) && x.op == y.op && x.type == y.type && x.aux == y.aux &&
         x.imm == y.imm && x.args[0] == y.args[0] && x.args[1] == y.args[1];
}

// EXEC without a mask, and EXEC with it?
bool AreOpposite(const Function& function, const Inst& without, const Inst& with) {
  if (without.op != Op::kAndNot || with.op != Op::kAnd) return false;
  if (!IsExec(function[without.args[0]])) return false;
  return AreTheSame(function, OtherThan(function, with, IsExec), without.args[1]);
}

}  // namespace

void SimplifyExitMasks(Function& alone, const SgprPairs& apart) {
  if (apart.none()) return;
  const auto is_apart = [&](const Inst& inst) {
    return inst.op == Op::kGetSgpr64 && apart[static_cast<size_t>(inst.imm)];
  };
  for (const Value v : alone.blocks[0].insts) {
    Inst& inst = alone[v];
    if (inst.op != Op::kAndNot || !IsExec(alone[inst.args[0]])) continue;
    for (;;) {
      const Inst& taken = alone[inst.args[1]];
      Value rest;
      if (taken.op == Op::kOr) rest = OtherThan(alone, taken, is_apart);
      if (taken.op == Op::kAnd) rest = OtherThan(alone, taken, IsExec);
      if (!rest) break;
      inst.args[1] = rest;
    }
  }
}

bool IsCollector(const Function& function, const std::vector<uint32_t>& uses, Value set,
                 Value next_exec) {
  const Inst& write = function[set];
  const Inst& next = function[next_exec];
  if (write.op != Op::kSetSgpr64 || write.imm == kExec) return false;
  if (function[write.args[0]].op != Op::kOr) return false;
  const auto [old, added, sum] = OperationsOf(function, set);
  if (uses[old.id] != 1 || uses[added.id] != 1 || uses[sum.id] != 1) return false;
  const Inst& get = function[old];
  if (get.op != Op::kGetSgpr64 || get.imm != write.imm) return false;
  return AreOpposite(function, next, function[added]) ||
         AreOpposite(function, function[added], next);
}

std::array<Value, 3> OperationsOf(const Function& function, Value set) {
  const Value sum = function[set].args[0];
  const Inst& inst = function[sum];
  const bool first = function[inst.args[0]].op == Op::kGetSgpr64;
  return {inst.args[first ? 0 : 1], inst.args[first ? 1 : 0], sum};
}

}  // namespace gcnjit::ir
