#include "backend_x64/compile/linear_accesses.h"

#include <bitset>
#include <optional>

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

class LinearFinder {
 public:
  explicit LinearFinder(const ir::Function& alone) : alone_(alone), block_(alone.blocks[0]) {}

  std::vector<LinearAccess> Find() {
    if (!alone_.BranchesToItself(block_) || !CollectSets()) return {};
    constexpr size_t kMost = 12;
    std::vector<LinearAccess> accesses;
    bool has_store = false;
    for (const Value v : block_.insts) {
      const Inst& inst = Of(v);
      const Effect effect = ir::InfoOf(inst.op).effect;
      if (inst.op == Op::kLoadLds || (effect != Effect::kRead && effect != Effect::kWrite))
        continue;
      const std::optional<LinearAccess> access = LinearOf(inst);
      if (!access || accesses.size() == kMost) return {};
      has_store |= access->is_store;
      accesses.push_back(*access);
    }
    if (!has_store) accesses.clear();
    return accesses;
  }

 private:
  const Inst& Of(Value v) const { return alone_[v]; }

  // False: registers change in a way that is not followed.
  bool CollectSets() {
    for (const Value v : block_.insts) {
      const Inst& inst = Of(v);
      switch (inst.op) {
        case Op::kSetVgpr:
          if (vgprs_.test(static_cast<size_t>(inst.imm))) return false;
          vgprs_.set(static_cast<size_t>(inst.imm));
          sets_.push_back(v);
          break;
        case Op::kSetSgpr64: written_.set(static_cast<size_t>(inst.imm) + 1); [[fallthrough]];
        case Op::kSetSgpr:
          written_.set(static_cast<size_t>(inst.imm));
          sets_.push_back(v);
          break;
        case Op::kSetVgprAt:
        case Op::kNoteExec:
        case Op::kSetMode:
        case Op::kSkipped: return false;
        default: break;
      }
    }
    return !written_.test(ir::kExec) && !written_.test(ir::kExec + 1);
  }

  std::optional<LinearAccess> LinearOf(const Inst& inst) const {
    if (inst.op != Op::kLoad && inst.op != Op::kStore) return {};
    const ir::MemoryAccess form = inst.access();
    if (form.space != ir::Space::kGlobal || !IsExec(inst.args[2])) return {};
    LinearAccess access;
    access.imm = static_cast<int32_t>(inst.imm);
    access.bytes = form.bytes;
    access.is_store = inst.op == Op::kStore;
    access.is_indexed = form.indexed;
    access.is_index_signed = form.index_signed;
    access.index_shift = form.index_shift;
    const bool is_linear = form.indexed ? TakeIndexed(inst.args[0], inst.args[1], access)
                                        : TakePair(inst.args[0], inst.args[1], access);
    return is_linear ? std::optional(access) : std::nullopt;
  }

  bool TakeIndexed(Value index, Value base, LinearAccess& access) const {
    if (Of(base).op != Op::kGetSgpr64) return false;
    access.high = static_cast<uint32_t>(Of(base).imm);
    Value get = index;
    if (Of(index).op == Op::kAdd) {
      const bool is_first = Of(Of(index).args[0]).op == Op::kGetVgpr;
      get = Of(index).args[is_first ? 0 : 1];
      const std::optional<LoopScalar> offset = ScalarOf(Of(index).args[is_first ? 1 : 0]);
      if (!offset) return false;
      access.index.offset = *offset;
    }
    if (Of(get).op != Op::kGetVgpr) return false;
    access.low = static_cast<uint32_t>(Of(get).imm);
    return StepBase(base, access) && StepIndex(get, access);
  }

  bool TakePair(Value low, Value high, LinearAccess& access) const {
    if (Of(low).op == Op::kGetVgpr && Of(high).op == Op::kGetVgpr) {
      access.low = static_cast<uint32_t>(Of(low).imm);
      access.high = static_cast<uint32_t>(Of(high).imm);
      return StepPair(access);
    }
    // What both VGPRs get.
    for (const Value set_low : sets_) {
      if (Of(set_low).op != Op::kSetVgpr || !(Of(set_low).args[0] == low)) continue;
      for (const Value set_high : sets_) {
        if (Of(set_high).op != Op::kSetVgpr || !(Of(set_high).args[0] == high)) continue;
        access.low = static_cast<uint32_t>(Of(set_low).imm);
        access.high = static_cast<uint32_t>(Of(set_high).imm);
        access.is_after_step = true;
        if (StepPair(access)) return true;
      }
    }
    return false;
  }

  bool IsExec(Value mask) const {
    const Inst& inst = Of(mask);
    return (inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec) ||
           (inst.op == Op::kConst && inst.imm == -1);
  }
  bool IsGet(Value v, Op op, uint32_t number) const {
    return Of(v).op == op && static_cast<uint32_t>(Of(v).imm) == number;
  }

  // What the register has in the next iteration. None: it is not written.
  Value NextOf(Op set, uint32_t number) const {
    for (const Value v : sets_) {
      if (!IsGet(v, set, number)) continue;
      const Value next = Of(v).args[0];
      // Lanes that EXEC does not have access nothing.
      const bool is_kept = Of(next).op == Op::kSelect && IsExec(Of(next).args[0]);
      return is_kept ? Of(next).args[1] : next;
    }
    return {};
  }

  std::optional<LoopScalar> ScalarOf(Value v) const {
    const Inst& inst = Of(v);
    if (inst.op == Op::kConst) return LoopScalar{0, static_cast<uint32_t>(inst.imm)};
    if (inst.op != Op::kGetSgpr || written_.test(static_cast<size_t>(inst.imm))) return {};
    return LoopScalar{1, static_cast<uint32_t>(inst.imm)};
  }
  // Of 64 bits, its two dwords.
  bool ScalarsOf(Value v, LoopScalar (&scalars)[2]) const {
    const Inst& inst = Of(v);
    if (inst.op == Op::kConst) {
      scalars[0] = {0, static_cast<uint32_t>(inst.imm)};
      scalars[1] = {0, static_cast<uint32_t>(static_cast<uint64_t>(inst.imm) >> 32)};
      return true;
    }
    if (inst.op == Op::kGetSgpr64) {
      for (uint32_t half = 0; half < 2; ++half) {
        scalars[half] = {1, static_cast<uint32_t>(inst.imm) + half};
        if (written_.test(scalars[half].value)) return false;
      }
      return true;
    }
    if (inst.op != Op::kPack) return false;
    for (int half = 0; half < 2; ++half) {
      const std::optional<LoopScalar> scalar = ScalarOf(inst.args[half]);
      if (!scalar) return false;
      scalars[half] = *scalar;
    }
    return true;
  }

  bool StepIndex(Value index, LinearAccess& access) const {
    const Value next = NextOf(Op::kSetVgpr, access.low);
    if (!next || next == index) return true;
    const Inst& sum = Of(next);
    if (sum.op != Op::kAdd) return false;
    const bool is_first = IsGet(sum.args[0], Op::kGetVgpr, access.low);
    if (!is_first && !IsGet(sum.args[1], Op::kGetVgpr, access.low)) return false;
    const std::optional<LoopScalar> step = ScalarOf(sum.args[is_first ? 1 : 0]);
    if (step) access.index.step = *step;
    return step.has_value();
  }

  bool StepBase(Value base, LinearAccess& access) const {
    if (!written_.test(access.high) && !written_.test(access.high + 1)) return true;
    // Written as a pair, and as nothing else.
    for (const Value v : sets_) {
      const Inst& set = Of(v);
      if (set.op == Op::kSetVgpr) continue;
      const auto first = static_cast<uint32_t>(set.imm);
      const uint32_t last = first + (set.op == Op::kSetSgpr64 ? 1 : 0);
      const bool touches = first <= access.high + 1 && last >= access.high;
      if (touches && !(set.op == Op::kSetSgpr64 && first == access.high)) return false;
    }
    const Value next = NextOf(Op::kSetSgpr64, access.high);
    if (next == base) return true;
    const Inst& sum = Of(next);
    if (sum.op != Op::kAdd) return false;
    const bool is_first = IsGet(sum.args[0], Op::kGetSgpr64, access.high);
    if (!is_first && !IsGet(sum.args[1], Op::kGetSgpr64, access.high)) return false;
    return ScalarsOf(sum.args[is_first ? 1 : 0], access.step);
  }

  // Two VGPRs to which 64 bits are added, at once or half by half with a carry.
  bool StepPair(LinearAccess& access) const {
    const Value low = NextOf(Op::kSetVgpr, access.low);
    const Value high = NextOf(Op::kSetVgpr, access.high);
    const bool same_low = !low || IsGet(low, Op::kGetVgpr, access.low);
    const bool same_high = !high || IsGet(high, Op::kGetVgpr, access.high);
    if (same_low && same_high) return true;
    if (same_low) return false;
    if (same_high) {
      access.steps_low_alone = true;
      return StepLow(low, access);
    }
    if (Of(low).op == Op::kLow && Of(high).op == Op::kHigh && Of(low).args[0] == Of(high).args[0]) {
      return StepOfSum(Of(low).args[0], access);
    }
    return StepLow(low, access) && StepHigh(low, high, access);
  }

  bool StepOfSum(Value sum, LinearAccess& access) const {
    const Inst& inst = Of(sum);
    if (inst.op != Op::kAdd) return false;
    const auto is_pair = [&](Value v) {
      return Of(v).op == Op::kPack && IsGet(Of(v).args[0], Op::kGetVgpr, access.low) &&
             IsGet(Of(v).args[1], Op::kGetVgpr, access.high);
    };
    if (is_pair(inst.args[0])) return ScalarsOf(inst.args[1], access.step);
    return is_pair(inst.args[1]) && ScalarsOf(inst.args[0], access.step);
  }

  bool StepLow(Value next, LinearAccess& access) const {
    const Inst& sum = Of(next);
    if (sum.op != Op::kAdd) return false;
    const bool is_first = IsGet(sum.args[0], Op::kGetVgpr, access.low);
    if (!is_first && !IsGet(sum.args[1], Op::kGetVgpr, access.low)) return false;
    const std::optional<LoopScalar> step = ScalarOf(sum.args[is_first ? 1 : 0]);
    if (step) access.step[0] = *step;
    return step.has_value();
  }

  // The sum, in any order, of the VGPR, the carry of `next_low`, and maybe a scalar.
  bool StepHigh(Value next_low, Value next, LinearAccess& access) const {
    int highs = 0;
    int carries = 0;
    int scalars = 0;
    const auto take = [&](auto& self, Value v, int depth) -> bool {
      if (IsGet(v, Op::kGetVgpr, access.high)) return ++highs == 1;
      if (IsCarry(v, next_low, access)) return ++carries == 1;
      if (const std::optional<LoopScalar> scalar = ScalarOf(v)) {
        access.step[1] = *scalar;
        return ++scalars == 1;
      }
      const Inst& sum = Of(v);
      return depth < 2 && sum.op == Op::kAdd && self(self, sum.args[0], depth + 1) &&
             self(self, sum.args[1], depth + 1);
    };
    return take(take, next, 0) && highs == 1 && carries == 1;
  }
  bool IsCarry(Value v, Value next_low, const LinearAccess& access) const {
    const Inst& one = Of(v);
    if (one.op != Op::kSelect) return false;
    const auto is = [&](Value c, int64_t value) {
      return Of(c).op == Op::kConst && Of(c).imm == value;
    };
    const Inst& carry = Of(one.args[0]);
    if (!is(one.args[1], 1) || !is(one.args[2], 0) || carry.op != Op::kLtU) return false;
    if (!(carry.args[0] == next_low)) return false;
    const std::optional<LoopScalar> step = ScalarOf(carry.args[1]);
    return step && step->is_sgpr == access.step[0].is_sgpr && step->value == access.step[0].value;
  }

  const ir::Function& alone_;
  const ir::Block& block_;
  std::vector<Value> sets_;
  std::bitset<ir::kVgprs> vgprs_;  // that are written
  std::bitset<132> written_;       // SGPRs, likewise
};

}  // namespace

std::vector<LinearAccess> FindLinearAccesses(const ir::Function& alone) {
  return LinearFinder(alone).Find();
}

}  // namespace gcnjit::backend
