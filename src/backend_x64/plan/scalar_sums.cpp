#include "backend_x64/plan/scalar_sums.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {
constexpr size_t kMostProducts = 12;  // of a sum
}  // namespace

std::optional<ScalarSums::Distance> ScalarSums::Between(Value from, Value to, Value step) {
  Sum distance = Difference(to, from);
  const Sum unit = step ? SumOf(step, 0) : Sum();
  Distance found;
  // A product of both, which tells how many there are.
  const auto product = std::ranges::find_if(distance, [&](const auto& entry) {
    return !entry.first.empty() && unit.contains(entry.first);
  });
  if (product != distance.end()) {
    const auto whole = static_cast<int32_t>(product->second);
    const auto part = static_cast<int32_t>(unit.at(product->first));
    if (part == -1) {
      found.steps = static_cast<int32_t>(0 - product->second);
    } else if (whole % part == 0) {
      found.steps = whole / part;
    }
    Add(distance, unit, 0 - static_cast<uint32_t>(found.steps));
  }
  const uint32_t rest = distance[Factors()];
  distance.erase(Factors());
  if (!distance.empty()) return std::nullopt;
  found.rest = static_cast<int32_t>(rest);
  return found;
}

Value ScalarSums::StepBetween(Value from, Value to) {
  Sum distance = Difference(to, from);
  distance.erase(Factors());
  const bool is_multiple = distance.size() == 1 && distance.begin()->first.size() == 1;
  return is_multiple ? Value{distance.begin()->first.front()} : Value{};
}

ScalarSums::Sum ScalarSums::Difference(Value a, Value b) {
  Sum difference = SumOf(a, 0);
  Add(difference, SumOf(b, 0), ~uint32_t{0});
  return difference;
}

const ScalarSums::Sum& ScalarSums::SumOf(Value v, int depth) {
  const auto known = sums_.find(v.id);
  if (known != sums_.end()) return known->second;
  return sums_.emplace(v.id, Make(v, depth)).first->second;
}

ScalarSums::Sum ScalarSums::Make(Value v, int depth) {
  constexpr int kMostDepth = 16;
  const Inst& inst = function_[v];
  const Sum itself{{{v.id}, 1}};
  if (inst.op == Op::kConst) return {{{}, static_cast<uint32_t>(inst.imm)}};
  if (depth == kMostDepth || inst.type != ir::Type::kU32) return itself;
  const auto of = [&](int n) -> const Sum& { return SumOf(inst.args[n], depth + 1); };
  switch (inst.op) {
    case Op::kAdd:
    case Op::kSub: {
      Sum sum = of(0);
      Add(sum, of(1), inst.op == Op::kAdd ? 1 : ~uint32_t{0});
      return sum.size() <= kMostProducts ? sum : itself;
    }
    case Op::kMul: return Product(of(0), of(1)).value_or(itself);
    case Op::kShl: {
      const Inst& count = function_[inst.args[1]];
      if (count.op != Op::kConst) return itself;
      Sum sum;
      Add(sum, of(0), 1u << (count.imm & 31));
      return sum;
    }
    default: return itself;
  }
}

void ScalarSums::Add(Sum& to, const Sum& other, uint32_t times) {
  for (const auto& [factors, count] : other) {
    const auto place = to.try_emplace(factors, 0).first;
    place->second += count * times;
    if (place->second == 0) to.erase(place);
  }
}

// None: it is too long.
std::optional<ScalarSums::Sum> ScalarSums::Product(const Sum& a, const Sum& b) {
  constexpr size_t kMostFactors = 4;
  if (a.size() * b.size() > kMostProducts) return std::nullopt;
  Sum product;
  for (const auto& [factors, count] : a) {
    for (const auto& [others, times] : b) {
      Factors all;
      std::ranges::merge(factors, others, std::back_inserter(all));
      if (all.size() > kMostFactors) return std::nullopt;
      Add(product, {{std::move(all), count}}, times);
    }
  }
  return product;
}

}  // namespace gcnjit::backend
