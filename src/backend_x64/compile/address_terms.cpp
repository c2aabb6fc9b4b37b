#include "backend_x64/compile/address_terms.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr int kMostVisits = 64;  // sums of sums of the same values must not take for ever
constexpr size_t kMostTerms = 8;
constexpr uint32_t kMostShift = 31;

class TermFinder {
 public:
  explicit TermFinder(const ir::Function& function) : function_(function) {}

  bool Take(Value v, uint32_t shift) {
    if (++visits_ > kMostVisits) return false;
    const Inst& inst = function_[v];
    if (inst.op == Op::kConst) {
      found_.constant += static_cast<uint64_t>(inst.imm) << shift;
      return true;
    }
    if (inst.type == Type::kU64) {
      found_.bases.push_back({v, {}, shift});
      return true;
    }
    if (inst.type != Type::kV64) return false;
    switch (inst.op) {
      case Op::kSext:
      case Op::kZext: return TakeLanes({inst.args[0], {}, inst.op == Op::kSext, 1}, shift);
      case Op::kMulWideS:
      case Op::kMulWideU: return TakeProduct(inst, shift);
      case Op::kAdd: return Take(inst.args[0], shift) && Take(inst.args[1], shift);
      case Op::kShl: {
        const Inst& count = function_[inst.args[1]];
        const uint64_t by = shift + (static_cast<uint64_t>(count.imm) & 63);
        if (count.op != Op::kConst || by > kMostShift) return false;
        return Take(inst.args[0], static_cast<uint32_t>(by));
      }
      case Op::kPack: return TakeHalves(inst, shift);
      default: return false;
    }
  }

  AddressTerms&& found() { return std::move(found_); }

 private:
  bool TakeLanes(AddressTerm term, uint32_t shift) {
    if (function_[term.lanes].type != Type::kV32 || found_.lanes.size() == kMostTerms) return false;
    term.factor <<= shift;
    found_.lanes.push_back(term);
    return true;
  }

  bool TakeProduct(const Inst& inst, uint32_t shift) {
    const bool is_signed = inst.op == Op::kMulWideS;
    for (int n = 0; n < 2; ++n) {
      const Value by = inst.args[1 - n];
      if (ir::IsLanes(function_[by].type)) continue;
      if (function_[by].op != Op::kConst) return TakeLanes({inst.args[n], by, is_signed, 1}, shift);
      const int64_t number = function_[by].imm;
      if (number <= 0 || number > INT32_MAX) return false;
      return TakeLanes({inst.args[n], {}, is_signed, static_cast<uint64_t>(number)}, shift);
    }
    return false;
  }

  // The lower half of a sum, and its upper one to which products are added: of 64 by 64 bits.
  bool TakeHalves(const Inst& inst, uint32_t shift) {
    const Inst& low = function_[inst.args[0]];
    if (low.op != Op::kLow) return false;
    found_.has_halves = true;
    sum_ = low.args[0];
    sums_ = 0;
    return TakeUpper(inst.args[1], {}, shift) && sums_ == 1 && Take(sum_, shift);
  }

  // v * by, v of 32 bits, which is added to the upper half.
  bool TakeUpper(Value v, Value by, uint32_t shift) {
    if (++visits_ > kMostVisits) return false;
    const Inst& inst = function_[v];
    if (inst.type == Type::kU32) {
      found_.bases.push_back({v, by, 32 + shift});
      return true;
    }
    if (inst.type != Type::kV32) return false;
    if (inst.op == Op::kHigh && inst.args[0] == sum_ && !by) return ++sums_ == 1;
    if (inst.op == Op::kAdd) {
      return TakeUpper(inst.args[0], by, shift) && TakeUpper(inst.args[1], by, shift);
    }
    if (inst.op == Op::kAshr && IsConst(inst.args[1], 31)) {  // 0 without a sign
      found_.without_sign.push_back(inst.args[0]);
      return true;
    }
    if (const std::optional<Value> sum = CarriedSum(inst)) {
      // It does not wrap around where both have no sign, and neither has it.
      const Inst& terms = function_[*sum];
      for (const Value v : {*sum, terms.args[0], terms.args[1]}) found_.without_sign.push_back(v);
      return true;
    }
    if (inst.op == Op::kMul && !by) {
      for (int n = 0; n < 2; ++n) {
        const Value scalar = inst.args[1 - n];
        if (function_[scalar].type != Type::kU32) continue;
        return TakeUpper(inst.args[n], scalar, shift);
      }
    }
    if (by) found_.zeros.push_back(by);
    return by.id != Value{}.id;
  }

  // Of what is 1 where the sum has wrapped around, else 0.
  std::optional<Value> CarriedSum(const Inst& inst) const {
    if (inst.op != Op::kSelect || !IsConst(inst.args[1], 1) || !IsConst(inst.args[2], 0)) {
      return std::nullopt;
    }
    const Inst& compare = function_[inst.args[0]];
    if (compare.op != Op::kLtU) return std::nullopt;
    const Inst& sum = function_[compare.args[0]];
    const Value term = compare.args[1];
    const bool is_sum = sum.op == Op::kAdd && sum.type == Type::kV32 &&
                        (sum.args[0] == term || sum.args[1] == term);
    return is_sum ? std::optional(compare.args[0]) : std::nullopt;
  }

  bool IsConst(Value v, int64_t number) const {
    return function_[v].op == Op::kConst && function_[v].imm == number;
  }

  const ir::Function& function_;
  AddressTerms found_;
  Value sum_;     // whose halves are taken
  int sums_ = 0;  // how often its upper half is
  int visits_ = 0;
};

}  // namespace

std::optional<AddressTerms> AddressTermsOf(const ir::Function& function, Value v64) {
  TermFinder finder(function);
  if (!finder.Take(v64, 0)) return std::nullopt;
  return finder.found();
}

}  // namespace gcnjit::backend
