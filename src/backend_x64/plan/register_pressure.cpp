#include "backend_x64/plan/register_pressure.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Type;
using ir::Value;

Pressure PressureOf(const ir::Function& function, const StagePlan& plan, const Stage& stage,
                    const std::vector<uint8_t>& is_fused, const std::vector<uint8_t>& part_bits,
                    int parts) {
  const auto end = static_cast<int32_t>(stage.lane_ops.size());
  std::vector<int32_t> last_use(function.insts.size(), -1);
  // A fused compare takes nothing itself: its arguments are its user's.
  const auto for_each_argument = [&](Value v, const auto& f) {
    if (is_fused[v.id] != 0) return;
    const Inst& inst = function[v];
    for (int a = 0; a < inst.argument_count; ++a) {
      const Value argument = inst.args[a];
      if (plan.loop && plan.loop->PointerWith(argument) != nullptr) continue;
      if (is_fused[argument.id] == 0) {
        f(argument);
      } else {
        for (int b = 0; b < function[argument].argument_count; ++b) f(function[argument].args[b]);
      }
    }
  };
  for (size_t n = 0; n < stage.lane_ops.size(); ++n) {
    for_each_argument(stage.lane_ops[n],
                      [&](Value argument) { last_use[argument.id] = static_cast<int32_t>(n); });
  }
  Pressure now;
  Pressure most;
  std::vector<uint8_t> live(function.insts.size(), 0);
  const auto count = [&](Value v, int by) {
    const Inst& inst = function[v];
    by *= CountStandIns(part_bits[v.id], parts);
    if (inst.type == Type::kU64 && plan.is_sliced[v.id] != 0) {
      now.masks += by;
    } else if (inst.type == Type::kV64) {
      now.vectors += 2 * by;
    } else if (inst.type == Type::kV32) {
      now.vectors += by;
    }
  };
  if (plan.loop) {
    for (const Value v : plan.loop->lanes.invariant) last_use[v.id] = end;
    for (const Value v : plan.loop->lanes.sets) last_use[function[v].args[0].id] = end;
    for (const std::vector<Value>* reads :
         {&plan.loop->lanes.invariant, &plan.loop->lanes.carried}) {
      for (const Value v : *reads) {
        if (last_use[v.id] < 0) continue;
        live[v.id] = 1;
        count(v, 1);
      }
    }
    most = now;
  }
  for (size_t n = 0; n < stage.lane_ops.size(); ++n) {
    const Value v = stage.lane_ops[n];
    for_each_argument(v, [&](Value arg) {
      if (live[arg.id] == 0) {
        live[arg.id] = 1;
        count(arg, 1);
      }
    });
    most.vectors = std::max(most.vectors, now.vectors);
    most.masks = std::max(most.masks, now.masks);
    for_each_argument(v, [&](Value arg) {
      if (live[arg.id] == 1 && last_use[arg.id] <= static_cast<int32_t>(n)) {
        live[arg.id] = 2;
        count(arg, -1);
      }
    });
    if (last_use[v.id] > static_cast<int32_t>(n)) {
      live[v.id] = 1;
      count(v, 1);
      most.vectors = std::max(most.vectors, now.vectors);
      most.masks = std::max(most.masks, now.masks);
    }
  }
  return most;
}

bool Pressure::FitsIn(const RegisterCounts& registers) const {
  if (registers.masks == 0) return vectors + masks <= registers.vectors;
  return vectors <= registers.vectors && masks <= registers.masks;
}

}  // namespace gcnjit::backend
