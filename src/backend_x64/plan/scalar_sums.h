// Scalars of a block as sums of products, modulo 2^32: how far apart two of them are, in multiples
// of a third one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

class ScalarSums {
 public:
  explicit ScalarSums(const ir::Function& function) : function_(function) {}

  struct Distance {
    int32_t steps = 0;
    int32_t rest = 0;
  };
  // to - from = steps * step + rest, all of them u32; no step: 0. None: that is not known.
  std::optional<Distance> Between(ir::Value from, ir::Value to, ir::Value step);
  // The scalar of which to - from is a multiple, but for a constant. None: there is no such one.
  ir::Value StepBetween(ir::Value from, ir::Value to);

 private:
  // By the factors of a product, ascending: how many there are. Of none: a constant.
  using Factors = std::vector<uint32_t>;
  using Sum = std::map<Factors, uint32_t>;

  Sum Difference(ir::Value a, ir::Value b);
  const Sum& SumOf(ir::Value v, int depth);
  Sum Make(ir::Value v, int depth);
  static void Add(Sum& to, const Sum& other, uint32_t times);
  static std::optional<Sum> Product(const Sum& a, const Sum& b);

  const ir::Function& function_;
  std::map<uint32_t, Sum> sums_;  // by value id
};

}  // namespace gcnjit::backend
