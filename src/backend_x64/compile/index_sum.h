// An index as a sum of lanes, scalars and a constant: so that indices which differ by scalars and
// constants alone have their lanes in common.
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

#include "backend_x64/compile/address_terms.h"
#include "ir/builder.h"
#include "ir/function.h"

namespace gcnjit::backend {

class IndexSum {
 public:
  explicit IndexSum(const ir::Function& function) : function_(function) {}

  // Modulo 2^32. The term's factor is shifted right by `shift`, of which none of its bits is lost.
  void Add(const AddressTerm& term, uint32_t shift);
  // No number of it has wrapped around.
  int64_t constant() const { return constant_; }
  // Are they one but for the constant?
  auto Key() const { return std::tie(lanes_, scalars_); }
  // v32, without the constant.
  ir::Value Emit(ir::Builder& builder);

 private:
  // value * by * factor.
  struct Part {
    ir::Value value;
    ir::Value by;  // u32; none: 1
    uint32_t factor = 0;
    friend auto operator<=>(const Part& a, const Part& b) {
      return std::tie(a.value.id, a.by.id, a.factor) <=> std::tie(b.value.id, b.by.id, b.factor);
    }
    friend bool operator==(const Part& a, const Part& b) { return (a <=> b) == 0; }
  };

  void Add(ir::Value v, ir::Value by, int64_t factor);
  static ir::Value Emit(ir::Builder& builder, const std::vector<Part>& parts);

  const ir::Function& function_;
  std::vector<Part> lanes_;
  std::vector<Part> scalars_;
  int64_t constant_ = 0;
};

}  // namespace gcnjit::backend
