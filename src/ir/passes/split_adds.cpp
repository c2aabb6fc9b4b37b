// 64-bit sums of lanes that are made of halves, and of which only halves are read, are computed by
// halves with a carry. As whole values they would be put together and taken apart again, which
// takes longer than adding twice. Passes that need whole sums have run before: what is left are
// pointers that a loop counts up in VGPRs, and the like.
#include <initializer_list>
#include <optional>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class AddSplitter {
 public:
  explicit AddSplitter(Function& function)
      : function_(function),
        is_wanted_whole_(function.insts.size()),
        halves_(function.insts.size()),
        instead_of_(function.insts.size()) {}

  void Run(Block& block) {
    FindWhole(block);
    out_.clear();
    out_.reserve(block.insts.size() + 16);
    for (const Value v : block.insts) {
      for (int n = 0; n < function_[v].argument_count; ++n) {
        const Value instead = instead_of_[function_[v].args[n].id];
        if (instead) function_[v].args[n] = instead;
      }
      out_.push_back(v);
      const Inst inst = function_[v];
      guest_ = inst.guest;
      if (inst.op == Op::kAdd && inst.type == Type::kV64 && !is_wanted_whole_[v.id]) {
        Split(v, inst);
      } else if (inst.op == Op::kLow || inst.op == Op::kHigh) {
        UseHalf(v, inst);
      }
    }
    block.insts.swap(out_);
  }

 private:
  struct Halves {
    Value low, high;  // high: none if it is 0
  };

  void FindWhole(const Block& block) {
    for (const Value v : block.insts) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kLow || inst.op == Op::kHigh) continue;
      for (int n = 0; n < inst.argument_count; ++n) is_wanted_whole_[inst.args[n].id] = true;
    }
  }

  void Split(Value v, const Inst& inst) {
    const std::optional<Halves> a = HalvesOf(inst.args[0]);
    const std::optional<Halves> b = a ? HalvesOf(inst.args[1]) : std::nullopt;
    if (!b || !(IsLane(a->low) || IsLane(b->low))) return;
    Halves sum;
    sum.low = Emit(Op::kAdd, Type::kV32, {a->low, b->low});
    // The sum is less than either term if it has wrapped around.
    const Value term = IsLane(b->low) ? a->low : b->low;
    const Value wraps = Emit(Op::kLtU, Type::kU64, {sum.low, term});
    const Value carry = Emit(Op::kSelect, Type::kV32, {wraps, Constant(1), Constant(0)});
    const Value high = !a->high ? b->high : b->high ? Sum(a->high, b->high) : a->high;
    sum.high = high ? Emit(Op::kAdd, Type::kV32, {high, carry}) : carry;
    halves_[v.id] = sum;
  }

  // None: they would have to be taken out of the value.
  std::optional<Halves> HalvesOf(Value v) {
    const Inst inst = function_[v];
    if (inst.op == Op::kConst) {
      const auto bits = static_cast<uint64_t>(inst.imm);
      const auto high = static_cast<uint32_t>(bits >> 32);
      return Halves{Constant(static_cast<uint32_t>(bits)), high == 0 ? Value{} : Constant(high)};
    }
    if (inst.type == Type::kU64) {
      return Halves{Emit(Op::kLow, Type::kU32, {v}), Emit(Op::kHigh, Type::kU32, {v})};
    }
    if (inst.op == Op::kPack) {
      const Inst& high = function_[inst.args[1]];
      const bool is_zero = high.op == Op::kConst && high.imm == 0;
      return Halves{inst.args[0], is_zero ? Value{} : inst.args[1]};
    }
    const bool extends = inst.op == Op::kZext || inst.op == Op::kSext;
    if (!extends || function_[inst.args[0]].type != Type::kV32) return std::nullopt;
    if (inst.op == Op::kZext) return Halves{inst.args[0], {}};
    return Halves{inst.args[0], Emit(Op::kAshr, Type::kV32, {inst.args[0], Constant(31)})};
  }

  void UseHalf(Value v, const Inst& inst) {
    const Halves& halves = halves_[inst.args[0].id];
    if (halves.low) instead_of_[v.id] = inst.op == Op::kLow ? halves.low : halves.high;
  }

  bool IsLane(Value v) const { return IsLanes(function_[v].type); }
  Value Sum(Value a, Value b) {
    return Emit(Op::kAdd, IsLane(a) || IsLane(b) ? Type::kV32 : Type::kU32, {a, b});
  }
  Value Constant(uint32_t value) {
    const Value v = Emit(Op::kConst, Type::kU32, {});
    function_[v].imm = value;
    return v;
  }

  Value Emit(Op op, Type type, std::initializer_list<Value> arguments) {
    const Value v = Append(function_, Inst::Of(op, type, guest_, arguments));
    is_wanted_whole_.push_back(true);
    instead_of_.emplace_back();
    halves_.emplace_back();
    out_.push_back(v);
    return v;
  }

  Function& function_;
  std::vector<bool> is_wanted_whole_;
  std::vector<Halves> halves_;     // by 64-bit sum that has been split
  std::vector<Value> instead_of_;  // by kLow and kHigh
  std::vector<Value> out_;
  uint16_t guest_ = 0;
};

}  // namespace

void SplitWideAdds(Function& function) {
  AddSplitter splitter(function);
  for (Block& block : function.blocks) splitter.Run(block);
}

}  // namespace gcnjit::ir
