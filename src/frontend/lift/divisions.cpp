#include "frontend/lift/divisions.h"

#include <algorithm>
#include <utility>

namespace gcnjit::frontend {

using ir::Inst;
using ir::Op;

// Of one division: v_div_scale's results are the denominator d and the numerator n.
class DivisionMatcher {
 public:
  DivisionMatcher(const Divisions& all, const ir::Function& function, ir::FloatEnv env, Value d,
                  Value n)
      : all_(all), function_(function), env_(env), d_(d), n_(n) {}

  // The last step: the residual of q times a reciprocal, and q.
  bool IsLast(const Divisions::Fmas& fmas) const {
    return IsStep(fmas.x, fmas.y, fmas.z) && IsQuotient(fmas.z);
  }

 private:
  static constexpr int kMostSteps = 4;

  const Inst& Def(Value v) const { return function_[v]; }

  bool Is(Value v, Op op) const {
    const Inst& inst = Def(v);
    return inst.op == op && inst.env() == env_;
  }

  bool IsOne(Value v) const {
    const Inst& inst = Def(v);
    const uint64_t one = ir::Is64(inst.type) ? 0x3FF0000000000000 : 0x3F800000;
    return inst.op == Op::kConst && static_cast<uint64_t>(inst.imm) == one;
  }

  // Is v the number x with the other sign?
  bool IsNegative(Value v, Value x) const {
    const Inst& inst = Def(v);
    if (inst.op != Op::kXor) return false;
    const uint64_t sign = ir::Is64(inst.type) ? uint64_t{1} << 63 : uint64_t{1} << 31;
    const auto is_sign = [&](Value c) {
      const auto bits = static_cast<uint64_t>(Def(c).imm);
      return Def(c).op == Op::kConst &&
             (ir::Is64(inst.type) ? bits : static_cast<uint32_t>(bits)) == sign;
    };
    return (inst.args[0] == x && is_sign(inst.args[1])) ||
           (inst.args[1] == x && is_sign(inst.args[0]));
  }

  // sum - d * x
  bool IsResidual(Value v, Value x, bool of_one) const {
    const Inst& fma = Def(v);
    if (!Is(v, Op::kFFma)) return false;
    if (of_one ? !IsOne(fma.args[2]) : fma.args[2] != n_) return false;
    const auto are = [&](Value one, Value other) {
      return (one == x && IsNegative(other, d_)) || (one == d_ && IsNegative(other, x));
    };
    return are(fma.args[0], fma.args[1]) || are(fma.args[1], fma.args[0]);
  }

  // 1/d, right to little more than half a unit.
  bool IsReciprocal(Value v, int steps = kMostSteps) const {
    const auto is_it = [&](const Divisions::Reciprocal& r) { return r.result == v && r.of == d_; };
    if (std::any_of(all_.reciprocals_.begin(), all_.reciprocals_.end(), is_it)) return true;
    if (steps == 0 || !Is(v, Op::kFFma)) return false;
    const Inst& fma = Def(v);
    const Value before = fma.args[2];
    const auto are = [&](Value residual, Value factor) {
      return factor == before && IsResidual(residual, before, /*of_one=*/true);
    };
    return (are(fma.args[0], fma.args[1]) || are(fma.args[1], fma.args[0])) &&
           IsReciprocal(before, steps - 1);
  }

  // Do x * y + q improve the quotient q?
  bool IsStep(Value x, Value y, Value q) const {
    const auto are = [&](Value residual, Value reciprocal) {
      return IsResidual(residual, q, /*of_one=*/false) && IsReciprocal(reciprocal);
    };
    return are(x, y) || are(y, x);
  }

  // n/d, wrong by less than a unit.
  bool IsQuotient(Value v, int steps = kMostSteps) const {
    const Inst& inst = Def(v);
    if (Is(v, Op::kFMul)) {
      return (inst.args[0] == n_ && IsReciprocal(inst.args[1])) ||
             (inst.args[1] == n_ && IsReciprocal(inst.args[0]));
    }
    return steps != 0 && Is(v, Op::kFFma) && IsStep(inst.args[0], inst.args[1], inst.args[2]) &&
           IsQuotient(inst.args[2], steps - 1);
  }

  const Divisions& all_;
  const ir::Function& function_;
  const ir::FloatEnv env_;
  const Value d_;
  const Value n_;
};

namespace {

// Are they the same number by what makes them? An operand is read anew by each instruction: as the
// pack of its dwords, perhaps with another sign.
bool AreSame(const ir::Function& function, Value x, Value y, int depth = 3) {
  if (x == y) return true;
  const Inst& one = function[x];
  const Inst& other = function[y];
  if (depth == 0 || ir::InfoOf(one.op).effect != ir::Effect::kPure || one.op != other.op ||
      one.type != other.type || one.aux != other.aux || one.imm != other.imm ||
      one.argument_count != other.argument_count) {
    return false;
  }
  for (int n = 0; n < one.argument_count; ++n) {
    if (!AreSame(function, one.args[n], other.args[n], depth - 1)) return false;
  }
  return true;
}

}  // namespace

bool Divisions::IsQuotient(const ir::Function& function, Value quotient, Value denominator,
                           Value numerator, ir::FloatEnv env) const {
  const auto is_same = [&function](Value x, Value y) { return AreSame(function, x, y); };
  const auto fmas = std::find_if(fmas_.begin(), fmas_.end(),
                                 [quotient](const Fmas& f) { return f.result == quotient; });
  if (fmas == fmas_.end()) return false;
  const auto is_of_these = [&](const Scale& scale, Value of) {
    return is_same(scale.of, of) && is_same(scale.denominator, denominator) &&
           is_same(scale.numerator, numerator);
  };
  for (const Scale& d : scales_) {
    if (!is_of_these(d, denominator)) continue;
    for (const Scale& n : scales_) {
      if (!is_of_these(n, numerator) || n.mask != fmas->mask) continue;
      if (DivisionMatcher(*this, function, env, d.result, n.result).IsLast(*fmas)) return true;
    }
  }
  return false;
}

}  // namespace gcnjit::frontend
