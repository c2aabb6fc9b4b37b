#include "ir/analysis/region_flow.h"

#include <algorithm>

namespace gcnjit::ir {

RegionFlow::RegionFlow(const Function& function, const ShapeAssumptions& assumptions)
    : function_(function), assumptions_(assumptions) {
  for (size_t n = 0; n < function.blocks.size(); ++n) {
    block_at_.emplace(function.blocks[n].begin, n);
  }
}

const size_t* RegionFlow::BlockAt(uint64_t begin) const {
  const auto found = block_at_.find(begin);
  return found == block_at_.end() ? nullptr : &found->second;
}

std::vector<RegionFlow::Way> RegionFlow::From(size_t block) const {
  const Block& code = function_.blocks[block];
  const Inst& end = function_[code.insts.back()];
  std::vector<Way> ways;
  switch (end.op) {
    case Op::kJump:
    case Op::kProceed: Follow(code.targets[0], ways); break;
    case Op::kBranch:
      Follow(code.targets[0], ways);
      Follow(code.targets[1], ways);
      break;
    case Op::kExit:
      // The others end the wave.
      switch (static_cast<ExitReason>(end.imm)) {
        case ExitReason::kNext:
        case ExitReason::kInterpret:
        case ExitReason::kBarrier:
        case ExitReason::kYield: Follow(code.targets[0], ways); break;
        default: break;
      }
      break;
    default: break;
  }
  return ways;
}

// To the block at `pc`, after what the interpreter executes before it.
void RegionFlow::Follow(uint64_t pc, std::vector<Way>& ways) const {
  Way way;
  for (;;) {
    if (const size_t* const block = BlockAt(pc)) {
      way.block = *block;
      ways.push_back(way);
      return;
    }
    const auto& steps = assumptions_.interpreted;
    const auto step =
        std::lower_bound(steps.begin(), steps.end(), pc,
                         [](const InterpretedStep& s, uint64_t at) { return s.pc < at; });
    if (step == steps.end() || step->pc != pc) return;
    way.written |= step->written;
    way.written_sgprs |= step->written_sgprs;
    pc = step->next;
  }
}

}  // namespace gcnjit::ir
