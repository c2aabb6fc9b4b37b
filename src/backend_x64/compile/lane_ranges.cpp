#include "backend_x64/compile/lane_ranges.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "backend_x64/compile/early_scalars.h"
#include "backend_x64/compile/lane_sums.h"
#include "ir/builder.h"
#include "ir/passes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr int kMostDepth = 6;

// The least and the largest of a value's lanes, as signed numbers in 64 bits.
struct Range {
  Value least;
  Value most;
};

class SumFinder {
 public:
  explicit SumFinder(ir::Function& function)
      : function_(function),
        block_(function.blocks[0]),
        early_(function),
        sums_(function, early_.is_early()),
        builder_(function, tests_) {}

  bool Run() {
    for (const Value v : block_.insts) Find(v);
    if (found_.empty()) return false;
    Insert();
    Replace();
    return true;
  }

 private:
  struct Found {
    Value wide;           // v64: a sum of x and y, or a product of x and a number
    Value x;              // v32
    Value y;              // none: it is a product
    uint32_t factor = 0;  // an odd number that is shifted left by `shift`
    uint32_t shift = 0;
  };

  void Find(Value v) {
    const std::optional<Found> found = FormOf(v);
    if (!found) return;
    size_t place = 0;
    if (!HasRange(found->x, kMostDepth, place)) return;
    if (found->y && !HasRange(found->y, kMostDepth, place)) return;
    if (place >= early_.first_write()) return;
    place_ = std::max(place_, place);
    found_.push_back(*found);
  }

  std::optional<Found> FormOf(Value v) const {
    const Inst& inst = function_[v];
    if (inst.type != Type::kV64) return std::nullopt;
    if (inst.op == Op::kMulWideS || inst.op == Op::kMulWideU) return ProductOf(v);
    if (inst.op != Op::kAdd) return std::nullopt;
    const Value x = NarrowOf(inst.args[0]);
    const Value y = x ? NarrowOf(inst.args[1]) : Value{};
    if (!y) return std::nullopt;
    return Found{v, x, y};
  }

  // Of lanes and a number that is no power of two, as the size of a structure is.
  std::optional<Found> ProductOf(Value v) const {
    constexpr int64_t kMostBytes = 1 << 24;
    const Inst& inst = function_[v];
    for (int n = 0; n < 2; ++n) {
      const Inst& number = function_[inst.args[1 - n]];
      if (number.op != Op::kConst || function_[inst.args[n]].type != Type::kV32) continue;
      if (number.imm <= 0 || number.imm > kMostBytes) return std::nullopt;
      const auto factor = static_cast<uint32_t>(number.imm);
      const auto shift = static_cast<uint32_t>(std::countr_zero(factor));
      if (factor >> shift == 1) return std::nullopt;
      return Found{v, inst.args[n], {}, factor >> shift, shift};
    }
    return std::nullopt;
  }

  // What is extended; none: it is not extended lanes.
  Value NarrowOf(Value v) const {
    const Inst& inst = function_[v];
    const bool extends = inst.op == Op::kSext || inst.op == Op::kZext;
    return extends && function_[inst.args[0]].type == Type::kV32 ? inst.args[0] : Value{};
  }

  bool IsScalar(Value v) const {
    return function_[v].type == Type::kU32 && early_.is_early()[v.id] != 0;
  }

  // Are the ends of its lanes known but for scalars, of which the last is at `place`?
  bool HasRange(Value v, int depth, size_t& place) const {
    const Inst& inst = function_[v];
    if (IsScalar(v)) {
      place = std::max(place, early_.PlaceOf(v));
      return true;
    }
    if (const auto sum = sums_.Narrow(v)) {
      if (sum->scalar) place = std::max(place, early_.PlaceOf(sum->scalar));
      return true;
    }
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

  // Emits it. As long as what it is made of has not wrapped around: that is tested, too.
  Range RangeOf(Value v) {
    if (const auto known = ranges_.find(v.id); known != ranges_.end()) return known->second;
    const Inst inst = function_[v];  // a copy: emitting moves instructions
    Range range;
    if (IsScalar(v)) {
      range.least = range.most = builder_.Sext(v);
    } else if (const auto sum = sums_.Narrow(v)) {
      const Value scalar = sum->scalar ? builder_.Sext(sum->scalar) : builder_.U64(0);
      range.least = builder_.Add(scalar, builder_.U64(static_cast<uint64_t>(sum->least)));
      range.most = builder_.Add(scalar, builder_.U64(static_cast<uint64_t>(sum->most)));
    } else {
      const Range x = RangeOf(inst.args[0]);
      const Range y = RangeOf(inst.args[1]);
      range = inst.op == Op::kAdd
                  ? Range{builder_.Add(x.least, y.least), builder_.Add(x.most, y.most)}
              : inst.op == Op::kSub
                  ? Range{builder_.Sub(x.least, y.most), builder_.Sub(x.most, y.least)}
                  : ProductOfRanges(x, y);
    }
    Test(range);
    return ranges_[v.id] = range;
  }

  // One of the two is a scalar.
  Range ProductOfRanges(const Range& x, const Range& y) {
    const Value a = builder_.Mul(x.least, y.least);
    const Value b = builder_.Mul(x.most, y.most);
    const Value ascends = builder_.Emit(Op::kLtS, Type::kU1, {a, b});
    return {builder_.Emit(Op::kSelect, Type::kU64, {ascends, a, b}),
            builder_.Emit(Op::kSelect, Type::kU64, {ascends, b, a})};
  }

  // That both ends are numbers of 32 bits, or of 31 without a sign.
  void Test(const Range& range, bool has_sign = true) {
    constexpr uint64_t kHalf = uint64_t{1} << 31;
    for (const Value end : {range.least, range.most}) {
      const Value above = builder_.Add(end, builder_.U64(has_sign ? kHalf : 0));
      const Value beyond = builder_.Lshr(above, has_sign ? 32 : 31);
      beyond_ = beyond_ ? builder_.Or(beyond_, beyond) : beyond;
    }
  }

  void TestSum(const Found& found) {
    const Range x = RangeOf(found.x);
    const Range y = RangeOf(found.y);
    Test({builder_.Add(x.least, y.least), builder_.Add(x.most, y.most)});
    const Inst sum = function_[found.wide];
    if (function_[sum.args[0]].op == Op::kZext) Test(x, /*has_sign=*/false);
    if (function_[sum.args[1]].op == Op::kZext) Test(y, /*has_sign=*/false);
  }

  // A number without a sign, too, is one that has none as the other kind.
  void TestProduct(const Found& found) {
    const Range x = RangeOf(found.x);
    const Value factor = builder_.U64(found.factor);
    const bool has_sign = function_[found.wide].op == Op::kMulWideS;
    Test({builder_.Mul(x.least, factor), builder_.Mul(x.most, factor)}, has_sign);
  }

  // All tests and their guard as soon as the scalars are there, and the other dwords of a load.
  void Insert() {
    size_t place = place_;
    while (place + 1 < block_.insts.size() && function_[block_.insts[place + 1]].op == Op::kPart) {
      ++place;
    }
    builder_.SetGuest(function_[block_.insts[place]].guest);
    for (const Found& found : found_) found.y ? TestSum(found) : TestProduct(found);
    const Value fits = builder_.Emit(Op::kEq, Type::kU1, {beyond_, builder_.U64(0)});
    builder_.Emit(Op::kGuard, Type::kVoid, {fits});
    block_.insts.insert(block_.insts.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                        tests_.insts.begin(), tests_.insts.end());
  }

  void Replace() {
    ir::Block grown;
    ir::Builder builder(function_, grown);
    std::map<std::pair<uint32_t, uint32_t>, Value> narrow;  // by x, and y or the factor
    auto next = found_.begin();
    for (const Value v : block_.insts) {
      if (next != found_.end() && next->wide == v) {
        builder.SetGuest(function_[v].guest);
        Value& of = narrow[{next->x.id, next->y ? next->y.id : ~next->factor}];
        if (!of) {
          of = next->y ? builder.Add(next->x, next->y)
                       : builder.Mul(next->x, builder.U32(next->factor));
        }
        if (next->shift == 0) {
          function_[v] = Of(Op::kSext, function_[v], {of});
        } else {
          const Value extended = builder.Sext(of);
          const Value shift = builder.U32(next->shift);
          function_[v] = Of(Op::kShl, function_[v], {extended, shift});
        }
        ++next;
      }
      grown.insts.push_back(v);
    }
    block_.insts = std::move(grown.insts);
  }

  static Inst Of(Op op, const Inst& before, std::initializer_list<Value> args) {
    return Inst::Of(op, before.type, before.guest, args);
  }

  ir::Function& function_;
  ir::Block& block_;
  const EarlyScalars early_;
  const LaneSums sums_;
  std::vector<Found> found_;  // in the block's order
  size_t place_ = 0;          // of the last scalar that the ranges are made of
  ir::Block tests_;
  ir::Builder builder_;
  std::map<uint32_t, Range> ranges_;  // by value id
  Value beyond_;                      // not 0: a test has failed
};

}  // namespace

bool AssumeNarrowIndices(ir::Function& alone) {
  if (!SumFinder(alone).Run()) return false;
  ir::OptimiseAgain(alone);
  return true;
}

}  // namespace gcnjit::backend
