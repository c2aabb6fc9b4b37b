#include "frontend/group_code.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "frontend/lift/lifter.h"
#include "frontend/written_lds.h"
#include "ir/analysis/live_registers.h"

namespace gcnjit::frontend {

using ir::Block;
using ir::Effect;
using ir::ExitReason;
using ir::Inst;

namespace {

// Guest instructions of all blocks together: code is compiled once more for each wave.
constexpr uint32_t kMostInstructions = 2048;
constexpr uint64_t kAllLanes = ~uint64_t{0};

// Of a memory operation of lanes.
std::optional<Value> MaskOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic: return inst.args[2];
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds: return inst.args[1];
    default: return std::nullopt;
  }
}

bool IsMemory(const Inst& inst) {
  const Effect effect = ir::InfoOf(inst.op).effect;
  return effect == Effect::kRead || effect == Effect::kWrite;
}

// A block as one wave comes to it.
struct Visit {
  uint32_t block = 0;    // in the function
  uint32_t segment = 0;  // barriers that the wave has passed
  uint32_t ways_in = 0;
  KnownRegisters at_begin;
  // Indices of visits that may follow, the same wave's.
  std::vector<uint32_t> next;
  bool ends_segment = false;  // at a barrier or at the wave's end
  bool has_effect = false;    // beyond the wave's registers
};

// The way of one wave through the function.
class WaveWay {
 public:
  WaveWay(const ir::Function& function, const std::unordered_map<uint64_t, uint32_t>& block_at)
      : function_(function), block_at_(block_at), values_(function) {}

  // False: it is not known well enough. Visits are in ascending order of their blocks then, and so
  // of their segments.
  bool Find(uint64_t entry, const std::map<int, LaneValues>& vgprs) {
    KnownRegisters start;
    start.SetPair(ir::kExec, kAllLanes);
    start.vgprs = vgprs;
    if (!Enter(entry, 0, std::move(start), nullptr)) return false;
    // Ways lead forwards, so a block has been entered from everywhere when its turn has come.
    for (auto at = by_begin_.begin(); at != by_begin_.end(); ++at) {
      if (!Leave(at->first, at->second)) return false;
    }
    return Order();
  }

  const std::vector<Visit>& visits() const { return visits_; }

 private:
  // Of a block that leads to the one at `pc`.
  bool Enter(uint64_t pc, uint32_t segment, KnownRegisters registers, Visit* from) {
    const auto block = block_at_.find(pc);
    if (block == block_at_.end()) return false;
    const auto [at, is_new] = by_begin_.try_emplace(pc);
    Visit& visit = at->second;
    if (is_new) {
      visit.block = block->second;
      visit.segment = segment;
      visit.at_begin = std::move(registers);
    } else {
      if (visit.segment != segment) return false;
      visit.at_begin.Meet(registers);
    }
    ++visit.ways_in;
    if (from != nullptr) from->next.push_back(visit.block);
    return true;
  }

  bool Leave(uint64_t begin, Visit& visit) {
    const Block& block = function_.blocks[visit.block];
    KnownRegisters registers = visit.at_begin;
    values_.Run(block, registers);
    for (const Value v : block.insts) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kSetMode) return false;
      if (!IsMemory(inst)) continue;
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
  KnownValues values_;
  std::map<uint64_t, Visit> by_begin_;
  std::vector<Visit> visits_;
};

// Of a wave: visits up to `end` are there; behind, it does nothing but count instructions.
struct Kept {
  size_t end = 0;
  uint32_t skipped = 0;
};

Kept FindKept(const ir::Function& function, const std::vector<Visit>& visits) {
  Kept kept{visits.size(), 0};
  uint32_t skipped = 0;
  for (size_t n = visits.size(); n-- > 0;) {
    const Visit& visit = visits[n];
    // One way leads through what is left out, so it is known how much is executed.
    if (visit.has_effect || visit.ways_in != 1 || visit.next.size() > 1) break;
    skipped += function.blocks[visit.block].instruction_count;
    // It begins behind a barrier.
    if (n != 0 && visits[n - 1].ends_segment) kept = {n, skipped};
  }
  return kept;
}

// A block of group code while it grows.
class GroupBlock {
 public:
  GroupBlock(ir::Function& function, uint64_t begin)
      : builder_(function, block_), lifter_({}, builder_) {
    block_.begin = begin;
  }
  GroupBlock(const GroupBlock&) = delete;
  GroupBlock& operator=(const GroupBlock&) = delete;

  size_t size() const { return block_.guest_pcs.size(); }

  // Appends a block, in which `values` are known; all but its end.
  // `exec`: at its begin, if that is known.
  void Append(const Block& from, const KnownValues& values, std::optional<uint64_t> exec) {
    const auto first = static_cast<uint16_t>(block_.guest_pcs.size());
    uint32_t not_executed = 0;
    NoteExec(first, exec);
    for (const Value v : from.insts) {
      const Inst inst = builder_.function()[v];
      if (ir::InfoOf(inst.op).effect == Effect::kEnd) break;
      builder_.SetGuest(static_cast<uint16_t>(first + inst.guest));
      Value& copy = copies_[v.id];
      if (const auto known = values.Scalar(v); known && inst.type != ir::Type::kVoid) {
        copy = builder_.Const(inst.type, *known);
        continue;
      }
      if (inst.op == Op::kSkipped && values.Scalar(inst.args[0])) {
        if (*values.Scalar(inst.args[0]) == 0) not_executed += static_cast<uint32_t>(inst.imm);
        continue;
      }
      copy = Copy(inst, values);
    }
    block_.guest_pcs.insert(block_.guest_pcs.end(), from.guest_pcs.begin(), from.guest_pcs.end());
    block_.instruction_count += from.instruction_count - not_executed;
  }

  Value CopyOf(Value v) const { return copies_.at(v.id); }
  Lifter& lifter() { return lifter_; }
  void Count(uint32_t instructions) { block_.instruction_count += instructions; }

  // With the end that lifter() has been told.
  Block Close() {
    builder_.SetGuest(static_cast<uint16_t>(block_.guest_pcs.size() - 1));
    lifter_.WriteBack(std::bitset<256>().set(), std::bitset<256>().set(), std::bitset<128>().set(),
                      /*scc=*/true);
    lifter_.EmitTerminator();
    return std::move(block_);
  }

 private:
  // A fault report wants to know it, and the register has what it had at this block's begin, if
  // anybody has written it there.
  void NoteExec(uint16_t guest, std::optional<uint64_t> exec) {
    builder_.SetGuest(guest);
    if (exec) {
      builder_.Emit(Op::kNoteExec, ir::Type::kVoid, {builder_.U64(*exec)});
    } else if (changes_exec_) {
      builder_.Emit(Op::kNoteExec, ir::Type::kVoid, {lifter_.Exec()});
    }
  }

  Value Copy(const Inst& inst, const KnownValues& values) {
    const auto n = static_cast<int>(inst.imm);
    Value args[ir::kMaxArguments];
    for (int a = 0; a < inst.argument_count; ++a) args[a] = copies_.at(inst.args[a].id);
    switch (inst.op) {
      case Op::kGetSgpr: return lifter_.Sgpr(n);
      case Op::kGetSgpr64: return lifter_.Sgpr64(n);
      case Op::kGetScc: return lifter_.Scc();
      case Op::kGetVgpr: return lifter_.VgprExactly(n);
      case Op::kSetSgpr: lifter_.SetSgpr(n, args[0]); break;
      case Op::kSetSgpr64: lifter_.SetSgpr64(n, args[0]); break;
      case Op::kSetScc: lifter_.SetScc(args[0]); return {};
      case Op::kSetVgpr: lifter_.SetVgprExactly(n, args[0], builder_.U64(kAllLanes)); return {};
      default: return CopyOther(inst, args, values);
    }
    changes_exec_ |=
        n == ir::kExec || n == ir::kExec + 1 || (inst.op == Op::kSetSgpr64 && n + 1 == ir::kExec);
    return {};
  }

  // Memory operations without a lane do nothing, and what they load is 0.
  Value CopyOther(const Inst& inst, const Value* args, const KnownValues& values) {
    const std::optional<Value> mask = MaskOf(inst);
    if (mask && values.Scalar(*mask) == uint64_t{0}) {
      return inst.type == ir::Type::kVoid ? Value{} : builder_.U32(0);
    }
    // A part stays behind its load.
    if (inst.op == Op::kPart && builder_.IsConst(args[0])) return builder_.U32(0);
    return builder_.EmitList(inst.op, inst.type, args, inst.argument_count, inst.imm, inst.aux);
  }

  Block block_;
  ir::Builder builder_;
  Lifter lifter_;
  std::unordered_map<uint32_t, Value> copies_;
  bool changes_exec_ = false;
};

class GroupWriter {
 public:
  GroupWriter(ir::Function& function, std::vector<std::vector<Visit>> ways)
      : function_(function), ways_(std::move(ways)) {
    for (const auto& way : ways_) {
      kept_.push_back(FindKept(function, way));
      branches_ |= std::any_of(way.begin(), way.end(),
                               [](const Visit& visit) { return visit.next.size() > 1; });
    }
  }

  // Guest instructions of what will be written.
  uint32_t Size() const {
    size_t size = 0;
    for (size_t wave = 0; wave < ways_.size(); ++wave) {
      for (size_t n = 0; n < kept_[wave].end; ++n) size += BlockOf(ways_[wave][n]).guest_pcs.size();
    }
    return static_cast<uint32_t>(size);
  }

  // Does any wave leave a block out that another one executes, or pass a barrier for nothing?
  bool Pays(size_t blocks) const {
    return std::any_of(ways_.begin(), ways_.end(),
                       [blocks](const auto& way) { return way.size() < blocks; }) ||
           std::any_of(kept_.begin(), kept_.end(),
                       [](const Kept& kept) { return kept.skipped != 0; });
  }

  GroupCode Write() {
    std::vector<size_t> next(ways_.size());
    for (uint32_t segment = 0;; ++segment) {
      bool is_over = true;
      for (size_t wave = 0; wave < ways_.size(); ++wave) {
        is_over &= next[wave] == kept_[wave].end;
        while (next[wave] < kept_[wave].end && ways_[wave][next[wave]].segment == segment) {
          Add(static_cast<int>(wave), next[wave]++);
        }
      }
      if (is_over) break;
    }
    Close();
    RemoveDeadWrites();
    for (Block& block : written_) function_.blocks.push_back(std::move(block));
    return {lds_.reads_unwritten()};
  }

 private:
  const Block& BlockOf(const Visit& visit) const { return function_.blocks[visit.block]; }

  uint64_t BeginOf(int wave, size_t visit) const {
    return ir::WithWave(BlockOf(ways_[static_cast<size_t>(wave)][visit]).begin, wave);
  }

  // Can it be the continuation of the block that is open?
  bool Continues(int wave, const Visit& visit) const {
    if (open_ == nullptr || wave != wave_ || visit.ways_in != 1) return false;
    const Visit& last = ways_[static_cast<size_t>(wave)][last_];
    return last.next.size() == 1 && last.next[0] == last_ + 1;
  }

  void Add(int wave, size_t number) {
    const Visit& visit = ways_[static_cast<size_t>(wave)][number];
    if (!Continues(wave, visit)) {
      Close();
      open_ = std::make_unique<GroupBlock>(function_, BeginOf(wave, number));
    }
    wave_ = wave;
    last_ = number;
    KnownRegisters registers = visit.at_begin;
    KnownValues values(function_);
    // A copy: the function grows.
    const Block from = BlockOf(visit);
    values.Run(from, registers);
    lds_.Follow(function_, from, values, /*is_certain=*/!branches_);
    open_->Append(from, values, visit.at_begin.Pair(ir::kExec));
  }

  void Close() {
    if (open_ == nullptr) return;
    const auto wave = static_cast<size_t>(wave_);
    const Visit& last = ways_[wave][last_];
    const Block& from = BlockOf(last);
    Lifter& lifter = open_->lifter();
    if (last_ + 1 == kept_[wave].end) {
      open_->Count(kept_[wave].skipped);
      lifter.Exit(ExitReason::kEnd, ir::WithWave(from.targets[0], wave_));
    } else if (last.ends_segment) {
      lifter.Exit(ExitReason::kBarrier, BeginOf(wave_, last.next[0]));
    } else if (last.next.size() == 1) {
      lifter.Jump(BeginOf(wave_, last.next[0]));
    } else {
      const Value condition = open_->CopyOf(function_[from.insts.back()].args[0]);
      lifter.Branch(condition, BeginOf(wave_, last.next[0]), BeginOf(wave_, last.next[1]));
    }
    written_.push_back(open_->Close());
    open_.reset();
  }

  // Writes of registers that the wave does not read any more.
  void RemoveDeadWrites() {
    ir::ForwardLiveness liveness;
    for (size_t n = written_.size(); n-- > 0;) {
      Block& block = written_[n];
      ir::LiveRegisters live = liveness.Behind(block);
      std::vector<Value> kept;
      for (size_t i = block.insts.size(); i-- > 0;) {
        if (live.Follow(function_[block.insts[i]])) kept.push_back(block.insts[i]);
      }
      block.insts.assign(kept.rbegin(), kept.rend());
      liveness.SetAtBegin(block, live);
    }
  }

  ir::Function& function_;
  const std::vector<std::vector<Visit>> ways_;
  std::vector<Kept> kept_;
  bool branches_ = false;  // data decide about some of the ways
  WrittenLds lds_;
  std::vector<Block> written_;
  std::unique_ptr<GroupBlock> open_;
  int wave_ = 0;     // of the open block
  size_t last_ = 0;  // its last visit
};

}  // namespace

std::optional<GroupCode> AppendGroupCode(ir::Function& function, const GroupStart& start) {
  std::unordered_map<uint64_t, uint32_t> block_at;
  for (const Block& block : function.blocks) {
    block_at.emplace(block.begin, static_cast<uint32_t>(block_at.size()));
  }
  std::vector<std::vector<Visit>> ways;
  for (const auto& vgprs : start.vgprs) {
    WaveWay way(function, block_at);
    if (!way.Find(start.entry, vgprs)) return std::nullopt;
    ways.push_back(way.visits());
  }
  GroupWriter writer(function, std::move(ways));
  if (!writer.Pays(function.blocks.size()) || writer.Size() > kMostInstructions) {
    return std::nullopt;
  }
  return writer.Write();
}

}  // namespace gcnjit::frontend
