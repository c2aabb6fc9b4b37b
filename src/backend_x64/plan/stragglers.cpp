#include "backend_x64/plan/stragglers.h"

#include <algorithm>
#include <unordered_map>

#include "backend_x64/plan/straggler_costs.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

bool IsSupported(const Inst& inst, ir::FloatEnv base_env) {
  switch (inst.op) {
    case Op::kConst:
    case Op::kGetSgpr:
    case Op::kGetSgpr64:
    case Op::kGetScc:
    case Op::kGetVgpr:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMulHiU:
    case Op::kMulHiS:
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot:
    case Op::kNot:
    case Op::kBitwise:
    case Op::kShl:
    case Op::kLshr:
    case Op::kAshr:
    case Op::kFshr:
    case Op::kMinU:
    case Op::kMaxU:
    case Op::kMinS:
    case Op::kMaxS:
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz:
    case Op::kSext8:
    case Op::kSext16:
    case Op::kPack:
    case Op::kLow:
    case Op::kHigh:
    case Op::kZext:
    case Op::kSext:
    case Op::kEq:
    case Op::kNe:
    case Op::kLtU:
    case Op::kLeU:
    case Op::kLtS:
    case Op::kLeS:
    case Op::kSelect:
    case Op::kPart:
    case Op::kSkipped: return true;
    case Op::kFCmp: {
      // Compares do not round.
      const uint32_t differ = inst.env().bits ^ uint32_t { base_env.bits };
      return (differ & ir::FloatEnv::kFlushInputs) == 0;
    }
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kFDiv:
    case Op::kFSqrt:
    case Op::kI32ToF32:
    case Op::kU32ToF32:
    case Op::kF32ToI32:
    case Op::kF32ToU32: return inst.env() == base_env;
    case Op::kLoad: return !inst.access().wraps && !inst.access().quadwords;
    case Op::kLoadLds: return !inst.access().quadwords;
    default: return false;
  }
}

class StragglerFinder {
 public:
  StragglerFinder(const BlockContext& block, ir::FloatEnv base_env)
      : block_(block),
        function_(block.function),
        base_env_(base_env),
        is_wanted_(function_.insts.size()) {}

  std::optional<Stragglers> Find(int parts) {
    const LoopPlan& loop = *block_.plan.loop;
    if (!loop.until_no_lane || loop.stores) return std::nullopt;
    CollectSets(loop);
    FindPointers();
    WantCondition(function_[loop.branch.condition], loop.branch.condition);
    for (const auto* sets : {&found_.vgprs, &found_.masks, &found_.scalars}) {
      for (const Value set : *sets) {
        if (!IsOfPointer(function_[set])) Want(function_[set].args[0]);
      }
    }
    for (const Value skip : loop.skips) {
      is_wanted_[skip.id] = 1;
      Want(function_[skip].args[0]);
    }
    for (const Value v : block_.source.insts) {
      if (ir::InfoOf(function_[v].op).effect == Effect::kRead) Want(v);
    }
    for (const Stragglers::Pointer& pointer : found_.pointers) Want(pointer.step);
    for (const Value v : block_.source.insts) {
      const Inst& inst = function_[v];
      if (is_wanted_[v.id] == 0 || inst.op == Op::kConst) continue;
      if (!IsSupported(inst, base_env_)) return std::nullopt;
      const bool is_get = ir::InfoOf(inst.op).effect == Effect::kState && inst.op != Op::kSkipped;
      if (is_get && !IsWhole(inst)) return std::nullopt;
      if (is_get) {
        found_.gets.push_back({v, IsOfPointer(inst) ? Value{} : NextOf(inst)});
        if (const Value pair = PairOf(inst)) {
          found_.gets.back().next = function_[pair].args[0];
          found_.gets.back().half = static_cast<int>(inst.imm - function_[pair].imm);
        }
        if (IsInHalves(inst)) {
          found_.gets.back().next = HalfSet(inst.imm);
          found_.gets.back().next_high = HalfSet(inst.imm + 1);
        }
      } else {
        found_.ops.push_back(v);
      }
    }
    CollectKept();
    found_.most = MostStragglers(block_, found_, parts);
    return found_;
  }

 private:
  void CollectSets(const LoopPlan& loop) {
    sets_ = loop.lanes.sets;
    sets_.insert(sets_.end(), loop.pointer_sets.begin(), loop.pointer_sets.end());
    for (const Value set : sets_) {
      const Inst& inst = function_[set];
      if (inst.op == Op::kSetVgpr) {
        if (inst.aux == 0) found_.vgprs.push_back(set);
        next_vgprs_[inst.imm] = inst.args[0];
      } else if (inst.imm != ir::kExec) {
        found_.masks.push_back(set);
      }
    }
    for (const Value set : block_.plan.final_ops) {
      const Inst& inst = function_[set];
      const bool is_pair = inst.op == Op::kSetSgpr64;
      if (is_pair && IsLaneMask(block_, inst.args[0])) {
        if (inst.imm != ir::kExec) found_.masks.push_back(set);
      } else if (is_pair || inst.op == Op::kSetSgpr || inst.op == Op::kSetScc) {
        found_.scalars.push_back(set);
      }
    }
  }

  // What is known of a VGPR's lanes holds of those that have left, too.
  void CollectKept() {
    for (const Value set : sets_) {
      const Inst& inst = function_[set];
      if (inst.op != Op::kSetVgpr || inst.aux == 0) continue;
      const bool is_read = std::ranges::any_of(found_.gets, [&](const Stragglers::Get& get) {
        return function_[get.read].op == Op::kGetVgpr && function_[get.read].imm == inst.imm;
      });
      if (!is_read) continue;
      found_.kept.push_back(set);
      const ir::LaneShape shape = block_.known.shapes[set.id];
      found_.may_pause &= shape.run == 1 || IsOneValue(shape);
    }
  }

  // Does it read a register as it is written, if it is?
  bool IsWhole(const Inst& get) const {
    if (get.op != Op::kGetSgpr && get.op != Op::kGetSgpr64) return true;
    const int64_t end = get.imm + (get.op == Op::kGetSgpr64 ? 2 : 1);
    for (const auto* sets : {&found_.masks, &found_.scalars}) {
      for (const Value set : *sets) {
        const Inst& inst = function_[set];
        if (inst.op == Op::kSetScc) continue;
        const int64_t set_end = inst.imm + (inst.op == Op::kSetSgpr64 ? 2 : 1);
        if (inst.imm >= end || get.imm >= set_end) continue;
        if ((inst.imm != get.imm || set_end != end) && !IsInHalves(get) && !PairOf(get))
          return false;
      }
    }
    return get.imm + 1 != ir::kExec && get.imm != ir::kExec + 1 &&
           (get.imm != ir::kExec || get.op == Op::kGetSgpr64);
  }

  // Of EXEC, as a rule, the lanes that some mask has, or has not: the mask is enough.
  void WantCondition(const Inst& inst, Value condition) {
    const bool is_part = inst.op == Op::kAnd || inst.op == Op::kAndNot;
    if (!is_part || !IsExec(inst.args[0])) return Want(condition);
    for (const Value v : {inst.args[0], inst.args[1]}) Want(v);
  }

  // What is written to an SGPR by itself.
  Value HalfSet(int64_t sgpr) const {
    for (const Value set : found_.scalars) {
      if (function_[set].op == Op::kSetSgpr && function_[set].imm == sgpr) {
        return function_[set].args[0];
      }
    }
    return {};
  }
  bool IsInHalves(const Inst& get) const {
    return get.op == Op::kGetSgpr64 && HalfSet(get.imm) && HalfSet(get.imm + 1);
  }

  // The write of a pair of which an SGPR is read.
  Value PairOf(const Inst& get) const {
    if (get.op != Op::kGetSgpr) return {};
    for (const Value set : found_.scalars) {
      const Inst& inst = function_[set];
      if (inst.op == Op::kSetSgpr64 && (inst.imm == get.imm || inst.imm + 1 == get.imm)) return set;
    }
    return {};
  }

  // And all that it is made of.
  void Want(Value v) {
    if (is_wanted_[v.id] != 0) return;
    is_wanted_[v.id] = 1;
    const Inst& inst = function_[v];
    for (int n = 0; n < inst.argument_count; ++n) Want(inst.args[n]);
    if (const Value next = NextOf(inst); next && !IsOfPointer(inst)) Want(next);
  }

  // Addresses of loads.
  void FindPointers() {
    for (const Value v : block_.source.insts) {
      const Inst& load = function_[v];
      if (load.op != Op::kLoad || load.IsIndexed()) continue;
      const Value low = load.args[0], high = load.args[1];
      if (function_[low].op != Op::kGetVgpr || function_[high].op != Op::kGetVgpr) continue;
      if (IsOfPointer(function_[low]) || IsOfPointer(function_[high])) continue;
      if (const Value step = StepOf(low, high)) found_.pointers.push_back({low, high, step});
    }
  }

  // low' = low + step; high' = high + (low' < step ? 1 : 0)
  Value StepOf(Value low, Value high) const {
    const Value next_low = InLoop(NextOf(function_[low]));
    const Value step = AddedTo(low, next_low);
    const Value carry = AddedTo(high, InLoop(NextOf(function_[high])));
    if (!step || !carry || !IsStep(step)) return {};
    const Inst& one = function_[carry];
    if (one.op != Op::kSelect || !IsConst(one.args[1], 1) || !IsConst(one.args[2], 0)) return {};
    const Inst& wraps = function_[one.args[0]];
    const bool is_same = wraps.args[1] == step || (function_[step].op == Op::kConst &&
                                                   IsConst(wraps.args[1], function_[step].imm));
    return wraps.op == Op::kLtU && wraps.args[0] == next_low && is_same ? step : Value{};
  }

  // Of a lane that EXEC has.
  Value InLoop(Value v) const {
    const Inst& inst = function_[v];
    const bool is_kept = v && inst.op == Op::kSelect && IsExec(inst.args[0]);
    return is_kept ? inst.args[1] : v;
  }
  bool IsExec(Value mask) const {
    return function_[mask].op == Op::kGetSgpr64 && function_[mask].imm == ir::kExec;
  }
  bool IsConst(Value v, int64_t value) const {
    return function_[v].op == Op::kConst && function_[v].imm == value;
  }
  // Does every iteration find the same there?
  bool IsStep(Value v) const {
    const Inst& inst = function_[v];
    return inst.type == Type::kU32 &&
           (inst.op == Op::kConst || (inst.op == Op::kGetSgpr && !NextOf(inst)));
  }
  Value AddedTo(Value v, Value sum) const {
    const Inst& inst = function_[sum];
    if (!sum || inst.op != Op::kAdd || inst.type != Type::kV32) return {};
    if (inst.args[0] == v) return inst.args[1];
    return inst.args[1] == v ? inst.args[0] : Value{};
  }
  // A read or a write of a VGPR that is half of one?
  bool IsOfPointer(const Inst& inst) const {
    return (inst.op == Op::kGetVgpr || inst.op == Op::kSetVgpr) &&
           found_.PointerWith(function_, inst.imm) != nullptr;
  }

  // What the next iteration reads where a get reads.
  Value NextOf(const Inst& get) const {
    if (get.op == Op::kGetVgpr) {
      const auto found = next_vgprs_.find(get.imm);
      return found == next_vgprs_.end() ? Value{} : found->second;
    }
    const Op op = get.op == Op::kGetSgpr     ? Op::kSetSgpr
                  : get.op == Op::kGetSgpr64 ? Op::kSetSgpr64
                  : get.op == Op::kGetScc    ? Op::kSetScc
                                             : Op::kConst;
    for (const auto* sets : {&found_.masks, &found_.scalars}) {
      for (const Value set : *sets) {
        if (function_[set].op == op && function_[set].imm == get.imm) return function_[set].args[0];
      }
    }
    return {};
  }

  const BlockContext& block_;
  const ir::Function& function_;
  const ir::FloatEnv base_env_;
  Stragglers found_;
  std::vector<Value> sets_;                        // of registers with lanes
  std::unordered_map<int64_t, Value> next_vgprs_;  // by VGPR: what the next iteration finds there
  std::vector<uint8_t> is_wanted_;
};

}  // namespace

const Stragglers::Pointer* Stragglers::PointerWith(const ir::Function& function,
                                                   int64_t vgpr) const {
  const auto found = std::ranges::find_if(pointers, [&](const Pointer& pointer) {
    return function[pointer.low].imm == vgpr || function[pointer.high].imm == vgpr;
  });
  return found == pointers.end() ? nullptr : &*found;
}

bool IsOneValue(ir::LaneShape shape) {
  return shape.run == ir::kLanes && shape.offsets == ir::LanePatterns::kUniform;
}

bool IsLaneMask(const BlockContext& block, Value v) {
  return block.function[v].type == Type::kU64 &&
         (block.plan.is_sliced[v.id] != 0 || block.plan.is_wave_mask[v.id] != 0);
}

std::optional<Stragglers> FindStragglers(const BlockContext& block, ir::FloatEnv base_env,
                                         int parts) {
  return StragglerFinder(block, base_env).Find(parts);
}

}  // namespace gcnjit::backend
