#include "backend_x64/compile/index_sum.h"

#include <algorithm>
#include <bit>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

void IndexSum::Add(const AddressTerm& term, uint32_t shift) {
  Add(term.lanes, term.scalar, static_cast<int64_t>(term.factor >> shift));
  std::sort(lanes_.begin(), lanes_.end());
  std::sort(scalars_.begin(), scalars_.end());
}

void IndexSum::Add(Value v, Value by, int64_t factor) {
  const Inst& inst = function_[v];
  // Scalars are sums that other code has, too.
  const bool is_sum = inst.type == Type::kV32 || function_[inst.args[1]].op == Op::kConst;
  if (inst.op == Op::kConst && !by) {
    constant_ += static_cast<int32_t>(inst.imm) * factor;
  } else if (inst.op == Op::kAdd && is_sum) {
    Add(inst.args[0], by, factor);
    Add(inst.args[1], by, factor);
  } else if (inst.op == Op::kSub && is_sum) {
    Add(inst.args[0], by, factor);
    Add(inst.args[1], by, -factor);
  } else {
    (inst.type == Type::kU32 ? scalars_ : lanes_).push_back({v, by, static_cast<uint32_t>(factor)});
  }
}

Value IndexSum::Emit(ir::Builder& builder) {
  const Value lanes = Emit(builder, lanes_);
  const Value scalars = Emit(builder, scalars_);
  return !scalars ? lanes : !lanes ? scalars : builder.Add(lanes, scalars);
}

Value IndexSum::Emit(ir::Builder& builder, const std::vector<Part>& parts) {
  Value sum;
  for (const Part& part : parts) {
    Value product = part.by ? builder.Mul(part.value, part.by) : part.value;
    if (std::has_single_bit(part.factor)) {
      product = builder.Shl(product, static_cast<uint32_t>(std::countr_zero(part.factor)));
    } else {
      product = builder.Mul(product, builder.U32(part.factor));
    }
    sum = sum ? builder.Add(sum, product) : product;
  }
  return sum;
}

}  // namespace gcnjit::backend
