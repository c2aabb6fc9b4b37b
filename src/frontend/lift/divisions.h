// The IEEE division that compilers build, found again: v_div_scale of the denominator and of the
// numerator, v_rcp, Newton-Raphson steps of reciprocal and quotient, v_div_fmas, v_div_fixup. Its
// result is the correctly rounded quotient, which the host's division gives at once.
//
// Why it is correctly rounded, with p bits of precision, b the scaled denominator in [1, 2) and a
// the scaled numerator: v_rcp gives 1/b rounded to nearest (arith/approximate.h), a step from there
// at most 2^-p of half a unit more, so that |b*y - 1| <= b * 2^-(p+1) * (1 + 2^-p) for the last
// reciprocal y. Residuals are exact: v_div_scale leaves room for them. Where a/b is near the middle
// m of two numbers, the approximate quotient q is one of the two; then what v_div_fmas rounds
// differs from a/b by |a/b - q| * |b*y - 1|, half a unit times that. a/b differs from m, if at all,
// by 2^-p/b units or more, since a - b*m is a multiple of half a unit of a. So the sum is on the
// side of m where a/b is if b*b * (1 + 2^-p) < 4, for all b but 2 - 2^(1-p), for which
// tests/unit/frontend/lift/divisions_test.cpp tries every numerator (f32), or all that are near
// enough to a middle (f64). (P. Markstein, "Computation of elementary functions on the IBM RISC
// System/6000", 1990, theorems 7 and 8, has the same for y rounded to nearest.)
#pragma once

#include <vector>

#include "ir/function.h"

namespace gcnjit::frontend {

using ir::Value;

// What instructions of a block did to values, all of one floating-point type.
class Divisions {
 public:
  struct Scale {  // v_div_scale
    Value result;
    Value of, denominator, numerator;
    Value mask;  // as it was written to the SGPRs
  };
  struct Fmas {  // v_div_fmas: x * y + z, scaled in the lanes of the mask
    Value result;
    Value x, y, z;
    Value mask;
  };

  void Add(const Scale& scale) { scales_.push_back(scale); }
  void Add(const Fmas& fmas) { fmas_.push_back(fmas); }
  void AddReciprocal(Value result, Value of) { reciprocals_.push_back({result, of}); }

  // Is `quotient`, of v_div_fixup, what the instructions above make of these two? All of them and
  // the steps between have to round to nearest and keep denormals: their environment is `env`.
  bool IsQuotient(const ir::Function& function, Value quotient, Value denominator, Value numerator,
                  ir::FloatEnv env) const;

 private:
  struct Reciprocal {
    Value result;
    Value of;
  };

  std::vector<Scale> scales_;
  std::vector<Fmas> fmas_;
  std::vector<Reciprocal> reciprocals_;

  friend class DivisionMatcher;
};

}  // namespace gcnjit::frontend
