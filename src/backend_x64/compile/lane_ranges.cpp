#include "backend_x64/compile/lane_ranges.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "backend_x64/compile/address_terms.h"
#include "backend_x64/compile/index_sum.h"
#include "backend_x64/compile/range_tests.h"
#include "ir/builder.h"
#include "ir/passes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr uint64_t kMostFactor = 1 << 24;  // sums of products with it are exact in 64 bits

class SumFinder {
 public:
  explicit SumFinder(ir::Function& function)
      : function_(function), block_(function.blocks[0]), tests_(function) {}

  bool Run() {
    FindRoots();
    for (const Value v : block_.insts) {
      if (is_root_[v.id]) Find(v);
    }
    if (found_.empty()) return false;
    Test();
    tests_.Insert(place_);
    Replace();
    return true;
  }

 private:
  struct Found {
    Value wide;  // v64
    AddressTerms terms;
    uint32_t shift;  // of the index
    IndexSum index;
  };

  // Sums of which a half is used by more than other sums.
  void FindRoots() {
    is_root_.resize(function_.insts.size());
    for (const Value v : block_.insts) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kPack || inst.op == Op::kAdd || inst.op == Op::kMul) continue;
      for (int n = 0; n < inst.argument_count; ++n) {
        const Inst& half = function_[inst.args[n]];
        if (half.op != Op::kLow && half.op != Op::kHigh) continue;
        if (function_[half.args[0]].type == Type::kV64) is_root_[half.args[0].id] = true;
      }
    }
  }

  void Find(Value v) {
    std::optional<AddressTerms> terms = AddressTermsOf(function_, v);
    if (!terms || IsPlain(*terms)) return;
    uint32_t shift = 31;
    for (const AddressTerm& term : terms->lanes) {
      shift = std::min(shift, static_cast<uint32_t>(std::countr_zero(term.factor)));
    }
    size_t place = place_;
    if (!std::ranges::all_of(terms->lanes, [&](const AddressTerm& term) {
          return term.factor >> shift <= kMostFactor && HasRange(term, place);
        })) {
      return;
    }
    const auto has_range = [&](Value of) { return tests_.HasRange(of, place); };
    if (!std::ranges::all_of(terms->zeros, has_range)) return;
    if (!std::ranges::all_of(terms->without_sign, has_range)) return;
    place_ = place;
    IndexSum index(function_);
    for (const AddressTerm& term : terms->lanes) index.Add(term, shift);
    found_.push_back({v, *std::move(terms), shift, std::move(index)});
  }

  // Is it the sum of an index and scalars as it stands?
  static bool IsPlain(const AddressTerms& terms) {
    if (terms.lanes.empty()) return true;
    const AddressTerm& first = terms.lanes[0];
    return terms.lanes.size() == 1 && !first.scalar && std::has_single_bit(first.factor) &&
           !terms.has_halves;
  }

  bool HasRange(const AddressTerm& term, size_t& place) const {
    return tests_.HasRange(term.lanes, place) &&
           (!term.scalar || tests_.HasRange(term.scalar, place));
  }

  void Test() {
    std::vector<const IndexSum*> tested;
    for (const Found& found : found_) {
      for (const AddressTerm& term : found.terms.lanes) Test(term);
      for (const Value scalar : found.terms.zeros) tests_.TestZero(scalar);
      for (const Value v : found.terms.without_sign) tests_.TestNoSign(v);
      const auto is_like = [&](const IndexSum* other) { return other->Key() == found.index.Key(); };
      if (std::ranges::any_of(tested, is_like)) continue;
      tested.push_back(&found.index);
      ir::Builder& builder = tests_.builder();
      const Value constant = builder.U64(-static_cast<uint64_t>(found.index.constant()));
      Range sum = {constant, constant};
      for (const AddressTerm& term : found.terms.lanes) {
        const Range range = RangeOf(term);
        const Value factor = builder.U64(term.factor >> found.shift);
        sum.least = builder.Add(sum.least, builder.Mul(range.least, factor));
        sum.most = builder.Add(sum.most, builder.Mul(range.most, factor));
      }
      tests_.Test(sum);
    }
  }

  // A number without a sign, too, is one that has none as the other kind.
  void Test(const AddressTerm& term) {
    if (!term.is_signed) tests_.TestNoSign(term.lanes);
    if (term.scalar && !products_.contains(KeyOf(term))) tests_.Test(RangeOf(term));
  }

  using ProductKey = std::tuple<uint32_t, uint32_t, bool>;
  static ProductKey KeyOf(const AddressTerm& term) {
    return {term.lanes.id, term.scalar.id, term.is_signed};
  }

  // Without the factor.
  Range RangeOf(const AddressTerm& term) {
    const Range lanes = tests_.RangeOf(term.lanes);
    if (!term.scalar) return lanes;
    const auto [product, is_new] = products_.try_emplace(KeyOf(term));
    if (is_new) {
      ir::Builder& builder = tests_.builder();
      const Value by = term.is_signed ? builder.Sext(term.scalar) : builder.Zext(term.scalar);
      product->second = tests_.ProductOf(lanes, {by, by});
    }
    return product->second;
  }

  void Replace() {
    ir::Block grown;
    ir::Builder builder(function_, grown);
    std::vector<std::pair<const IndexSum*, Value>> made;
    auto next = found_.begin();
    for (const Value v : block_.insts) {
      if (next != found_.end() && next->wide == v) {
        builder.SetGuest(function_[v].guest);
        const auto like = std::ranges::find_if(
            made, [&](const auto& other) { return other.first->Key() == next->index.Key(); });
        const Value index = like != made.end() ? like->second : next->index.Emit(builder);
        if (like == made.end()) made.emplace_back(&next->index, index);
        Replace(builder, *next, index);
        ++next;
      }
      grown.insts.push_back(v);
    }
    block_.insts = std::move(grown.insts);
  }

  // By the index, extended and shifted, and what is the same for all lanes.
  void Replace(ir::Builder& builder, const Found& found, Value index) {
    const auto is = [&](Op op, std::initializer_list<Value> args) {
      const Inst& before = function_[found.wide];
      function_[found.wide] = Inst::Of(op, before.type, before.guest, args);
    };
    const uint64_t constant =
        found.terms.constant + (static_cast<uint64_t>(found.index.constant()) << found.shift);
    Value scalars;
    for (const AddressBase& base : found.terms.bases) {
      const Value scalar = BaseOf(builder, base);
      scalars = scalars ? SumOf(builder, scalars, scalar) : scalar;
    }
    const bool is_index = !scalars && constant == 0;
    if (is_index && found.shift == 0) return is(Op::kSext, {index});
    const Value extended = builder.Sext(index);
    const Value count = builder.U32(found.shift);
    if (is_index) return is(Op::kShl, {extended, count});
    const Value lanes = found.shift == 0 ? extended : builder.Shl(extended, count);
    if (!scalars) return is(Op::kAdd, {lanes, builder.U64(constant)});
    if (constant == 0) return is(Op::kAdd, {lanes, scalars});
    is(Op::kAdd, {builder.Add(lanes, scalars), builder.U64(constant)});
  }

  // Scalar code is the same for neighbours.
  Value BaseOf(ir::Builder& builder, const AddressBase& base) {
    Value& made = bases_[{base.scalar.id, base.by.id, base.shift}];
    if (made) return made;
    Value scalar = base.by ? builder.Mul(base.scalar, base.by) : base.scalar;
    if (function_[scalar].type == Type::kU32) scalar = builder.Zext(scalar);
    return made = builder.Shl(scalar, base.shift);
  }
  Value SumOf(ir::Builder& builder, Value a, Value b) {
    Value& made = sums_[{a.id, b.id}];
    return made ? made : made = builder.Add(a, b);
  }

  ir::Function& function_;
  ir::Block& block_;
  RangeTests tests_;
  std::vector<uint8_t> is_root_;  // by value id
  std::vector<Found> found_;      // in the block's order
  size_t place_ = 0;              // of the last scalar that the ranges are made of
  std::map<ProductKey, Range> products_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Value> bases_;
  std::map<std::pair<uint32_t, uint32_t>, Value> sums_;
};

}  // namespace

bool AssumeNarrowIndices(ir::Function& alone) {
  if (!SumFinder(alone).Run()) return false;
  ir::OptimiseAgain(alone);
  return true;
}

}  // namespace gcnjit::backend
