#include "ir/rewrite/scalar_compares.h"

#include <initializer_list>
#include <optional>

#include "ir/analysis/uses.h"
#include "ir/append.h"

namespace gcnjit::ir {
namespace {

// lanes OP constant, or its opposite.
struct Compare {
  Op op = Op::kEq;  // kEq, kLtU, kLtS
  Value lanes;
  uint32_t constant = 0;
  bool is_inverted = false;
};

class Scalarizer {
 public:
  Scalarizer(Function& function, const LanePatterns& patterns, std::vector<LaneShape>& shapes)
      : function_(function),
        patterns_(patterns),
        shapes_(shapes),
        serves_lanes_(function.insts.size()) {}

  void Run(Block& block) {
    for (auto at = block.insts.rbegin(); at != block.insts.rend(); ++at) NoteUses(*at);
    out_.reserve(block.insts.size());
    for (const Value v : block.insts) {
      if (const std::optional<Compare> compare = CompareOf(v)) Replace(v, *compare);
      out_.push_back(v);
    }
    block.insts.swap(out_);
    shapes_.resize(function_.insts.size());
  }

 private:
  // Arguments of an operation on masks are read as lane masks if its result is.
  void NoteUses(Value v) {
    const Inst& inst = function_[v];
    if (inst.type == Type::kU64 && !serves_lanes_[v.id]) return;
    for (int n = 0; n < inst.argument_count; ++n) {
      if (TakesMask(inst, n)) serves_lanes_[inst.args[n].id] = true;
    }
  }

  std::optional<Compare> CompareOf(Value v) const {
    const Inst& inst = function_[v];
    if (inst.type != Type::kU64 || serves_lanes_[v.id]) return std::nullopt;
    Compare compare;
    switch (inst.op) {
      case Op::kEq:
      case Op::kNe: break;
      case Op::kLtU:
      case Op::kLeU: compare.op = Op::kLtU; break;
      case Op::kLtS:
      case Op::kLeS: compare.op = Op::kLtS; break;
      default: return std::nullopt;
    }
    const bool is_reversed = function_[inst.args[0]].op == Op::kConst;
    compare.lanes = inst.args[is_reversed ? 1 : 0];
    const Inst& constant = function_[inst.args[is_reversed ? 0 : 1]];
    if (function_[compare.lanes].op != Op::kGetVgpr || constant.op != Op::kConst) {
      return std::nullopt;
    }
    compare.constant = static_cast<uint32_t>(constant.imm);
    const bool has_equal = inst.op == Op::kLeU || inst.op == Op::kLeS;
    if (compare.op == Op::kEq) {
      compare.is_inverted = inst.op == Op::kNe;
    } else {
      // c < x is not x <= c, which is not x < c + 1.
      compare.is_inverted = is_reversed;
      if (has_equal != is_reversed) {
        const uint32_t last = compare.op == Op::kLtU ? UINT32_MAX : INT32_MAX;
        if (compare.constant == last) return std::nullopt;
        ++compare.constant;
      }
    }
    const LaneShape shape = shapes_[compare.lanes.id];
    const bool fits = shape.run == kLanes && shape.zeros < 32 && patterns_.IsDisjoint(shape);
    return fits ? std::optional(compare) : std::nullopt;
  }

  // The high bits of lanes are the base's, the low ones the offset's: where the base is less than
  // the constant's high bits, so are all lanes, and where they are the same, the low ones decide.
  void Replace(Value v, const Compare& compare) {
    const LaneShape shape = shapes_[compare.lanes.id];
    guest_ = function_[v].guest;
    const uint32_t low_bits = (uint32_t{1} << shape.zeros) - 1;
    const uint32_t high = compare.constant & ~low_bits;
    const uint32_t low = compare.constant & low_bits;
    uint64_t mask = 0;
    const auto& offsets = patterns_[shape.offsets].offsets;
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool holds = compare.op == Op::kEq ? offsets[lane] == low : offsets[lane] < low;
      mask |= uint64_t{holds} << lane;
    }
    const uint64_t none = compare.is_inverted ? ~uint64_t{0} : 0;
    const Value base = Emit(Op::kReadLane, Type::kU32, {compare.lanes, Constant(Type::kU32, 0)});
    const Value edge = Constant(Type::kU32, high);
    const Value all = Constant(Type::kU64, ~none);
    Value otherwise = Constant(Type::kU64, none);
    const uint32_t least = compare.op == Op::kLtS ? uint32_t{1} << 31 : 0;
    const bool may_be_less = compare.op != Op::kEq && high != least;
    if (may_be_less) {
      const Value is_less = Emit(compare.op, Type::kU1, {base, edge});
      if (mask == 0) return MakeSelect(v, is_less, all, otherwise);
      otherwise = Emit(Op::kSelect, Type::kU64, {is_less, all, otherwise});
    }
    const Value is_edge = Emit(Op::kEq, Type::kU1, {base, edge});
    MakeSelect(v, is_edge, Constant(Type::kU64, mask ^ none), otherwise);
  }

  void MakeSelect(Value v, Value condition, Value if_true, Value if_false) {
    Inst& inst = function_[v];
    inst.op = Op::kSelect;
    inst.args[0] = condition;
    inst.args[1] = if_true;
    inst.args[2] = if_false;
    inst.argument_count = 3;
  }

  Value Constant(Type type, uint64_t value) {
    const Value v = Emit(Op::kConst, type, {});
    function_[v].imm = static_cast<int64_t>(value);
    return v;
  }

  Value Emit(Op op, Type type, std::initializer_list<Value> arguments) {
    const Value v = Append(function_, Inst::Of(op, type, guest_, arguments));
    out_.push_back(v);
    return v;
  }

  Function& function_;
  const LanePatterns& patterns_;
  std::vector<LaneShape>& shapes_;
  std::vector<bool> serves_lanes_;
  std::vector<Value> out_;
  uint16_t guest_ = 0;
};

}  // namespace

void ScalarizeCompares(Function& alone, const LanePatterns& patterns,
                       std::vector<LaneShape>& shapes) {
  Block& block = alone.blocks[0];
  // Reading lane 0 would keep slices from running a loop to its end one after another.
  if (block.IsLoop()) return;
  Scalarizer(alone, patterns, shapes).Run(block);
}

}  // namespace gcnjit::ir
