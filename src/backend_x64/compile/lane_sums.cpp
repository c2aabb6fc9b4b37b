#include "backend_x64/compile/lane_sums.h"

#include <algorithm>
#include <cstdlib>

#include "ir/analysis/known_lanes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr int64_t kMostAdded = int64_t{1} << 30;
constexpr int64_t kMostScale = 64;

}  // namespace

std::optional<LaneSum> LaneSums::Uniform(Value v) const {
  const Inst& inst = function_[v];
  if (inst.type != Type::kU32 || inst.op == Op::kConst) return std::nullopt;
  if (inst.op == Op::kAdd && function_[inst.args[1]].op == Op::kConst) {
    const auto added = static_cast<int64_t>(static_cast<uint32_t>(function_[inst.args[1]].imm));
    if (added <= kMostAdded) return LaneSum{.scalar = inst.args[0], .least = added, .most = added};
  }
  return LaneSum{.scalar = v};
}

std::optional<LaneSum> LaneSums::Of(Value v) const {
  return function_[v].type == Type::kV64 ? Wide(v) : Narrow(v);
}

std::optional<LaneSum> LaneSums::Wide(Value v) const {
  const Inst& inst = function_[v];
  if (inst.op == Op::kZext) {
    std::optional<LaneSum> sum = Narrow(inst.args[0]);
    // Without a scalar, numbers below 0 are large ones.
    if (!sum || sum->scale != 1 || (sum->least < 0 && !sum->scalar)) return std::nullopt;
    sum->is_wide = true;
    return sum;
  }
  if (inst.op != Op::kAdd) return std::nullopt;
  for (int n = 0; n < 2; ++n) {
    const Value base = inst.args[n];
    const Inst& extended = function_[inst.args[1 - n]];
    if (function_[base].type != Type::kU64 || !is_early_[base.id]) continue;
    if (extended.op != Op::kZext || extended.type != Type::kV64) continue;
    std::optional<LaneSum> sum = Wide(inst.args[1 - n]);
    if (sum) sum->base = base;
    return sum;
  }
  return std::nullopt;
}

std::optional<LaneSum> LaneSums::Narrow(Value v) const {
  LaneSum sum;
  while (function_[v].type == Type::kV32) {
    const Inst& inst = function_[v];
    const auto clamp = std::find_if(clamps_.begin(), clamps_.end(),
                                    [v](const Clamp& c) { return c.clamped == v; });
    if (clamp != clamps_.end()) {
      v = clamp->sum;
    } else if (inst.op == Op::kAdd && AddScalar(inst.args[0], sum)) {
      v = inst.args[1];
    } else if (inst.op == Op::kAdd && AddScalar(inst.args[1], sum)) {
      v = inst.args[0];
    } else if (!TakeMultiple(v, sum)) {
      return WithEnds(sum, v);
    }
  }
  return std::nullopt;
}

bool LaneSums::TakeMultiple(Value& v, LaneSum& sum) const {
  const Inst& inst = function_[v];
  if (sum.scalar || (inst.op != Op::kShl && inst.op != Op::kMul)) return false;
  const Inst& by = function_[inst.args[1]];
  if (by.op != Op::kConst) return false;
  const auto number = static_cast<uint32_t>(by.imm);
  const int64_t scale = inst.op == Op::kMul ? number : int64_t{1} << (number & 31);
  if (scale == 0 || sum.scale * scale > kMostScale) return false;
  sum.scale *= scale;
  v = inst.args[0];
  return true;
}

bool LaneSums::AddScalar(Value v, LaneSum& sum) const {
  if (function_[v].type != Type::kU32 || !is_early_[v.id]) return false;
  if (AddConstant(v, sum)) return true;
  if (sum.scalar) return false;
  while (function_[v].op == Op::kAdd && AddConstant(function_[v].args[1], sum)) {
    v = function_[v].args[0];
  }
  sum.scalar = v;
  return true;
}

bool LaneSums::AddConstant(Value v, LaneSum& sum) const {
  if (function_[v].op != Op::kConst) return false;
  const int64_t added = sum.least + sum.scale * static_cast<int32_t>(function_[v].imm);
  if (std::abs(added) > kMostAdded) return false;
  sum.least = sum.most = added;
  return true;
}

std::optional<LaneSum> LaneSums::WithEnds(LaneSum sum, Value lanes) const {
  const int64_t constant = sum.least;
  sum.least = INT64_MAX;
  sum.most = INT64_MIN;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    const std::optional<uint32_t> known = ir::KnownLane(function_, lanes, lane);
    if (!known) return std::nullopt;
    const int64_t added = constant + sum.scale * static_cast<int32_t>(*known);
    if (std::abs(added) > kMostAdded) return std::nullopt;
    sum.least = std::min(sum.least, added);
    sum.most = std::max(sum.most, added);
  }
  return sum;
}

}  // namespace gcnjit::backend
