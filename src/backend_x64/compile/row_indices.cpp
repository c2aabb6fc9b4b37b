#include "backend_x64/compile/row_indices.h"

#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
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

// A scalar and a constant, modulo 2^32.
struct Sum {
  Value scalar = {};  // u32; none: 0
  uint32_t constant = 0;

  bool IsConstant() const { return !scalar; }
  auto Key() const { return std::pair(scalar.id, constant); }
};

// first + (lane / lanes) * step + (lane % lanes) * column.
struct Form {
  Sum first;
  Sum step;
  uint32_t column = 0;
};

class RowWriter {
 public:
  RowWriter(ir::Function& alone, int lanes)
      : function_(alone), lanes_(lanes), builder_(alone, grown_), forms_(alone.insts.size()) {}

  bool Run() {
    ir::Block& block = function_.blocks[0];
    for (const Value v : block.insts) {
      builder_.SetGuest(function_[v].guest);
      if (function_[v].type == Type::kV32) forms_[v.id] = FormOf(v);
      if (function_[v].IsIndexed()) Rewrite(v);
      grown_.insts.push_back(v);
    }
    if (indices_.empty()) return false;
    block.insts = std::move(grown_.insts);
    ir::RemoveDead(function_);
    return true;
  }

 private:
  void Rewrite(Value access) {
    const Value index = function_[access].args[0];
    if (function_[index].type != Type::kV32 || !forms_[index.id]) return;
    const Form& form = *forms_[index.id];
    if (form.column != 1 || form.first.IsConstant()) return;
    // Rows that follow each other are one; of rows that are all the same one stands for all.
    const bool is_one_run =
        form.step.IsConstant() &&
        (form.step.constant == 0 || form.step.constant == static_cast<uint32_t>(lanes_));
    if (lanes_ != ir::kLanes && is_one_run) return;
    // Moves the function's operations.
    const Value written =
        lanes_ == ir::kLanes ? IndexOfRun(form.first) : IndexOf(form.first, form.step);
    function_[access].args[0] = written;
  }

  // The constant is the lanes' part, so that neighbours share the scalar, and their address.
  Value IndexOfRun(const Sum& first) {
    Value& index = indices_[{first.Key(), {}}];
    if (index) return index;
    const Value lane = builder_.Emit(Op::kLaneId, Type::kV32, {});
    return index = builder_.Add(first.scalar, builder_.Add(lane, builder_.U32(first.constant)));
  }

  Value IndexOf(const Sum& first, const Sum& step) {
    Value& index = indices_[{first.Key(), step.Key()}];
    if (index) return index;
    const Value lane = builder_.Emit(Op::kLaneId, Type::kV32, {});
    const Value row =
        builder_.Lshr(lane, static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(lanes_))));
    const Value rows = builder_.Emit(Op::kMul, Type::kV32, {row, Scalar(step)});
    const Value place = builder_.And(lane, builder_.U32(static_cast<uint32_t>(lanes_) - 1));
    return index = builder_.Add(Scalar(first), builder_.Add(rows, place));
  }

  Value Scalar(const Sum& sum) {
    if (sum.IsConstant()) return builder_.U32(sum.constant);
    return sum.constant == 0 ? sum.scalar : Once(Op::kAdd, sum.scalar, builder_.U32(sum.constant));
  }

  // The operation of scalars, once for all that want it.
  Value Once(Op op, Value a, Value b) {
    const auto key = [this](Value v) {
      const Inst& inst = function_[v];
      return inst.op == Op::kConst ? std::pair(true, static_cast<uint32_t>(inst.imm))
                                   : std::pair(false, v.id);
    };
    Value& done = done_[{op, key(a), key(b)}];
    if (!done) done = builder_.Binary(op, a, b);
    return done;
  }

  std::optional<Form> FormOf(Value v) {
    if (const std::optional<Form> known = KnownFormOf(v)) return known;
    const Inst inst = function_[v];  // a copy: emitting moves instructions
    switch (inst.op) {
      case Op::kAdd:
      case Op::kSub: {
        const std::optional<Form> x = FormOfArgument(inst.args[0]);
        const std::optional<Form> y = x ? FormOfArgument(inst.args[1]) : std::nullopt;
        if (!y) return std::nullopt;
        const bool adds = inst.op == Op::kAdd;
        return Form{Join(inst.op, x->first, y->first), Join(inst.op, x->step, y->step),
                    adds ? x->column + y->column : x->column - y->column};
      }
      case Op::kMul:
        for (int n = 0; n < 2; ++n) {
          const Value factor = inst.args[1 - n];
          if (ir::IsLanes(function_[factor].type)) continue;
          const std::optional<Form> x = FormOfArgument(inst.args[n]);
          return x ? Multiply(*x, factor) : std::nullopt;
        }
        return std::nullopt;
      case Op::kShl: {
        uint64_t count = 0;
        if (!builder_.IsConst(inst.args[1], &count)) return std::nullopt;
        const std::optional<Form> x = FormOfArgument(inst.args[0]);
        return x ? Multiply(*x, builder_.U32(1u << (count & 31))) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  // Of numbers that are known in all lanes.
  std::optional<Form> KnownFormOf(Value v) const {
    const std::optional<uint32_t> first = ir::KnownLane(function_, v, 0);
    if (!first) return std::nullopt;
    const auto lanes = static_cast<uint32_t>(lanes_);
    const auto above = [&](uint32_t lane) {
      return ir::KnownLane(function_, v, lane).value_or(0) - *first;
    };
    const Form form{{{}, *first}, {{}, above(lanes)}, above(1)};
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      if (above(lane) != lane / lanes * form.step.constant + lane % lanes * form.column) {
        return std::nullopt;
      }
    }
    return form;
  }

  std::optional<Form> FormOfArgument(Value v) const {
    if (function_[v].type == Type::kV32) return forms_[v.id];
    if (function_[v].type != Type::kU32) return std::nullopt;
    const Inst& inst = function_[v];
    if (inst.op == Op::kConst) return Form{{{}, static_cast<uint32_t>(inst.imm)}, {}, 0};
    return Form{{v, 0}, {}, 0};
  }

  Sum Join(Op op, const Sum& x, const Sum& y) {
    const bool adds = op == Op::kAdd;
    const uint32_t constant = adds ? x.constant + y.constant : x.constant - y.constant;
    if (y.IsConstant()) return {x.scalar, constant};
    if (x.IsConstant() && adds) return {y.scalar, constant};
    return {Once(op, x.IsConstant() ? builder_.U32(0) : x.scalar, y.scalar), constant};
  }

  std::optional<Form> Multiply(const Form& x, Value factor) {
    uint64_t number = 0;
    const bool is_known = builder_.IsConst(factor, &number);
    // A distance between lanes that is a scalar is no run.
    if (!is_known && x.column != 0) return std::nullopt;
    const auto times = [&](const Sum& sum) -> Sum {
      if (is_known && sum.IsConstant()) return {{}, sum.constant * static_cast<uint32_t>(number)};
      if (sum.IsConstant() && sum.constant == 0) return {};
      return {Once(Op::kMul, Scalar(sum), factor), 0};
    };
    return Form{times(x.first), times(x.step), x.column * static_cast<uint32_t>(number)};
  }

  using ScalarKey = std::pair<bool, uint32_t>;
  using SumKey = std::pair<uint32_t, uint32_t>;

  ir::Function& function_;
  const int lanes_;
  ir::Block grown_;
  ir::Builder builder_;
  std::vector<std::optional<Form>> forms_;  // by value id, of the block as it was
  std::map<std::pair<SumKey, SumKey>, Value> indices_;
  std::map<std::tuple<Op, ScalarKey, ScalarKey>, Value> done_;
};

}  // namespace

bool WriteRowIndices(ir::Function& alone, int least_lanes) {
  // Rows of shorter runs may stand beside accesses for which the wave is one.
  const bool has_runs = RowWriter(alone, ir::kLanes).Run();
  for (int lanes = ir::kLanes / 2; lanes >= least_lanes; lanes /= 2) {
    if (RowWriter(alone, lanes).Run()) return true;
  }
  return has_runs;
}

}  // namespace gcnjit::backend
