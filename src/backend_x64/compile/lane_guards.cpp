#include "backend_x64/compile/lane_guards.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/known_lanes.h"
#include "ir/builder.h"
#include "ir/passes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// Lanes that are a scalar and known numbers, modulo 2^32; or that, zero-extended, and a scalar of
// 64 bits. A scalar is a sum for all lanes of its wave.
struct Sum {
  Value scalar;  // u32; none: 0
  uint32_t least = 0;
  uint32_t most = 0;
  bool is_wide = false;
  Value base = {};  // u64; none: 0
};

// A compare of a sum with a scalar; of several with the same scalars, the ends of all.
struct LaneCompare {
  Sum sum;
  Value scalar;
  Op op = Op::kLtU;
  bool is_sum_first = false;

  bool IsSigned() const { return op == Op::kLtS || op == Op::kLeS; }
  bool IsLike(const LaneCompare& other) const {
    return sum.scalar == other.sum.scalar && sum.is_wide == other.sum.is_wide &&
           sum.base == other.sum.base && scalar == other.scalar && op == other.op &&
           is_sum_first == other.is_sum_first;
  }
};

// Beyond that, sums in 64 bits would not be exact.
constexpr uint32_t kMostAdded = 1u << 30;
constexpr uint64_t kMostBase = uint64_t{1} << 62;

class GuardFinder {
 public:
  explicit GuardFinder(ir::Function& function)
      : function_(function),
        block_(function.blocks[0]),
        is_early_(function.insts.size()),
        place_of_(function.insts.size()) {}

  bool Run() {
    FindEarly();
    for (const Value v : block_.insts) Take(v);
    TakeUniform();
    if (compares_.empty()) return false;
    for (const Value v : taken_) {
      Inst& inst = function_[v];
      inst.op = Op::kConst;
      inst.imm = inst.type == Type::kU1 ? 1 : -1;
      inst.argument_count = 0;
    }
    Insert();
    return true;
  }

 private:
  // Scalars that may be computed before anything else of the block.
  void FindEarly() {
    bool has_written = false;
    for (size_t n = 0; n < block_.insts.size(); ++n) {
      const Value v = block_.insts[n];
      const Inst& inst = function_[v];
      place_of_[v.id] = n;
      if (!has_written) first_write_ = n + 1;
      has_written |= ir::InfoOf(inst.op).effect == ir::Effect::kWrite;
      is_early_[v.id] = !ir::IsLanes(inst.type) && IsEarly(inst, has_written);
    }
  }

  bool IsEarly(const Inst& inst, bool has_written) const {
    switch (inst.op) {
      case Op::kGetSgpr:
      case Op::kGetSgpr64: return inst.imm != ir::kExec && inst.imm != ir::kExec + 1;
      case Op::kLoadScalar:
        if (has_written) return false;
        break;
      default:
        if (ir::InfoOf(inst.op).effect != ir::Effect::kPure) return false;
        break;
    }
    return std::all_of(inst.args, inst.args + inst.argument_count,
                       [this](Value argument) { return is_early_[argument.id]; });
  }

  void Take(Value v) {
    const Inst& inst = function_[v];
    switch (inst.op) {
      case Op::kLtU:
      case Op::kLeU:
      case Op::kLtS:
      case Op::kLeS: break;
      default: return;
    }
    if (inst.type != Type::kU64) return;
    for (int n = 0; n < 2; ++n) {
      const Value scalar = inst.args[1 - n];
      if (ir::IsLanes(function_[scalar].type) || !is_early_[scalar.id]) continue;
      const std::optional<Sum> sum = SumOf(inst.args[n]);
      if (!sum || sum->is_wide != ir::Is64(function_[scalar].type)) continue;
      Add({*sum, scalar, inst.op, /*is_sum_first=*/n == 0});
      taken_.push_back(v);
      return;
    }
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
      const Inst& compare = function_[select.args[0]];
      const bool orders = compare.op == Op::kLtU || compare.op == Op::kLeU ||
                          compare.op == Op::kLtS || compare.op == Op::kLeS;
      if (is_mask && orders && is_early_[select.args[0].id]) compares.push_back(select.args[0]);
    }
    // A sum with a constant is a row. Wave 0's row is no sum: it is found by those of the others.
    for (const bool is_sum : {true, false}) {
      std::erase_if(compares, [&](Value v) {
        const std::optional<LaneCompare> compare = UniformCompareOf(function_[v], is_sum);
        if (!compare || PlaceOf(*compare) >= first_write_) return false;
        Add(*compare);
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
      const std::optional<Sum> sum = UniformSumOf(inst.args[n]);
      if (!sum || function_[scalar].type != Type::kU32 || (is_sum && sum->most == 0)) continue;
      const LaneCompare compare = {*sum, scalar, inst.op, /*is_sum_first=*/n == 0};
      if (!found || Like(compare) != compares_.end()) found = compare;
    }
    return found;
  }

  std::optional<Sum> UniformSumOf(Value v) const {
    const Inst& inst = function_[v];
    if (inst.type != Type::kU32 || inst.op == Op::kConst) return std::nullopt;
    if (inst.op == Op::kAdd && function_[inst.args[1]].op == Op::kConst) {
      const auto added = static_cast<uint64_t>(function_[inst.args[1]].imm);
      if (added <= kMostAdded) {
        return Sum{inst.args[0], static_cast<uint32_t>(added), static_cast<uint32_t>(added)};
      }
    }
    return Sum{v};
  }

  std::optional<Sum> SumOf(Value v) const {
    return function_[v].type == Type::kV64 ? WideSumOf(v) : NarrowSumOf(v);
  }

  std::optional<Sum> WideSumOf(Value v) const {
    const Inst& inst = function_[v];
    if (inst.op == Op::kZext) {
      std::optional<Sum> sum = NarrowSumOf(inst.args[0]);
      if (sum) sum->is_wide = true;
      return sum;
    }
    if (inst.op != Op::kAdd) return std::nullopt;
    for (int n = 0; n < 2; ++n) {
      const Value base = inst.args[n];
      const Inst& extended = function_[inst.args[1 - n]];
      if (function_[base].type != Type::kU64 || !is_early_[base.id]) continue;
      if (extended.op != Op::kZext || extended.type != Type::kV64) continue;
      std::optional<Sum> sum = WideSumOf(inst.args[1 - n]);
      if (sum) sum->base = base;
      return sum;
    }
    return std::nullopt;
  }

  std::optional<Sum> NarrowSumOf(Value v) const {
    const Inst& inst = function_[v];
    if (inst.type != Type::kV32) return std::nullopt;
    if (inst.op == Op::kAdd) {
      for (int n = 0; n < 2; ++n) {
        const Value scalar = inst.args[n];
        if (function_[scalar].type != Type::kU32 || !is_early_[scalar.id]) continue;
        return WithEnds(scalar, inst.args[1 - n]);
      }
    }
    return WithEnds({}, v);
  }

  std::optional<Sum> WithEnds(Value scalar, Value lanes) const {
    Sum sum{scalar, UINT32_MAX, 0};
    if (!ir::IsLanes(function_[lanes].type)) return std::nullopt;
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      const std::optional<uint32_t> known = ir::KnownLane(function_, lanes, lane);
      if (!known || *known > kMostAdded) return std::nullopt;
      sum.least = std::min(sum.least, *known);
      sum.most = std::max(sum.most, *known);
    }
    return sum;
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
    size_t place = place_of_[compare.scalar.id];
    for (const Value v : {compare.sum.scalar, compare.sum.base}) {
      if (v) place = std::max(place, place_of_[v.id]);
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
    const Value sum = compare.sum.scalar ? wide(compare.sum.scalar) : b.U64(0);
    const Value most = b.Add(sum, b.U64(compare.sum.most));
    const Value scalar = wide(compare.scalar);
    if (compare.is_sum_first)
      return Guard(b, compare.op, most, scalar);  // nor has it wrapped around
    Guard(b, compare.op, scalar, b.Add(sum, b.U64(compare.sum.least)));
    Guard(b, is_signed ? Op::kLeS : Op::kLeU, most, b.U64(is_signed ? INT32_MAX : UINT32_MAX));
  }

  // As long as no part of the sum wraps around, and the base is far from it: then the numbers are
  // the same with a sign and without.
  static void EmitWideGuards(ir::Builder& b, const LaneCompare& compare) {
    Value sum = b.U64(0);
    if (compare.sum.scalar) {
      sum = b.Zext(compare.sum.scalar);
      Guard(b, Op::kLeU, b.Add(sum, b.U64(compare.sum.most)), b.U64(UINT32_MAX));
    }
    if (compare.sum.base) {
      Guard(b, Op::kLeU, compare.sum.base, b.U64(kMostBase));
      sum = b.Add(compare.sum.base, sum);
    }
    if (compare.is_sum_first) {
      Guard(b, compare.op, b.Add(sum, b.U64(compare.sum.most)), compare.scalar);
    } else {
      Guard(b, compare.op, compare.scalar, b.Add(sum, b.U64(compare.sum.least)));
    }
  }

  ir::Function& function_;
  ir::Block& block_;
  std::vector<uint8_t> is_early_;  // by value id
  std::vector<size_t> place_of_;   // in the block
  size_t first_write_ = 0;         // likewise; the block's end, if it writes nothing
  std::vector<LaneCompare> compares_;
  std::vector<Value> taken_;
};

}  // namespace

bool AssumeLaneGuards(ir::Function& alone) {
  if (!GuardFinder(alone).Run()) return false;
  ir::FoldInstructions(alone);
  ir::RemoveDead(alone);
  return true;
}

}  // namespace gcnjit::backend
