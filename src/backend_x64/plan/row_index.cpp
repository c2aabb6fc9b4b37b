#include "backend_x64/plan/row_index.h"

#include <cstdint>
#include <utility>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// The arguments of a sum or product, those for which `is_first` holds first.
template <typename F>
std::optional<std::pair<Value, Value>> ArgumentsOf(const ir::Function& function, Value v, Op op,
                                                   const F& is_first) {
  const Inst& inst = function[v];
  if (inst.op != op || inst.type != Type::kV32) return std::nullopt;
  for (int n = 0; n < 2; ++n) {
    if (is_first(inst.args[n])) return std::pair(inst.args[n], inst.args[1 - n]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<RowIndex> RowIndexOf(const ir::Function& function, Value index) {
  const auto is_scalar = [&](Value v) { return function[v].type == Type::kU32; };
  const auto is_of_lane = [&](Value v, Op op) {
    const Inst& inst = function[v];
    return inst.op == op && function[inst.args[0]].op == Op::kLaneId &&
           function[inst.args[1]].op == Op::kConst;
  };
  const auto number = [&](Value v) {
    return static_cast<uint32_t>(function[function[v].args[1]].imm);
  };
  const auto sum = ArgumentsOf(function, index, Op::kAdd, is_scalar);
  if (!sum) return std::nullopt;
  const auto lanes = ArgumentsOf(function, sum->second, Op::kAdd,
                                 [&](Value v) { return is_of_lane(v, Op::kAnd); });
  if (!lanes) return std::nullopt;
  const auto rows = ArgumentsOf(function, lanes->second, Op::kMul, is_scalar);
  if (!rows || !is_of_lane(rows->second, Op::kLshr)) return std::nullopt;
  const uint32_t shift = number(rows->second);
  if (shift >= 6 || number(lanes->first) != (1u << shift) - 1) return std::nullopt;
  return RowIndex{sum->first, rows->first, 1 << shift};
}

}  // namespace gcnjit::backend
