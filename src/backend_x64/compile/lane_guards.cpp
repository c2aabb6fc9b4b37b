#include "backend_x64/compile/lane_guards.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "backend_x64/compile/body_tests.h"
#include "backend_x64/compile/early_scalars.h"
#include "backend_x64/compile/lane_sums.h"
#include "backend_x64/compile/wanted_masks.h"
#include "backend_x64/plan/skipped_lanes.h"
#include "ir/builder.h"
#include "ir/passes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// A compare of a sum with a scalar; of several with the same scalars, the ends of all. kNe: the
// scalar is less than the least, or more than the most.
struct LaneCompare {
  LaneSum sum;
  Value scalar;
  Op op = Op::kLtU;
  bool is_sum_first = false;

  bool IsSigned() const { return op == Op::kLtS || op == Op::kLeS || op == Op::kNe; }
  bool IsLike(const LaneCompare& other) const {
    return sum.scalar == other.sum.scalar && sum.scale == other.sum.scale &&
           sum.is_wide == other.sum.is_wide && sum.base == other.sum.base &&
           scalar == other.scalar && op == other.op && is_sum_first == other.is_sum_first;
  }
};

// Beyond that, sums in 64 bits would not be exact.
constexpr uint64_t kMostBase = uint64_t{1} << 62;

class GuardFinder {
 public:
  // `only`, by value id: compares that may be taken; nullptr: all.
  explicit GuardFinder(ir::Function& function, const std::vector<uint8_t>* only = nullptr)
      : function_(function),
        only_(only),
        block_(function.blocks[0]),
        bodies_(FindSkippedLanes(function, block_)),
        early_(function),
        is_early_(early_.is_early()),
        sums_(function, is_early_) {}

  bool Run() {
    const std::vector<WantedMask> wanted = FindWantedMasks(function_);
    wanted_ = &wanted;
    for (const Value v : block_.insts) TakeFrom(v);
    TakeUniform();
    if (compares_.empty()) return false;
    for (const Value v : taken_) {
      Inst& inst = function_[v];
      inst.op = Op::kConst;
      inst.imm = IsWantedEmpty(v) ? 0 : inst.type == Type::kU1 ? 1 : -1;
      inst.argument_count = 0;
    }
    for (const LaneSums::Clamp& clamp : sums_.clamps()) {
      Inst& inst = function_[clamp.clamped];
      inst.op = Op::kOr;  // of equal values: that value
      inst.args[0] = inst.args[1] = clamp.sum;
    }
    Insert();
    return true;
  }

 private:
  // What only a body wants that is seldom executed says nothing of the rest: a carry in a long
  // division is as likely as none.
  bool MayTake(Value v) const {
    return (only_ == nullptr || (*only_)[v.id] != 0) && bodies_.of[v.id] == 0;
  }

  void TakeFrom(Value v) {
    if (!MayTake(v)) return;
    const Inst& inst = function_[v];
    if (const std::optional<Inst> assumed = AssumedOf(v)) return TakeCompare(v, *assumed);
    switch (inst.op) {
      case Op::kMinU: return TakeClamp(v, inst, Op::kLeU, /*is_sum_first=*/true);
      case Op::kMinS: return TakeClamp(v, inst, Op::kLeS, /*is_sum_first=*/true);
      case Op::kMaxU: return TakeClamp(v, inst, Op::kLeU, /*is_sum_first=*/false);
      case Op::kMaxS: return TakeClamp(v, inst, Op::kLeS, /*is_sum_first=*/false);
      default: return;
    }
  }

  // A coordinate that is kept within a picture: it is, but at the border.
  void TakeClamp(Value v, const Inst& inst, Op op, bool is_sum_first) {
    if (inst.type != Type::kV32) return;
    for (int n = 0; n < 2; ++n) {
      const Value scalar = inst.args[1 - n];
      if (ir::IsLanes(function_[scalar].type) || !is_early_[scalar.id]) continue;
      const std::optional<LaneSum> sum = sums_.Narrow(inst.args[n]);
      if (!sum || !Take({*sum, scalar, op, is_sum_first})) continue;
      sums_.Take({v, inst.args[n]});
      return;
    }
  }

  bool IsWantedEmpty(Value compare) const { return (*wanted_)[compare.id] == WantedMask::kEmpty; }

  // The compare as one of what is less; of what is 0 or not, without a sign. None: it is no
  // compare.
  std::optional<Inst> OrderOf(Inst inst) const {
    switch (inst.op) {
      case Op::kLtU:
      case Op::kLeU:
      case Op::kLtS:
      case Op::kLeS: return inst;
      case Op::kEq:
      case Op::kNe:
        if (!IsConst(inst.args[1], 0)) return std::nullopt;
        if (inst.op == Op::kNe) std::swap(inst.args[0], inst.args[1]);
        inst.op = inst.op == Op::kNe ? Op::kLtU : Op::kLeU;
        return inst;
      default: return std::nullopt;
    }
  }

  // What is to hold: the compare, or, where its mask is better empty, its contrary. None: nothing
  // that the ends can tell.
  std::optional<Inst> AssumedOf(Value compare) const {
    std::optional<Inst> assumed = OrderOf(function_[compare]);
    if (!assumed) return DifferenceOf(compare);
    if (!IsWantedEmpty(compare)) return assumed;
    std::swap(assumed->args[0], assumed->args[1]);
    switch (assumed->op) {
      case Op::kLtU: assumed->op = Op::kLeU; break;
      case Op::kLeU: assumed->op = Op::kLtU; break;
      case Op::kLtS: assumed->op = Op::kLeS; break;
      default: assumed->op = Op::kLtS; break;
    }
    return assumed;
  }

  // Of a picture's last column and row.
  std::optional<Inst> DifferenceOf(Value compare) const {
    Inst inst = function_[compare];
    const WantedMask wanted = (*wanted_)[compare.id];
    const bool differs = (inst.op == Op::kEq && wanted == WantedMask::kEmpty) ||
                         (inst.op == Op::kNe && wanted == WantedMask::kFull);
    if (!differs) return std::nullopt;
    inst.op = Op::kNe;
    return inst;
  }

  void TakeCompare(Value v, const Inst& inst) {
    if (inst.type != Type::kU64) return;
    for (int n = 0; n < 2; ++n) {
      const Value scalar = inst.args[1 - n];
      if (ir::IsLanes(function_[scalar].type) || !is_early_[scalar.id]) continue;
      const std::optional<LaneSum> sum = sums_.Of(inst.args[n]);
      if (!sum || sum->is_wide != ir::Is64(function_[scalar].type)) continue;
      if (sum->is_wide && inst.op == Op::kNe) continue;
      if (!Take({*sum, scalar, inst.op, /*is_sum_first=*/n == 0})) continue;
      taken_.push_back(v);
      return;
    }
  }

  // To be guarded by its ends; false: it cannot be.
  bool Take(const LaneCompare& compare) {
    // A compare of numbers would hold always or never.
    const bool depends =
        compare.sum.scalar || compare.sum.base || function_[compare.scalar].op != Op::kConst;
    if (!depends || PlaceOf(compare) >= early_.first_write()) return false;
    Add(compare);
    return true;
  }

  std::vector<LaneCompare>::iterator Like(const LaneCompare& compare) {
    return std::find_if(compares_.begin(), compares_.end(),
                        [&](const LaneCompare& c) { return c.IsLike(compare); });
  }
  void Add(const LaneCompare& compare) {
    const auto like = Like(compare);
    if (like == compares_.end()) return compares_.push_back(compare);
    like->sum.least = std::min(like->sum.least, compare.sum.least);
    like->sum.most = std::max(like->sum.most, compare.sum.most);
  }

  // Compares of scalars that become masks of all lanes or none: of a wave's row of a grid in two
  // dimensions. Rows follow each other, so that the guards of the waves join.
  void TakeUniform() {
    std::vector<Value> compares;
    for (const Value v : block_.insts) {
      const Inst& select = function_[v];
      if (select.op != Op::kSelect || select.type != Type::kU64) continue;
      const bool is_mask = IsConst(select.args[1], -1) && IsConst(select.args[2], 0);
      const bool orders = AssumedOf(select.args[0]).has_value();
      const bool may_take = MayTake(select.args[0]) && bodies_.of[v.id] == 0;
      if (is_mask && orders && may_take && is_early_[select.args[0].id])
        compares.push_back(select.args[0]);
    }
    // A sum with a constant is a row. Wave 0's row is no sum: it is found by those of the others.
    for (const bool is_sum : {true, false}) {
      std::erase_if(compares, [&](Value v) {
        const std::optional<LaneCompare> compare = UniformCompareOf(*AssumedOf(v), is_sum);
        if (!compare || !Take(*compare)) return false;
        taken_.push_back(v);
        return true;
      });
    }
  }
  bool IsConst(Value v, int64_t number) const {
    return function_[v].op == Op::kConst && function_[v].imm == number;
  }

  // `is_sum`: one of the two must be a sum with a constant.
  std::optional<LaneCompare> UniformCompareOf(const Inst& inst, bool is_sum) {
    std::optional<LaneCompare> found;
    for (int n = 0; n < 2; ++n) {
      const Value scalar = inst.args[1 - n];
      const std::optional<LaneSum> sum = sums_.Uniform(inst.args[n]);
      if (!sum || function_[scalar].type != Type::kU32 || (is_sum && sum->most == 0)) continue;
      const LaneCompare compare = {*sum, scalar, inst.op, /*is_sum_first=*/n == 0};
      if (!found || Like(compare) != compares_.end()) found = compare;
    }
    return found;
  }

  // Each guard as soon as its scalars are there, and the other dwords of a load with them: nothing
  // stands between a load and its parts.
  void Insert() {
    std::stable_sort(
        compares_.begin(), compares_.end(),
        [this](const LaneCompare& a, const LaneCompare& b) { return PlaceOf(a) < PlaceOf(b); });
    ir::Block grown;
    ir::Builder builder(function_, grown);
    auto next = compares_.begin();
    for (size_t n = 0; n < block_.insts.size(); ++n) {
      const Value v = block_.insts[n];
      grown.insts.push_back(v);
      const bool has_more_parts =
          n + 1 < block_.insts.size() && function_[block_.insts[n + 1]].op == Op::kPart;
      if (has_more_parts) continue;
      builder.SetGuest(function_[v].guest);
      for (; next != compares_.end() && PlaceOf(*next) <= n; ++next) EmitGuards(builder, *next);
    }
    block_.insts = std::move(grown.insts);
  }

  size_t PlaceOf(const LaneCompare& compare) const {
    size_t place = early_.PlaceOf(compare.scalar);
    for (const Value v : {compare.sum.scalar, compare.sum.base}) {
      if (v) place = std::max(place, early_.PlaceOf(v));
    }
    return place;
  }

  static void EmitGuards(ir::Builder& b, const LaneCompare& compare) {
    compare.sum.is_wide ? EmitWideGuards(b, compare) : EmitNarrowGuards(b, compare);
  }

  static void Guard(ir::Builder& b, Op op, Value x, Value y) {
    b.Emit(Op::kGuard, Type::kVoid, {b.Emit(op, Type::kU1, {x, y})});
  }

  // In 64 bits, where sums of 32-bit numbers are exact.
  static void EmitNarrowGuards(ir::Builder& b, const LaneCompare& compare) {
    const bool is_signed = compare.IsSigned();
    const auto wide = [&](Value v) { return is_signed ? b.Sext(v) : b.Zext(v); };
    Value sum = compare.sum.scalar ? wide(compare.sum.scalar) : b.U64(0);
    if (compare.sum.scale != 1) sum = b.Mul(sum, Number(b, compare.sum.scale));
    const Value least = b.Add(sum, Number(b, compare.sum.least));
    const Value most = b.Add(sum, Number(b, compare.sum.most));
    const Value scalar = wide(compare.scalar);
    // It wraps around neither below nor above, unless the compare says so.
    if (compare.sum.least < 0 || compare.sum.scale != 1) {
      Guard(b, Op::kLeS, Number(b, is_signed ? INT32_MIN : 0), least);
    }
    if (compare.op == Op::kNe) {
      const Value is_below = b.Compare(Op::kLtS, most, scalar);
      b.Emit(Op::kGuard, Type::kVoid, {b.Or(is_below, b.Compare(Op::kLtS, scalar, least))});
    } else if (compare.is_sum_first) {
      return Guard(b, compare.op, most, scalar);
    } else {
      Guard(b, compare.op, scalar, least);
    }
    Guard(b, Op::kLeS, most, Number(b, is_signed ? INT32_MAX : int64_t{UINT32_MAX}));
  }

  static Value Number(ir::Builder& b, int64_t number) {
    return b.U64(static_cast<uint64_t>(number));
  }

  // As long as no part of the sum wraps around, and the base is far from it: then the numbers are
  // the same with a sign and without.
  static void EmitWideGuards(ir::Builder& b, const LaneCompare& compare) {
    Value sum = b.U64(0);
    if (compare.sum.scalar) {
      sum = b.Zext(compare.sum.scalar);
      if (compare.sum.least < 0)
        Guard(b, Op::kLeS, b.U64(0), b.Add(sum, Number(b, compare.sum.least)));
      Guard(b, Op::kLeS, b.Add(sum, Number(b, compare.sum.most)), b.U64(UINT32_MAX));
    }
    if (compare.sum.base) {
      Guard(b, Op::kLeU, compare.sum.base, b.U64(kMostBase));
      sum = b.Add(compare.sum.base, sum);
    }
    if (compare.is_sum_first) {
      Guard(b, compare.op, b.Add(sum, Number(b, compare.sum.most)), compare.scalar);
    } else {
      Guard(b, compare.op, compare.scalar, b.Add(sum, Number(b, compare.sum.least)));
    }
  }

  ir::Function& function_;
  const std::vector<uint8_t>* const only_;
  ir::Block& block_;
  const SkippedLanes bodies_;
  const EarlyScalars early_;
  const std::vector<uint8_t>& is_early_;
  std::vector<LaneCompare> compares_;
  LaneSums sums_;
  std::vector<Value> taken_;
  const std::vector<WantedMask>* wanted_ = nullptr;
};

bool Assume(ir::Function& alone, const std::vector<uint8_t>* only) {
  HoistEarlyScalars(alone);
  if (!GuardFinder(alone, only).Run()) return false;
  ir::SplitWideAdds(alone);  // compares may have been all that read both halves of a sum
  ir::OptimiseAgain(alone);
  return true;
}

// What is divided by may itself be a quotient, whose high half is 0 where the first body is empty.
constexpr int kMostBodiesInTurn = 8;

// No guard is taken from a body that another one makes empty.
bool AssumeEmptyBodies(ir::Function& alone) {
  bool any = false;
  for (int n = 0; n < kMostBodiesInTurn && HasBodyTests(alone); ++n) {
    SplitBodyTests(alone);
    const std::vector<uint8_t> tests = FindBodyTests(alone);
    if (!Assume(alone, &tests)) break;
    RemoveEmptyBodies(alone);
    any = true;
  }
  return any;
}

}  // namespace

bool AssumeLaneGuards(ir::Function& alone) {
  const bool is_without_bodies = AssumeEmptyBodies(alone);
  return Assume(alone, nullptr) || is_without_bodies;
}

}  // namespace gcnjit::backend
