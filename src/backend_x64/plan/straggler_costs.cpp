#include "backend_x64/plan/straggler_costs.h"

#include <algorithm>
#include <vector>

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Value;

constexpr int kWideLanes = 16;  // of AVX-512

// What a scalar operation is made of.
int HostOperations(Op op) {
  switch (op) {
    case Op::kF32ToI32:
    case Op::kF32ToU32: return 12;
    case Op::kBitwise: return 6;
    case Op::kU32ToF32:
    case Op::kI32ToF32:
    case Op::kFCmp:
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kMulHiU:
    case Op::kMulHiS:
    case Op::kPack: return 3;
    case Op::kSelect:
    case Op::kHigh: return 2;
    default: return 1;
  }
}

int Latency(Op op) {
  switch (op) {
    case Op::kLoad:
    case Op::kLoadLds: return 8;  // now and then it is not in the first cache
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma: return 4;
    case Op::kFDiv:
    case Op::kFSqrt: return 12;
    case Op::kMul: return 3;
    default: return HostOperations(op);
  }
}

// A load whose lanes are known to be at one place, or one after the other?
bool IsOneMove(const BlockContext& block, Value load, int parts) {
  const Inst& inst = block.function[load];
  const AddressShape shape = block.ShapeOfAddress(inst.args[0], parts);
  const auto step =
      static_cast<int32_t>(inst.IsIndexed() ? inst.access().IndexStep() : inst.access().bytes);
  for (int part = 0; part < parts; ++part) {
    if (!shape.IsUniform(part) && !shape.HasStep(part, step)) return false;
  }
  return true;
}

// How long it takes at least from one iteration to the next: the longest way from what an iteration
// finds in a register to what it leaves there.
int Recurrence(const ir::Function& function, const Stragglers& plan) {
  int longest = 0;
  std::vector<int> since(function.insts.size());
  for (const Stragglers::Get& get : plan.gets) {
    if (!get.next) continue;
    constexpr int kNever = -1;
    std::fill(since.begin(), since.end(), kNever);
    since[get.read.id] = 0;
    for (const Value v : plan.ops) {
      const Inst& inst = function[v];
      for (int n = 0; n < inst.argument_count; ++n) {
        const int from = since[inst.args[n].id];
        if (from != kNever) since[v.id] = std::max(since[v.id], from + Latency(inst.op));
      }
    }
    longest = std::max(longest, since[get.next.id]);
  }
  return longest;
}

}  // namespace

// In cycles, as far as they can be told: where the iterations that are left cost as much for a
// slice as for so many lanes, of which each begins and ends, and whose end is guessed wrong.
int MostStragglers(const BlockContext& block, const Stragglers& plan, int parts) {
  constexpr int kIterations = 4;  // that are left, as a rule
  constexpr int kSwitch = 75;     // to code for lanes, and the way to it
  constexpr int kLane = 40;
  int for_lane = 0, for_lanes = 0;
  const bool has_wide = block.lanes == kWideLanes;
  for (const Value v : plan.ops) {
    const bool is_load = ir::InfoOf(block.function[v].op).effect == Effect::kRead;
    for_lane += is_load ? 5 : HostOperations(block.function[v].op);
    // In tenths. A gather's lane is a load, and what joins it to the others.
    for_lanes += is_load && !IsOneMove(block, v, parts) ? block.lanes * (has_wide ? 27 : 40)
                                                        : (has_wide ? 7 : 10);
  }
  // Three and a half operations at a time, unless each waits for the one before.
  const int lane = std::max(for_lane * 2 / 7, Recurrence(block.function, plan));
  const int slice = parts * for_lanes / 10;
  const int most = (kIterations * slice - kSwitch) / (kIterations * lane + kLane);
  return std::min(most, parts * block.lanes / 2);
}

}  // namespace gcnjit::backend
