#include "workgroup/specialise.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "frontend/lift/lift_region.h"
#include "frontend/lift/lifter.h"
#include "ir/analysis/live_registers.h"
#include "workgroup/affine_lanes.h"
#include "workgroup/dead_lds_stores.h"
#include "workgroup/lds_forwarding.h"
#include "workgroup/lds_initialised.h"
#include "workgroup/wave_trace.h"

namespace gcnjit::workgroup {

using frontend::Lifter;
using ir::Block;
using ir::Effect;
using ir::ExitReason;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// Guest instructions of all blocks together: code is compiled once more for each wave.
constexpr uint32_t kMostInstructions = 2048;
constexpr uint32_t kMostInBlock = 1024;  // of all waves in one, without what is mostly skipped

// Of a wave: visits up to `end` are there; after them it does nothing but count instructions.
struct Kept {
  size_t end = 0;
  uint32_t skipped = 0;
};

Kept FindKept(const std::vector<Visit>& visits) {
  Kept kept{visits.size(), 0};
  uint32_t skipped = 0;
  for (size_t n = visits.size(); n-- > 0;) {
    const Visit& visit = visits[n];
    // One way leads through what is left out, so it is known how much is executed.
    if (visit.has_effect || visit.ways_in != 1 || visit.next.size() > 1) break;
    skipped += visit.instructions;
    // It begins after a barrier.
    if (n != 0 && visits[n - 1].ends_segment) kept = {n, skipped};
  }
  return kept;
}

// A block of group code while it grows.
class GroupBlock {
 public:
  // `is_group`: it will be the block of all waves.
  GroupBlock(ir::Function& function, uint64_t begin, uint32_t lds_bytes, bool is_group)
      : builder_(function, block_), lds_(builder_, lds_bytes), is_group_(is_group) {
    block_.begin = begin;
  }
  GroupBlock(const GroupBlock&) = delete;
  GroupBlock& operator=(const GroupBlock&) = delete;

  // Appends a block, in which `values` are known; all but its end. Counts no instructions.
  // `exec`: at its begin, if that is known.
  void Append(int wave, const Block& from, const ConstantLanes& values,
              std::optional<uint64_t> exec) {
    const auto [own, is_first] = waves_.try_emplace(wave, builder_);
    wave_ = &own->second;
    const auto first = static_cast<uint16_t>(block_.guest_pcs.size());
    if (is_first && is_group_ && exec) SetExec(first, *exec);
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
      if (const Value lanes = Known(v, values)) {
        copy = lanes;
        continue;
      }
      if (inst.op == Op::kSkipped && values.Scalar(inst.args[0])) continue;  // counted already
      copy = Copy(inst, values);
    }
    for (const uint64_t pc : from.guest_pcs) block_.guest_pcs.push_back(ir::WithWave(pc, wave));
  }

  Value CopyOf(Value v) const { return copies_.at(v.id); }
  // Of the wave whose block was appended last.
  Lifter& lifter() { return wave_->lifter; }
  void Count(uint32_t instructions) { block_.instruction_count += instructions; }

  // With the end that lifter() has been told.
  Block Close() {
    builder_.SetGuest(static_cast<uint16_t>(block_.guest_pcs.size() - 1));
    if (is_group_) {
      // Registers and LDS end with the group.
      for (const Value v : uses_.UnreadStores()) std::erase(block_.insts, v);
    } else {
      for (uint64_t& pc : block_.guest_pcs) pc = ir::WithoutWave(pc);
      const std::bitset<ir::kVgprs> all = std::bitset<ir::kVgprs>().set();
      lifter().WriteBack(all, all, std::bitset<128>().set(), /*scc=*/true);
    }
    lifter().EmitTerminator();
    return std::move(block_);
  }

 private:
  struct Wave {
    explicit Wave(ir::Builder& builder) : lifter({}, builder) {}
    Lifter lifter;
    bool changes_exec = false;
  };

  // At the wave's start. The state has another wave's.
  void SetExec(uint16_t guest, uint64_t exec) {
    builder_.SetGuest(guest);
    lifter().SetSgpr64(ir::kExec, builder_.U64(exec));
  }

  // For fault reports: the EXEC in the wave's state is that of this block's begin, or older.
  void NoteExec(uint16_t guest, std::optional<uint64_t> exec) {
    builder_.SetGuest(guest);
    if (exec) {
      builder_.Emit(Op::kNoteExec, ir::Type::kVoid, {builder_.U64(*exec)});
    } else if (wave_->changes_exec) {
      builder_.Emit(Op::kNoteExec, ir::Type::kVoid, {lifter().Exec()});
    }
  }

  // Known lanes, as operations on constants: later passes fold them, and no register has to hold
  // them. None: they are not known, or too many operations would be needed.
  Value Known(Value v, const ConstantLanes& values) {
    if (builder_.TypeOf(v) != ir::Type::kV32 || !values.IsKnown(v)) return {};
    LaneValues lanes;
    for (int n = 0; n < ir::kLanes; ++n) {
      lanes[static_cast<size_t>(n)] = static_cast<uint32_t>(values.Lane(v, n));
    }
    const std::optional<AffineLanes> steps = AffineLanesOf(lanes);
    return steps ? EmitAffineLanes(builder_, *steps) : Value{};
  }

  Value Copy(const Inst& inst, const ConstantLanes& values) {
    const auto n = static_cast<int>(inst.imm);
    Value args[ir::kMaxArguments];
    for (int a = 0; a < inst.argument_count; ++a) args[a] = copies_.at(inst.args[a].id);
    switch (inst.op) {
      case Op::kGetSgpr: return lifter().Sgpr(n);
      case Op::kGetSgpr64: return lifter().Sgpr64(n);
      case Op::kGetScc: return lifter().Scc();
      case Op::kGetVgpr: return lifter().VgprExactly(n);
      case Op::kSetSgpr: lifter().SetSgpr(n, args[0]); break;
      case Op::kSetSgpr64: lifter().SetSgpr64(n, args[0]); break;
      case Op::kSetScc: lifter().SetScc(args[0]); return {};
      case Op::kSetVgpr:
        lifter().SetVgprExactly(n, args[0], builder_.U64(ir::kAllLanes));
        return {};
      default: return CopyOther(inst, args, values);
    }
    wave_->changes_exec |=
        n == ir::kExec || n == ir::kExec + 1 || (inst.op == Op::kSetSgpr64 && n + 1 == ir::kExec);
    return {};
  }

  // Memory operations without a lane do nothing, and what they load is 0.
  Value CopyOther(const Inst& inst, const Value* args, const ConstantLanes& values) {
    const std::optional<Value> mask = MaskOf(inst);
    if (mask && values.Scalar(*mask) == uint64_t{0}) {
      return inst.type == ir::Type::kVoid ? Value{} : builder_.U32(0);
    }
    // A part stays right after its load.
    if (inst.op == Op::kPart && builder_.IsConst(args[0])) return builder_.U32(0);
    if (inst.op == Op::kLoadLds) {
      if (const Value stored = lds_.Load(inst, values)) return stored;
    }
    lds_.Follow(inst, values, args + kFirstStored);
    const Value copy =
        builder_.EmitList(inst.op, inst.type, args, inst.argument_count, inst.imm, inst.aux);
    if (is_group_) {
      const bool is_lds = inst.op == Op::kLoadLds || inst.op == Op::kStoreLds;
      uses_.Follow(inst, values, is_lds && lds_.IsInside(inst, values), copy);
    }
    return copy;
  }

  static constexpr int kFirstStored = 3;  // argument of kStoreLds

  Block block_;
  ir::Builder builder_;
  std::map<int, Wave> waves_;
  Wave* wave_ = nullptr;
  LdsForwarding lds_;
  const bool is_group_;
  DeadLdsStores uses_;
  std::unordered_map<uint32_t, Value> copies_;
};

bool IsFlat(const Inst& inst) {
  const Effect effect = ir::InfoOf(inst.op).effect;
  const bool is_access = effect == Effect::kRead || effect == Effect::kWrite;
  return is_access && MaskOf(inst) && inst.access().space == ir::Space::kFlat;
}

// FLAT_SCRATCH is in one of two places, by generation.
bool SetsFlatScratch(const Inst& inst) {
  if (inst.op != Op::kSetSgpr && inst.op != Op::kSetSgpr64) return false;
  const auto end = inst.imm + (inst.op == Op::kSetSgpr64 ? 2 : 1);
  return inst.imm < frontend::kCodeFlatScratchGfx7 + 2 && end > frontend::kCodeFlatScratchGfx8;
}

// The runtime reads FLAT_SCRATCH in the wave's state, which group code writes at its end if at all.
bool NeedsFlatScratchInState(const ir::Function& function) {
  bool is_flat = false, is_set = false;
  for (const Block& block : function.blocks) {
    for (const Value v : block.insts) {
      is_flat |= IsFlat(function[v]);
      is_set |= SetsFlatScratch(function[v]);
    }
  }
  return is_flat && is_set;
}

class GroupWriter {
 public:
  GroupWriter(ir::Function& function, std::vector<std::vector<Visit>> ways, const GroupStart& start)
      : function_(function), ways_(std::move(ways)), start_(start) {
    for (const auto& way : ways_) {
      kept_.push_back(FindKept(way));
      branches_ |= std::any_of(way.begin(), way.end(),
                               [](const Visit& visit) { return visit.next.size() > 1; });
    }
    // Work-item ids are computed from the lane's number: the state has the first wave's.
    const bool has_steps =
        std::all_of(start.waves.begin(), start.waves.end(), [](const WaveStart& wave) {
          return std::all_of(wave.vgprs.begin(), wave.vgprs.end(),
                             [](const auto& ids) { return AffineLanesOf(ids.second).has_value(); });
        });
    is_one_block_ =
        start.has_same_sgprs && has_steps && !branches_ && Size() - Skipped() <= kMostInBlock;
  }

  // Guest instructions of what will be written.
  uint32_t Size() const {
    size_t size = 0;
    for (size_t wave = 0; wave < ways_.size(); ++wave) {
      for (size_t n = 0; n < kept_[wave].end; ++n) size += BlockOf(ways_[wave][n]).guest_pcs.size();
    }
    return static_cast<uint32_t>(size);
  }

  // Does a wave leave out a block that another one executes, or only pass a barrier? Or is it one
  // wave that works on a part of its lanes?
  bool Pays(size_t blocks) const {
    if (is_one_block_ || start_.lds_bytes == 0) return is_one_block_;
    return (ways_.size() == 1 && start_.waves[0].exec != ir::kAllLanes) ||
           std::any_of(ways_.begin(), ways_.end(),
                       [blocks](const auto& way) { return way.size() < blocks; }) ||
           std::any_of(kept_.begin(), kept_.end(),
                       [](const Kept& kept) { return kept.skipped != 0; });
  }

  GroupCode Write() {
    function_.insts.reserve(function_.insts.size() + Size() * frontend::kUsualInsts);
    std::vector<size_t> next(ways_.size());
    for (uint32_t segment = 0;; ++segment) {
      bool is_over = true;
      for (size_t turn = 0; turn < ways_.size(); ++turn) {
        const size_t wave = segment == 0 ? turn : ways_.size() - 1 - turn;
        is_over &= next[wave] == kept_[wave].end;
        while (next[wave] < kept_[wave].end && ways_[wave][next[wave]].segment == segment) {
          Add(static_cast<int>(wave), next[wave]++);
        }
      }
      if (is_over) break;
    }
    Close();
    RemoveDeadWrites();
    if (is_one_block_) function_.blocks.clear();
    for (Block& block : written_) function_.blocks.push_back(std::move(block));
    const bool has_barriers = std::any_of(ways_.begin(), ways_.end(),
                                          [](const auto& way) { return way.back().segment != 0; });
    return {lds_.reads_unwritten(), is_one_block_, has_barriers};
  }

 private:
  const Block& BlockOf(const Visit& visit) const { return function_.blocks[visit.block]; }

  // Guest instructions that are executed only after a test, and seldom.
  uint32_t Skipped() const {
    size_t skipped = 0;
    for (size_t wave = 0; wave < ways_.size(); ++wave) {
      for (size_t n = 0; n < kept_[wave].end; ++n) {
        for (const Value v : BlockOf(ways_[wave][n]).insts) {
          const Inst& inst = function_[v];
          if (inst.op == Op::kSkipped && inst.aux != 0) skipped += static_cast<size_t>(inst.imm);
        }
      }
    }
    return static_cast<uint32_t>(skipped);
  }

  uint64_t BeginOf(int wave, size_t visit) const {
    return ir::WithWave(BlockOf(ways_[static_cast<size_t>(wave)][visit]).begin, wave);
  }

  // Can it be the continuation of the block that is open?
  bool Continues(int wave, const Visit& visit) const {
    if (open_ != nullptr && is_one_block_) return true;
    if (open_ == nullptr || wave != wave_ || visit.ways_in != 1) return false;
    const Visit& last = ways_[static_cast<size_t>(wave)][last_];
    return last.next.size() == 1 && last.next[0] == last_ + 1;
  }

  void Add(int wave, size_t number) {
    const Visit& visit = ways_[static_cast<size_t>(wave)][number];
    if (!Continues(wave, visit)) {
      Close();
      open_ = std::make_unique<GroupBlock>(function_, BeginOf(wave, number), start_.lds_bytes,
                                           is_one_block_);
    }
    wave_ = wave;
    last_ = number;
    ConstantRegisters registers = visit.at_begin;
    ConstantLanes values(function_);
    // A copy: the function grows.
    const Block from = BlockOf(visit);
    values.Run(from, registers);
    lds_.Follow(function_, from, values, /*is_certain=*/!branches_);
    open_->Append(wave, from, values, visit.at_begin.Pair(ir::kExec));
    open_->Count(visit.instructions);
    if (number + 1 == kept_[static_cast<size_t>(wave)].end) {
      open_->Count(kept_[static_cast<size_t>(wave)].skipped);
    }
  }

  void Close() {
    if (open_ == nullptr) return;
    const auto wave = static_cast<size_t>(wave_);
    const Visit& last = ways_[wave][last_];
    const Block& from = BlockOf(last);
    Lifter& lifter = open_->lifter();
    if (last_ + 1 == kept_[wave].end) {
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
      ir::LiveRegisters live = liveness.AtEnd(block);
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
  const GroupStart& start_;
  std::vector<Kept> kept_;
  bool branches_ = false;  // some branches depend on data
  bool is_one_block_ = false;
  LdsInitialised lds_;
  std::vector<Block> written_;
  std::unique_ptr<GroupBlock> open_;
  int wave_ = 0;     // of the open block
  size_t last_ = 0;  // its last visit
};

}  // namespace

std::optional<GroupCode> AppendGroupCode(ir::Function& function, const GroupStart& start) {
  if (NeedsFlatScratchInState(function)) return std::nullopt;
  std::unordered_map<uint64_t, uint32_t> block_at;
  for (const Block& block : function.blocks) {
    block_at.emplace(block.begin, static_cast<uint32_t>(block_at.size()));
  }
  std::vector<std::vector<Visit>> ways;
  for (const WaveStart& wave : start.waves) {
    auto way = FindWaveTrace(function, block_at, start.entry, wave, start.waves.size() == 1);
    if (!way) return std::nullopt;
    ways.push_back(*std::move(way));
  }
  GroupWriter writer(function, std::move(ways), start);
  if (!writer.Pays(function.blocks.size()) || writer.Size() > kMostInstructions) {
    return std::nullopt;
  }
  return writer.Write();
}

}  // namespace gcnjit::workgroup
