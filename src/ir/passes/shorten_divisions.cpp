// Divisions of lanes by a scalar. Compilers divide u32 n by d as follows, the first line by way of
// f32, which gives z such that q is too small by 2 at most (d = 0: z is the largest number):
//
//   z about 2^32/d              q = mulhi(n, z)             r = n - q*d
//   c = d <= r                  q' = c ? q+1 : q            r' = c ? r-d : r
//   c' = d <= r'                q'' = c' ? q'+1 : q'        r'' = c' ? r'-d : r'
//
// Here z becomes 2^32/d itself, rounded down, by way of f64; then q is too small by 1 at most,
//
//   n/d - n*z/2^32 = n/2^32 * (2^32/d - z) < 1
//
// and q' and r' are the results. (f64 has 53 bits: 2^32/d is no whole number nearer to one than
// 1/d, and is not rounded to it. For d = 1, z is the largest number, and that holds, too.) Where d
// is 0, c and c' always hold: q' is q+2.
//
// That compilers' z is as good as they promise has been tried for every d but 0: z*d is less than
// 2^32, by less than 2*d.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

constexpr int64_t kScale = 0x4F7FFFFE;            // of f32: 2^32 - 512
constexpr int64_t kTwoTo32 = 0x41F0000000000000;  // of f64

class Shortener {
 public:
  Shortener(Function& function, Block& block) : function_(function), block_(block) {}

  void Run() {
    users_.assign(function_.insts.size(), {});
    for (const Value v : block_.insts) {
      const Inst& inst = function_[v];
      for (int n = 0; n < inst.argument_count; ++n) users_[inst.args[n].id].push_back(v);
    }
    std::vector<Value> out;
    std::vector<Division> found;
    for (const Value v : block_.insts) {
      if (const auto division = DivisionAt(v)) found.push_back(*division);
    }
    if (found.empty()) return;
    size_t next = 0;
    for (const Value v : block_.insts) {
      if (next < found.size() && found[next].quotient == v) Shorten(found[next++], out);
      out.push_back(v);
    }
    block_.insts.swap(out);
  }

 private:
  // Names as above, with numbers for primes.
  struct Division {
    Value d;
    Value quotient;  // q
    Value quotient1, remainder1;
    Value quotient2, remainder2;  // none if only the other one is wanted
    Value next_quotient;          // q + 1
  };

  const Inst& Def(Value v) const { return function_[v]; }
  bool IsConst(Value v, int64_t value) const {
    return Def(v).op == Op::kConst && Def(v).imm == value;
  }
  // The other operand; none: it is no such operation with `one`.
  Value OtherOf(Value v, Op op, Value one) const {
    const Inst& inst = Def(v);
    if (inst.op != op) return {};
    if (inst.args[0] == one) return inst.args[1];
    return inst.args[1] == one ? inst.args[0] : Value{};
  }
  bool IsDifference(Value v, Value a, Value b) const {
    return Def(v).op == Op::kSub && Def(v).args[0] == a && Def(v).args[1] == b;
  }
  bool HasUsers(Value v, size_t count) const { return users_[v.id].size() == count; }
  template <typename F>
  Value UserOf(Value v, F is_one) const {
    for (const Value user : users_[v.id]) {
      if (is_one(user)) return user;
    }
    return {};
  }

  // Is z what compilers make of d?
  bool IsReciprocal(Value z, Value d) const {
    const Inst& sum = Def(z);
    if (sum.op != Op::kAdd || sum.type != Type::kU32) return false;
    for (int n = 0; n < 2; ++n) {
      const Value first = sum.args[n];
      const Value product = OtherOf(sum.args[1 - n], Op::kMulHiU, first);
      const Value minus_d = product ? OtherOf(product, Op::kMul, first) : Value{};
      if (!minus_d || Def(minus_d).op != Op::kSub || !IsConst(Def(minus_d).args[0], 0) ||
          Def(minus_d).args[1] != d) {
        continue;
      }
      const Inst& whole = Def(first);
      if (whole.op != Op::kF32ToU32) return false;
      const Inst& scaled = Def(whole.args[0]);
      if (scaled.op != Op::kFMul || !IsConst(scaled.args[1], kScale)) return false;
      const Inst& inverse = Def(scaled.args[0]);
      if (inverse.op != Op::kFDiv || !IsConst(inverse.args[0], 0x3F800000)) return false;
      const Inst& number = Def(inverse.args[1]);
      if (number.op != Op::kU32ToF32 || number.args[0] != d) return false;
      return IsToNearest(scaled) && IsToNearest(inverse) && IsToNearest(number);
    }
    return false;
  }
  static bool IsToNearest(const Inst& inst) {
    return (inst.env().bits >> FloatEnv::kRoundShift & 3) == 0;
  }

  // `v` is q.
  std::optional<Division> DivisionAt(Value v) const {
    const Inst& product = Def(v);
    if (product.op != Op::kMulHiU || product.type != Type::kV32) return {};
    for (int n = 0; n < 2; ++n) {
      const Value z = product.args[n];
      const Value number = product.args[1 - n];
      if (Def(z).type != Type::kU32) continue;
      const Value times_d = UserOf(v, [&](Value user) {
        const Value d = OtherOf(user, Op::kMul, v);
        return d && IsReciprocal(z, d);
      });
      if (times_d) return Match(v, number, times_d, OtherOf(times_d, Op::kMul, v));
    }
    return {};
  }

  std::optional<Division> Match(Value q, Value number, Value times_d, Value d) const {
    Division division;
    division.d = d;
    division.quotient = q;
    const Value r = UserOf(times_d, [&](Value v) { return IsDifference(v, number, times_d); });
    if (!r || !HasUsers(times_d, 1)) return {};
    const std::optional<Step> first = StepOf(q, r, d);
    if (!first || !first->remainder || !HasUsers(r, 3)) return {};
    if (!HasUsers(q, first->quotient ? 3 : 1)) return {};
    const std::optional<Step> second = StepOf(first->quotient, first->remainder, d);
    if (!second || !(second->quotient || second->remainder)) return {};
    if (!HasUsers(first->remainder, second->remainder ? 3 : 1)) return {};
    if (first->quotient && (!second->quotient || !HasUsers(first->quotient, 2))) return {};
    division.quotient1 = first->quotient;
    division.remainder1 = first->remainder;
    division.quotient2 = second->quotient;
    division.remainder2 = second->remainder;
    division.next_quotient = first->next_quotient;
    return division;
  }

  // The line that begins with c, of q (which may be none) and r; c has no other use.
  struct Step {
    Value quotient, next_quotient, remainder;
  };
  std::optional<Step> StepOf(Value q, Value r, Value d) const {
    const Value c = UserOf(r, [&](Value v) {
      return Def(v).op == Op::kLeU && Def(v).args[0] == d && Def(v).args[1] == r;
    });
    if (!c) return {};
    Step step;
    for (const Value user : users_[c.id]) {
      const Inst& choice = Def(user);
      if (choice.op != Op::kSelect || choice.args[0] != c) return {};
      const Value more = choice.args[1];
      if (choice.args[2] == r && IsDifference(more, r, d) && HasUsers(more, 1)) {
        step.remainder = user;
      } else if (q && choice.args[2] == q && Def(more).op == Op::kAdd && HasUsers(more, 1) &&
                 Def(more).args[0] == q && IsConst(Def(more).args[1], 1)) {
        step.quotient = user;
        step.next_quotient = more;
      } else {
        return {};
      }
    }
    const size_t found = (step.quotient ? 1 : 0) + (step.remainder ? 1 : 0);
    return HasUsers(c, found) ? std::optional(step) : std::nullopt;
  }

  // What comes before q goes to `out`.
  void Shorten(const Division& division, std::vector<Value>& out) {
    const uint16_t guest = Def(division.quotient).guest;
    const auto emit = [&](Inst inst) {
      const Value v = Append(function_, inst);
      out.push_back(v);
      return v;
    };
    const auto constant = [&](Type type, int64_t value) {
      Inst inst = Inst::Of(Op::kConst, type, guest, {});
      inst.imm = value;
      return emit(inst);
    };
    const Value wide = emit(Inst::Of(Op::kU32ToF64, Type::kU64, guest, {division.d}));
    const Value inverse =
        emit(Inst::Of(Op::kFDiv, Type::kU64, guest, {constant(Type::kU64, kTwoTo32), wide}));
    const Value z = emit(Inst::Of(Op::kF64ToU32, Type::kU32, guest, {inverse}));
    Inst& quotient = function_[division.quotient];
    quotient.args[function_[quotient.args[0]].type == Type::kU32 ? 0 : 1] = z;
    if (division.quotient1) {
      const Value is_zero =
          emit(Inst::Of(Op::kEq, Type::kU1, guest, {division.d, constant(Type::kU32, 0)}));
      const Value more = emit(Inst::Of(Op::kZext, Type::kU32, guest, {is_zero}));
      const Value step =
          emit(Inst::Of(Op::kAdd, Type::kU32, guest, {more, constant(Type::kU32, 1)}));
      function_[division.next_quotient].args[1] = step;
      Copy(division.quotient1, division.quotient2);
    }
    if (division.remainder2) Copy(division.remainder1, division.remainder2);
  }
  void Copy(Value from, Value to) {
    const uint16_t guest = function_[to].guest;
    function_[to] = function_[from];
    function_[to].guest = guest;
  }

  Function& function_;
  Block& block_;
  std::vector<std::vector<Value>> users_;  // by value id
};

}  // namespace

void ShortenDivisions(Function& function) {
  const bool may_divide = std::any_of(
      function.insts.begin(), function.insts.end(),
      [](const Inst& inst) { return inst.op == Op::kF32ToU32 && inst.type == Type::kU32; });
  if (!may_divide) return;
  RemoveDead(function);  // which would be other uses
  for (Block& block : function.blocks) {
    // There a scalar costs as much as lanes do.
    if (!block.IsLoop()) Shortener(function, block).Run();
  }
}

}  // namespace gcnjit::ir
