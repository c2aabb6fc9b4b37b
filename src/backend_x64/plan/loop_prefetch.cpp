#include "backend_x64/plan/loop_prefetch.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "backend_x64/plan/written_registers.h"

namespace gcnjit::backend {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

constexpr int kMostLoads = 4;
// Of a block that asks: fewer do not give the lines time to arrive.
constexpr int kLeastLaneOps = 16;
constexpr int kMostBlocks = 6;  // between two iterations' loads

bool AccessesMemory(const Inst& inst) {
  return inst.op == Op::kLoad || inst.op == Op::kStore || inst.op == Op::kAtomic;
}

// None: the index is something else, or too long a sum to be worth it.
std::optional<AheadLoad> AheadLoadOf(const ir::Function& region, const Inst& load) {
  const Inst& base = region[load.args[1]];
  if (base.op != Op::kGetSgpr64 || load.access().index_shift > 3) return {};
  AheadLoad ahead;
  ahead.base = static_cast<int>(base.imm);
  ahead.access = load.access();
  ahead.offset = static_cast<int32_t>(load.imm);
  constexpr size_t kMostTerms = 4;
  std::vector<Value> terms = {load.args[0]};
  for (size_t n = 0; n < terms.size(); ++n) {
    const Inst& term = region[terms[n]];
    switch (term.op) {
      case Op::kAdd:
        terms.push_back(term.args[0]);
        terms.push_back(term.args[1]);
        break;
      case Op::kGetVgpr: ahead.vgprs.push_back(static_cast<int>(term.imm)); break;
      case Op::kGetSgpr: ahead.sgprs.push_back(static_cast<int>(term.imm)); break;
      case Op::kConst:
        ahead.offset =
            static_cast<int32_t>(static_cast<uint32_t>(ahead.offset) +
                                 (static_cast<uint32_t>(term.imm) << ahead.access.index_shift));
        break;
      default: return {};
    }
    if (terms.size() > kMostTerms * 2 - 1) return {};
  }
  if (ahead.vgprs.empty()) return {};
  return ahead;
}

// What the block loads anew in each iteration of a loop; none if some of it has no AheadLoad.
std::vector<AheadLoad> LoopLoads(const ir::Function& region, const Block& block) {
  std::vector<AheadLoad> loads;
  Streams streams(region, block);
  for (const Value v : block.insts) {
    const Inst& inst = region[v];
    if (inst.op != Op::kLoad || !inst.access().indexed) continue;
    const std::optional<Lookahead> lookahead = streams.Ask(inst, /*next_waves=*/0);
    if (!lookahead || !lookahead->is_loop) continue;
    const std::optional<AheadLoad> ahead = AheadLoadOf(region, inst);
    if (!ahead || loads.size() == kMostLoads) return {};
    loads.push_back(*ahead);
  }
  return loads;
}

bool WritesRegisterOf(const WrittenRegisters& writes, const AheadLoad& load) {
  const auto sgpr = [&](int n) { return writes.sgprs[static_cast<size_t>(n)]; };
  const auto vgpr = [&](int n) { return writes.vgprs[static_cast<size_t>(n)]; };
  return sgpr(load.base) || sgpr(load.base + 1) ||
         std::any_of(load.sgprs.begin(), load.sgprs.end(), sgpr) ||
         std::any_of(load.vgprs.begin(), load.vgprs.end(), vgpr);
}

using Blocks = std::unordered_map<uint64_t, const Block*>;  // by begin

class Search {
 public:
  Search(const ir::Function& region, const Blocks& blocks, const Block& loads_block,
         std::vector<AheadLoad> loads)
      : region_(region), blocks_(blocks), loads_block_(loads_block), loads_(std::move(loads)) {}

  // The block with the most to do of those between the block's end and its next execution, on a way
  // that leaves the registers alone; nullptr: there is no such way, or nothing to do on it.
  const Block* Quietest() const {
    const Inst& end = region_[loads_block_.insts.back()];
    return After(loads_block_, end, kMostBlocks).quietest;
  }

 private:
  struct Way {
    bool arrives = false;
    const Block* quietest = nullptr;
    int lane_ops = kLeastLaneOps - 1;  // of it
  };

  Way After(const Block& block, const Inst& end, int blocks_left) const {
    const bool is_barrier =
        end.op == Op::kExit && end.imm == static_cast<int64_t>(ir::ExitReason::kBarrier);
    if (end.op == Op::kBranch) {
      const Way way = From(block.targets[0], blocks_left);
      return way.arrives ? way : From(block.targets[1], blocks_left);
    }
    return end.op == Op::kJump || is_barrier ? From(block.targets[0], blocks_left) : Way{};
  }

  Way From(uint64_t begin, int blocks_left) const {
    if (begin == loads_block_.begin) return {true};
    const auto found = blocks_.find(begin);
    if (found == blocks_.end() || blocks_left == 0) return {};
    const Block& block = *found->second;
    const WrittenRegisters writes = WritesOf(region_, block);
    const auto is_written = [&](const AheadLoad& load) { return WritesRegisterOf(writes, load); };
    if (std::any_of(loads_.begin(), loads_.end(), is_written)) return {};
    Way way = After(block, region_[block.insts.back()], blocks_left - 1);
    const int lane_ops = LaneOps(block);
    if (lane_ops > way.lane_ops) {
      way.quietest = &block;
      way.lane_ops = lane_ops;
    }
    return way.arrives ? way : Way{};
  }

  // 0: it accesses memory, or it is a loop itself.
  int LaneOps(const Block& block) const {
    if (block.IsLoop()) return 0;
    int count = 0;
    for (const Value v : block.insts) {
      if (AccessesMemory(region_[v])) return 0;
      count += ir::IsLanes(region_[v].type);
    }
    return count;
  }

  const ir::Function& region_;
  const Blocks& blocks_;
  const Block& loads_block_;
  const std::vector<AheadLoad> loads_;
};

}  // namespace

LoopAhead PlanLoopAhead(const ir::Function& region) {
  LoopAhead plan;
  Blocks blocks;
  for (const Block& block : region.blocks) blocks.emplace(block.begin, &block);
  for (const Block& block : region.blocks) {
    if (block.IsLoop()) continue;
    const std::vector<AheadLoad> loads = LoopLoads(region, block);
    if (loads.empty()) continue;
    const Block* const quietest = Search(region, blocks, block, loads).Quietest();
    if (quietest == nullptr || plan.asked_in.contains(quietest->begin)) continue;
    plan.asked_in[quietest->begin] = loads;
    plan.asked_for.insert(block.begin);
  }
  return plan;
}

}  // namespace gcnjit::backend
