#include "ir/analysis/known_lanes.h"

namespace gcnjit::ir {

std::optional<uint32_t> KnownLane(const Function& function, Value v, uint32_t lane, int depth) {
  const Inst& inst = function[v];
  switch (inst.op) {
    case Op::kLaneId: return lane;
    case Op::kConst: return static_cast<uint32_t>(inst.imm);
    case Op::kAdd:
    case Op::kMul:
    case Op::kAnd:
    case Op::kShl:
    case Op::kLshr: break;
    default: return std::nullopt;
  }
  if (inst.type != Type::kV32 || depth == 0) return std::nullopt;
  const std::optional<uint32_t> x = KnownLane(function, inst.args[0], lane, depth - 1);
  const std::optional<uint32_t> y =
      x ? KnownLane(function, inst.args[1], lane, depth - 1) : std::nullopt;
  if (!y) return std::nullopt;
  switch (inst.op) {
    case Op::kAdd: return *x + *y;
    case Op::kMul: return *x * *y;
    case Op::kAnd: return *x & *y;
    case Op::kShl: return *x << (*y & 31);
    default: return *x >> (*y & 31);
  }
}

}  // namespace gcnjit::ir
