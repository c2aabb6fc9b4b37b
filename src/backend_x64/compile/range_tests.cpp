#include "backend_x64/compile/range_tests.h"

#include <algorithm>
#include <optional>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

bool RangeTests::IsScalar(Value v) const {
  return function_[v].type == Type::kU32 && early_.is_early()[v.id] != 0;
}

bool RangeTests::HasRange(Value v, int depth, size_t& place) const {
  const Inst& inst = function_[v];
  const auto has_scalar = [&](Value scalar) {
    place = std::max(place, early_.PlaceOf(scalar));
    return early_.PlaceOf(scalar) < early_.first_write();
  };
  if (IsScalar(v)) return has_scalar(v);
  if (const auto sum = SumOf(v)) return !sum->scalar || has_scalar(sum->scalar);
  if (inst.type != Type::kV32 || depth == 0) return false;
  switch (inst.op) {
    case Op::kAdd:
    case Op::kSub: break;
    case Op::kMul:
      if (!IsScalar(inst.args[0]) && !IsScalar(inst.args[1])) return false;
      break;
    default: return false;
  }
  return HasRange(inst.args[0], depth - 1, place) && HasRange(inst.args[1], depth - 1, place);
}

Range RangeTests::RangeOf(Value v) {
  if (const auto known = ranges_.find(v.id); known != ranges_.end()) return known->second;
  const Inst inst = function_[v];  // a copy: emitting moves instructions
  Range range;
  if (IsScalar(v)) {
    range.least = range.most = builder_.Sext(v);
  } else if (const auto sum = SumOf(v)) {
    range = RangeOfSum(*sum);
  } else {
    const Range x = RangeOf(inst.args[0]);
    const Range y = RangeOf(inst.args[1]);
    range =
        inst.op == Op::kAdd   ? Range{builder_.Add(x.least, y.least), builder_.Add(x.most, y.most)}
        : inst.op == Op::kSub ? Range{builder_.Sub(x.least, y.most), builder_.Sub(x.most, y.least)}
                              : ProductOf(x, y);
    Test(range);
  }
  return ranges_[v.id] = range;
}

std::optional<LaneSum> RangeTests::SumOf(Value v) const {
  std::optional<LaneSum> sum = sums_.Narrow(v);
  if (sum && sum->scale != 1) sum.reset();
  return sum;
}

Range RangeTests::RangeOfSum(const LaneSum& sum) {
  Ends& ends = ends_.try_emplace(sum.scalar.id, Ends{sum.least, sum.most}).first->second;
  ends.least = std::min(ends.least, sum.least);
  ends.most = std::max(ends.most, sum.most);
  const Value scalar = sum.scalar ? builder_.Sext(sum.scalar) : builder_.U64(0);
  return {builder_.Add(scalar, builder_.U64(static_cast<uint64_t>(sum.least))),
          builder_.Add(scalar, builder_.U64(static_cast<uint64_t>(sum.most)))};
}

Range RangeTests::ProductOf(const Range& x, const Range& y) {
  const Value a = builder_.Mul(x.least, y.least);
  const Value b = builder_.Mul(x.most, y.most);
  const Value ascends = builder_.Emit(Op::kLtS, Type::kU1, {a, b});
  return {builder_.Emit(Op::kSelect, Type::kU64, {ascends, a, b}),
          builder_.Emit(Op::kSelect, Type::kU64, {ascends, b, a})};
}

void RangeTests::Test(const Range& range, bool has_sign) {
  constexpr uint64_t kHalf = uint64_t{1} << 31;
  for (const Value end : {range.least, range.most}) {
    const Value above = builder_.Add(end, builder_.U64(has_sign ? kHalf : 0));
    Add(builder_.Lshr(above, has_sign ? 32 : 31));
  }
}

void RangeTests::TestNoSign(Value v) {
  if (!without_sign_.insert(v.id).second) return;
  const std::optional<LaneSum> sum = IsScalar(v) ? std::nullopt : SumOf(v);
  if (!sum) return Test(RangeOf(v), /*has_sign=*/false);
  RangeOf(v);
  ends_[sum->scalar.id].has_sign = false;
}

void RangeTests::TestZero(Value scalar) {
  if (zeros_.insert(scalar.id).second) Add(builder_.Zext(scalar));
}

void RangeTests::Add(Value beyond) { beyond_ = beyond_ ? builder_.Or(beyond_, beyond) : beyond; }

void RangeTests::TestEnds() {
  for (const auto& [scalar, ends] : ends_) {
    LaneSum sum;
    sum.scalar = Value{scalar};
    sum.least = ends.least;
    sum.most = ends.most;
    Test(RangeOfSum(sum), ends.has_sign);
  }
}

// As soon as the scalars are there, and the other dwords of a load with them: nothing stands
// between a load and its parts.
void RangeTests::Insert(size_t place) {
  std::vector<Value>& insts = function_.blocks[0].insts;
  TestEnds();
  while (place + 1 < insts.size() && function_[insts[place + 1]].op == Op::kPart) ++place;
  const Value fits = builder_.Emit(Op::kEq, Type::kU1, {beyond_, builder_.U64(0)});
  builder_.Emit(Op::kGuard, Type::kVoid, {fits});
  for (const Value v : tests_.insts) function_[v].guest = function_[insts[place]].guest;
  insts.insert(insts.begin() + static_cast<std::ptrdiff_t>(place) + 1, tests_.insts.begin(),
               tests_.insts.end());
}

}  // namespace gcnjit::backend
