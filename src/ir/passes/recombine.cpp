// The target adds 64-bit numbers in two steps, the second of which takes the first one's carry.
// Where that carry is unmasked (narrow_lanes.cpp has seen to that), the pair is one 64-bit
// addition:
//
//   lo = a0 + b0;  hi = (a1 + b1) + (lo < a0 ? 1 : 0)      ->  sum = (a1:a0) + (b1:b0)
//   lo = a0 - b0;  hi = (a1 - b1) - (a0 < b0 ? 1 : 0)      ->  difference likewise
//
// and the same with a high half of 0, which folding has removed.
//
// The instruction that made `hi` becomes the half of the wide result; so does `lo` for its users
// after that point, and the additions die if they have no other use.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class Recombiner {
 public:
  explicit Recombiner(Function& function) : function_(function), lows_(function.insts.size()) {}

  void Run(Block& block) {
    out_.clear();
    out_.reserve(block.insts.size() + 16);
    for (const Value value : block.insts) {
      guest_ = function_[value].guest;
      for (int n = 0; n < function_[value].argument_count; ++n) {
        const Value low = lows_[function_[value].args[n].id];
        if (low) function_[value].args[n] = low;
      }
      Recombine(value);
      out_.push_back(value);
    }
    block.insts.swap(out_);
  }

 private:
  const Inst& Def(Value value) const { return function_[value]; }
  bool IsConst(Value value, uint64_t constant) const {
    return Def(value).op == Op::kConst && static_cast<uint64_t>(Def(value).imm) == constant;
  }

  // The condition whose 0 or 1 the value is.
  Value ConditionOf(Value value) const {
    const Inst& inst = Def(value);
    if (inst.op == Op::kZext && Def(inst.args[0]).type == Type::kU1) return inst.args[0];
    const bool zero_or_one =
        inst.op == Op::kSelect && IsConst(inst.args[1], 1) && IsConst(inst.args[2], 0);
    return zero_or_one ? inst.args[0] : Value{};
  }

  // The sum whose carry `condition` is.
  Value CarryingSum(Value condition) const {
    const Inst& compare = Def(condition);
    if (compare.op != Op::kLtU && compare.op != Op::kEq) return {};
    const Inst& sum = Def(compare.args[0]);
    if (sum.op != Op::kAdd) return {};
    const Value term = compare.args[1];
    // sum < 1, where 1 is a term, has become sum == 0.
    const bool carries = compare.op == Op::kLtU ? sum.args[0] == term || sum.args[1] == term
                                                : IsConst(term, 0) && IsConst(sum.args[1], 1);
    return carries ? compare.args[0] : Value{};
  }

  // The difference a0 - b0 that borrows where `condition` says a0 < b0. It may stand anywhere
  // before; without one there is nothing to gain.
  Value BorrowingDifference(Value condition) const {
    const Inst& compare = Def(condition);
    if (compare.op != Op::kLtU) return {};
    // Lifted code computes the difference right before the comparison.
    constexpr uint32_t kDistance = 8;
    const size_t count = out_.size();
    size_t at = count;
    while (at > 0 && out_[at - 1] != condition) --at;
    for (uint32_t n = 0; n < kDistance && n + 1 < at; ++n) {
      const Value value = out_[at - 2 - n];
      const Inst& inst = Def(value);
      if (inst.op == Op::kSub && inst.args[0] == compare.args[0] &&
          inst.args[1] == compare.args[1]) {
        return value;
      }
    }
    return {};
  }

  void Recombine(Value value) {
    const Inst inst = Def(value);
    if (inst.op != Op::kAdd && inst.op != Op::kSub) return;
    if (inst.type != Type::kU32 && inst.type != Type::kV32) return;
    for (int n = inst.op == Op::kAdd ? 0 : 1; n < 2; ++n) {
      const Value condition = ConditionOf(inst.args[n]);
      if (!condition) continue;
      const Value low =
          inst.op == Op::kAdd ? CarryingSum(condition) : BorrowingDifference(condition);
      if (!low) continue;
      // Carries of lanes go with sums of lanes, of the low halves of the numbers.
      if (inst.type != Def(low).type) continue;
      const Halves halves = Pair(inst.op, Def(low), inst.args[1 - n]);
      const Value a = Pack(halves.a0, halves.a1);
      const Value b = Pack(halves.b0, halves.b1);
      const bool lanes = IsLanes(inst.type);
      const Value wide = Emit(inst.op, lanes ? Type::kV64 : Type::kU64, {a, b});
      lows_[low.id] = Emit(Op::kLow, inst.type, {wide});
      Inst& result = function_[value];
      result.op = Op::kHigh;
      result.argument_count = 1;
      result.args[0] = wide;
      return;
    }
  }

  struct Halves {
    Value a0, a1, b0, b1;
  };

  // How well two dwords go together as one value.
  int Affinity(Value low, Value high) const {
    const Inst& l = Def(low);
    const Inst& h = Def(high);
    if (l.op == Op::kLow && h.op == Op::kHigh && l.args[0] == h.args[0]) return 2;
    return h.op == Op::kConst || IsLanes(l.type) == IsLanes(h.type) ? 1 : 0;
  }

  // The terms of the wide operation. `high` is the high halves' sum (or difference) without the
  // carry, or one of them if the other is 0. Which term of a sum a high half belongs to does not
  // matter for the result, but for what is known of the terms.
  Halves Pair(Op op, Inst low, Value high) {
    Halves result{low.args[0], high, low.args[1], {}};
    if (Def(high).op == op) {
      result.a1 = Def(high).args[0];
      result.b1 = Def(high).args[1];
    } else {
      result.b1 = Emit(Op::kConst, Type::kU32, {});
    }
    if (op == Op::kAdd && Affinity(result.a0, result.b1) + Affinity(result.b0, result.a1) >
                              Affinity(result.a0, result.a1) + Affinity(result.b0, result.b1)) {
      std::swap(result.a1, result.b1);
    }
    return result;
  }

  Value Pack(Value low, Value high) {
    const bool lanes = IsLanes(Def(low).type) || IsLanes(Def(high).type);
    return Emit(Op::kPack, lanes ? Type::kV64 : Type::kU64, {low, high});
  }

  Value Emit(Op op, Type type, std::initializer_list<Value> args) {
    Inst inst;
    inst.op = op;
    inst.type = type;
    inst.guest = guest_;
    inst.argument_count = static_cast<uint8_t>(args.size());
    std::copy(args.begin(), args.end(), inst.args);
    const Value value = Append(function_, inst);
    lows_.emplace_back();
    out_.push_back(value);
    return value;
  }

  Function& function_;
  std::vector<Value> lows_;  // what has become of a low half
  std::vector<Value> out_;
  uint16_t guest_ = 0;
};

}  // namespace

void RecombineWideAdds(Function& function) {
  Recombiner recombiner(function);
  for (Block& block : function.blocks) recombiner.Run(block);
}

}  // namespace gcnjit::ir
