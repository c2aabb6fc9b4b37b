#include "workgroup/wave_trace.h"

#include <algorithm>
#include <utility>

namespace gcnjit::workgroup {

using ir::Block;
using ir::ExitReason;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

class WaveWay {
 public:
  WaveWay(const ir::Function& function, const std::unordered_map<uint64_t, uint32_t>& block_at,
          bool is_alone)
      : function_(function), block_at_(block_at), is_alone_(is_alone), values_(function) {}

  bool Find(uint64_t entry, const WaveStart& start) {
    ConstantRegisters registers;
    registers.SetPair(ir::kExec, start.exec);
    registers.vgprs = start.vgprs;
    if (!Enter(entry, 0, std::move(registers), nullptr)) return false;
    // Branches lead forwards, so all predecessors of a block have been visited before it.
    for (auto at = by_begin_.begin(); at != by_begin_.end(); ++at) {
      if (!Leave(at->first, at->second)) return false;
    }
    return Order();
  }

  std::vector<Visit> Take() { return std::move(visits_); }

 private:
  // Of a block that leads to the one at `pc`.
  bool Enter(uint64_t pc, uint32_t segment, ConstantRegisters registers, Visit* from) {
    const auto block = block_at_.find(pc);
    if (block == block_at_.end()) return false;
    const auto [at, is_new] = by_begin_.try_emplace(pc);
    Visit& visit = at->second;
    if (is_new) {
      visit.block = block->second;
      visit.segment = segment;
      visit.at_begin = std::move(registers);
    } else {
      if (visit.segment != segment && !is_alone_) return false;
      visit.segment = std::max(visit.segment, segment);
      visit.at_begin.Meet(registers);
    }
    ++visit.ways_in;
    if (from != nullptr) from->next.push_back(visit.block);
    return true;
  }

  bool Leave(uint64_t begin, Visit& visit) {
    const Block& block = function_.blocks[visit.block];
    ConstantRegisters registers = visit.at_begin;
    values_.Run(block, registers);
    visit.instructions = block.instruction_count;
    for (const Value v : block.insts) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kSetMode || inst.op == Op::kGetVgprAt || inst.op == Op::kSetVgprAt ||
          inst.op == Op::kMatrix) {
        return false;
      }
      if (inst.op == Op::kSkipped) FollowSkipped(inst, visit);
      const ir::Effect effect = ir::InfoOf(inst.op).effect;
      if (effect != ir::Effect::kRead && effect != ir::Effect::kWrite) continue;
      const std::optional<Value> mask = MaskOf(inst);
      visit.has_effect |= !mask || values_.Scalar(*mask) != uint64_t{0};
    }
    const auto go = [&](uint64_t target, uint32_t segment) {
      return target > begin && Enter(target, segment, registers, &visit);
    };
    const Inst& end = function_[block.insts.back()];
    switch (end.op) {
      case Op::kJump: return go(block.targets[0], visit.segment);
      case Op::kBranch: {
        const std::optional<uint64_t> condition = values_.Scalar(end.args[0]);
        if (condition) return go(block.targets[*condition != 0 ? 0 : 1], visit.segment);
        return block.targets[0] != block.targets[1] && go(block.targets[0], visit.segment) &&
               go(block.targets[1], visit.segment);
      }
      case Op::kExit:
        visit.ends_segment = true;
        switch (static_cast<ExitReason>(end.imm)) {
          case ExitReason::kBarrier: return go(block.targets[0], visit.segment + 1);
          case ExitReason::kEnd: return true;
          default: return false;
        }
      default: return false;
    }
  }

  // How many instructions are executed is an effect, where that is not known.
  void FollowSkipped(const Inst& inst, Visit& visit) {
    const std::optional<uint64_t> mask = values_.Scalar(inst.args[0]);
    if (!mask) visit.has_effect = true;
    if (mask == uint64_t{0}) visit.instructions -= static_cast<uint32_t>(inst.imm);
  }

  // Visits by number. Each segment has to end at one place, which is its last one.
  bool Order() {
    std::unordered_map<uint32_t, uint32_t> number_of;
    for (auto& [begin, visit] : by_begin_) {
      number_of.emplace(visit.block, static_cast<uint32_t>(visits_.size()));
      visits_.push_back(std::move(visit));
    }
    for (size_t n = 0; n < visits_.size(); ++n) {
      const bool is_last = n + 1 == visits_.size() || visits_[n + 1].segment != visits_[n].segment;
      if (visits_[n].ends_segment != is_last) return false;
      if (n != 0 && visits_[n].segment < visits_[n - 1].segment) return false;
      for (uint32_t& next : visits_[n].next) next = number_of.at(next);
    }
    return true;
  }

  const ir::Function& function_;
  const std::unordered_map<uint64_t, uint32_t>& block_at_;
  const bool is_alone_;
  ConstantLanes values_;
  std::map<uint64_t, Visit> by_begin_;
  std::vector<Visit> visits_;
};

}  // namespace

std::optional<Value> MaskOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kLoadSwizzled:
    case Op::kStoreSwizzled:
    case Op::kAtomic: return inst.args[2];
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds: return inst.args[1];
    default: return std::nullopt;
  }
}

std::optional<std::vector<Visit>> FindWaveTrace(
    const ir::Function& function, const std::unordered_map<uint64_t, uint32_t>& block_at,
    uint64_t entry, const WaveStart& start, bool is_alone) {
  WaveWay way(function, block_at, is_alone);
  if (!way.Find(entry, start)) return std::nullopt;
  return way.Take();
}

}  // namespace gcnjit::workgroup
