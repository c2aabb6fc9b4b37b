// Writes of the two halves of one 64-bit value to an SGPR pair become one write. The host forwards
// a store to a load of the same width at once, while a load of what two stores wrote has to wait
// for both to reach the cache; and a pair that is written as halves is mostly read as one, as the
// address that a loop counts up.
#include <algorithm>
#include <array>

#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

void PairWritesOf(Function& function, Block& block) {
  std::array<Value, 128> low_halves = {};  // set_sgpr of a low half, by SGPR
  std::array<Value, 128> high_halves = {};
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op != Op::kSetSgpr) continue;
    const Op half = function[inst.args[0]].op;
    const auto sgpr = static_cast<size_t>(inst.imm);
    // Of several writes of a register the last one counts, and none of them may move.
    const bool again = low_halves[sgpr] || high_halves[sgpr];
    if (again) return;
    if (half == Op::kLow) low_halves[sgpr] = v;
    if (half == Op::kHigh) high_halves[sgpr] = v;
  }
  std::vector<Value> gone;
  for (size_t sgpr = 0; sgpr + 1 < low_halves.size(); ++sgpr) {
    const Value low = low_halves[sgpr];
    const Value high = high_halves[sgpr + 1];
    if (!low || !high) continue;
    const Value whole = function[function[low].args[0]].args[0];
    if (whole != function[function[high].args[0]].args[0]) continue;
    if (function[whole].type != Type::kU64) continue;
    Inst& set = function[low];
    set.op = Op::kSetSgpr64;
    set.args[0] = whole;
    gone.push_back(high);
  }
  std::erase_if(block.insts,
                [&](Value v) { return std::find(gone.begin(), gone.end(), v) != gone.end(); });
}

}  // namespace

void PairWrites(Function& function) {
  for (Block& block : function.blocks) PairWritesOf(function, block);
}

}  // namespace gcnjit::ir
