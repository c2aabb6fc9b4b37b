// Computes only the lower halves of 64-bit lanes whose upper halves no operation reads.
// Compilers multiply and add 32-bit numbers with v_mad_u64_u32, and use half of what it gives.
#include <initializer_list>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class HalfNarrower {
 public:
  explicit HalfNarrower(Function& function)
      : function_(function),
        needs_(function.insts.size(), Need::kNone),
        low_of_(function.insts.size()),
        instead_of_(function.insts.size()) {}

  void Run(Block& block) {
    FindNeeds(block);
    out_.clear();
    out_.reserve(block.insts.size() + 8);
    for (const Value v : block.insts) {
      for (int n = 0; n < function_[v].argument_count; ++n) {
        const Value instead = instead_of_[function_[v].args[n].id];
        if (instead) function_[v].args[n] = instead;
      }
      const Inst inst = function_[v];
      out_.push_back(v);
      if (inst.op == Op::kLow) {
        instead_of_[v.id] = low_of_[inst.args[0].id];
      } else if (inst.type == Type::kV64 && needs_[v.id] == Need::kLow) {
        low_of_[v.id] = LowOf(inst);
      }
    }
    block.insts.swap(out_);
  }

 private:
  enum class Need : uint8_t { kNone, kLow, kAll };

  static bool IsHalfByHalf(Op op) {
    return op == Op::kAdd || op == Op::kSub || op == Op::kAnd || op == Op::kOr || op == Op::kXor;
  }

  // By values that are used; dead ones are removed by a later pass.
  void FindNeeds(const Block& block) {
    for (auto at = block.insts.rbegin(); at != block.insts.rend(); ++at) {
      const Inst& inst = function_[*at];
      const Need need = needs_[at->id];
      if (need == Need::kNone && InfoOf(inst.op).effect == Effect::kPure) continue;
      const bool wants_low = inst.op == Op::kLow || (IsHalfByHalf(inst.op) && need == Need::kLow);
      for (int n = 0; n < inst.argument_count; ++n) {
        Need& of = needs_[inst.args[n].id];
        if (of != Need::kAll) of = wants_low ? Need::kLow : Need::kAll;
      }
    }
  }

  // The lower half as 32-bit lanes; none: it costs as much as the whole.
  Value LowOf(const Inst& inst) {
    // Scalars are left to the scalar code.
    const bool is_uniform = !IsLanes(function_[inst.args[0]].type) &&
                            (inst.argument_count < 2 || !IsLanes(function_[inst.args[1]].type));
    if (is_uniform) return {};
    if (inst.op == Op::kMulWideU || inst.op == Op::kMulWideS) {
      return Emit(Op::kMul, Type::kV32, inst.guest, {inst.args[0], inst.args[1]});
    }
    if (inst.op == Op::kPack || inst.op == Op::kZext || inst.op == Op::kSext) {
      return function_[inst.args[0]].type == Type::kV32 ? inst.args[0] : Value{};
    }
    if (!IsHalfByHalf(inst.op)) return {};
    Value halves[2];
    for (int n = 0; n < 2; ++n) {
      const Value whole = inst.args[n];
      halves[n] = low_of_[whole.id];
      if (halves[n]) continue;
      if (function_[whole].type != Type::kU64) return {};
      halves[n] = Emit(Op::kLow, Type::kU32, inst.guest, {whole});
    }
    return Emit(inst.op, Type::kV32, inst.guest, {halves[0], halves[1]});
  }

  // After the operation whose lower half it is, which has no use left.
  Value Emit(Op op, Type type, uint16_t guest, std::initializer_list<Value> arguments) {
    const Value v = Append(function_, Inst::Of(op, type, guest, arguments));
    low_of_.emplace_back();
    instead_of_.emplace_back();
    needs_.push_back(Need::kAll);
    out_.push_back(v);
    return v;
  }

  Function& function_;
  std::vector<Need> needs_;
  std::vector<Value> low_of_;      // by 64-bit value
  std::vector<Value> instead_of_;  // by kLow
  std::vector<Value> out_;
};

}  // namespace

void NarrowHalves(Function& function) {
  HalfNarrower narrower(function);
  for (Block& block : function.blocks) narrower.Run(block);
}

}  // namespace gcnjit::ir
