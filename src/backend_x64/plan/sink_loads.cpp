#include "backend_x64/plan/sink_loads.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

void SinkLoads(const ir::Function& function, std::vector<Value>& lane_ops) {
  const auto is_load = [&](Value v) { return function[v].op == Op::kLoadLds; };
  if (std::none_of(lane_ops.begin(), lane_ops.end(), is_load)) return;
  // Loads that wait, each followed by its parts.
  std::vector<std::vector<Value>> waiting;
  uint32_t first_waiting = 1;                               // those before have been released
  std::vector<uint32_t> load_of(function.insts.size(), 0);  // number in `waiting`, from 1
  std::vector<Value> sunk;
  sunk.reserve(lane_ops.size());
  const auto release = [&](uint32_t number) {
    std::vector<Value>& load = waiting[number - 1];
    sunk.insert(sunk.end(), load.begin(), load.end());
    load.clear();
  };
  const auto release_all = [&] {
    while (first_waiting <= waiting.size()) release(first_waiting++);
  };
  for (const Value v : lane_ops) {
    const Inst& inst = function[v];
    if (is_load(v)) {
      waiting.push_back({v});
      load_of[v.id] = static_cast<uint32_t>(waiting.size());
      for (int n = 0; n < inst.argument_count; ++n) {
        if (load_of[inst.args[n].id] != 0) release(load_of[inst.args[n].id]);
      }
      continue;
    }
    if (inst.op == Op::kPart && load_of[inst.args[0].id] != 0) {
      const uint32_t number = load_of[inst.args[0].id];
      load_of[v.id] = number;
      if (!waiting[number - 1].empty()) {
        waiting[number - 1].push_back(v);
        continue;
      }
    }
    for (int n = 0; n < inst.argument_count; ++n) {
      const uint32_t number = load_of[inst.args[n].id];
      if (number != 0) release(number);
    }
    // A store waits for the loads before it, and a VGPR is overwritten after its last use.
    const ir::Effect effect = ir::InfoOf(inst.op).effect;
    if (effect == ir::Effect::kWrite || inst.op == Op::kSetVgpr || inst.op == Op::kSetVgprAt) {
      release_all();
    }
    sunk.push_back(v);
  }
  release_all();
  lane_ops = std::move(sunk);
}

}  // namespace gcnjit::backend
