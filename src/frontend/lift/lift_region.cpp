#include "frontend/lift/lift_region.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "frontend/lift/indexed_moves.h"
#include "frontend/lift/why_not_lifted.h"
#include "isa/encodings.h"
#include "isa/vgpr_limit.h"

namespace gcnjit::frontend {
namespace {

// Inst::guest counts in 16 bits; shorter blocks also bound what the register allocator looks at.
constexpr size_t kMaxInstructionsPerBlock = 4096;

// Why the instruction is the interpreter's, whatever its operands are; nullptr: it is not.
const char* WhyNotLifted(const Instruction& i, const LiftTarget& target) {
  if (const char* reason = WhyNotLifted(i.opcode)) return reason;
  if (!target.vgprs.Hold(VgprLimitOf(i))) return "a VGPR that the kernel does not allocate";
  if ((target.mode & (kModeGprIdxEn | kModeVskip)) != 0 && !IsScalarEncoding(i.encoding)) {
    return "MODE redirects or skips vector instructions";
  }
  return nullptr;
}

// The runtime looks for the scratch window in the wave's state.
bool NeedsWrittenFlatScratch(const Lifter& lifter, const Instruction& i) {
  const bool may_look = i.encoding == Encoding::kFlat || i.encoding == Encoding::kScratch;
  return may_look && lifter.FlatScratchChanged();
}

// A VGPR that is read by a number that is not known yet may be one that the block has changed: of
// few it is looked for.
bool NeedsWrittenVgprs(const Lifter& lifter, const Instruction& i) {
  constexpr int kMostChanged = 4;
  switch (i.opcode) {
    case Opcode::S_SET_GPR_IDX_ON:
    case Opcode::V_MOVRELS_B32:
    case Opcode::V_MOVRELSD_B32: return lifter.CountChangedVgprs(0) > kMostChanged;
    default: return false;
  }
}

// Must the instruction come after the matrices that the block ends with? So do registers by number,
// and branches over instructions that might have to: how many they skip is known in one block.
bool IsAfterMatrices(const Lifter& lifter, const DecodedInstruction& at,
                     const RegisterAccess& access) {
  return lifter.has_matrices() &&
         (at.skips != 0 || access.unknown || at.inst().opcode == Opcode::S_SET_GPR_IDX_ON ||
          lifter.MustFollowMatrices(at.inst(), access));
}

// After a MODE that the wave's state does not have yet: no fault, helper or other block may see the
// old one.
bool MayFollowChangedMode(const DecodedInstruction& at) {
  constexpr uint32_t kOther = LOAD | STORE | ATOMIC | BRANCH | END | BARRIER;
  const Instruction& i = at.inst();
  if (at.skips != 0 || (i.row().flags & kOther) != 0) return false;
  switch (i.opcode) {
    case Opcode::S_SET_GPR_IDX_ON:
    case Opcode::V_MOVRELD_B32:
    case Opcode::V_MOVRELS_B32:
    case Opcode::V_MOVRELSD_B32: return false;  // the interpreter may get them after all
    case Opcode::S_NOP:
    case Opcode::S_WAITCNT: return true;
    default: break;
  }
  switch (i.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc: return true;
    case Encoding::kMai:
    case Encoding::kVintrp: return false;
    default: return IsVectorAlu(i.encoding);
  }
}

// A block of the function while it grows.
struct OpenBlock {
  OpenBlock(const LiftTarget& target, ir::Function& function, uint64_t begin)
      : builder(function, block), lifter(target, builder) {
    block.begin = begin;
    block.gains_lanes = false;
  }
  OpenBlock(const OpenBlock&) = delete;
  OpenBlock& operator=(const OpenBlock&) = delete;

  ir::Block block;
  ir::Builder builder;
  Lifter lifter;
};

class RegionLifter {
 public:
  RegionLifter(const LiftTarget& target, LiftStatistics* statistics, size_t instructions)
      : target_(target), statistics_(statistics) {
    function_.insts.reserve(instructions * kUsualInsts);
  }

  // Block `index` of the graph.
  void LiftBlock(const ControlFlowGraph& cfg, const Liveness& liveness, uint32_t index) {
    const CodeBlock& code = cfg.blocks[index];
    PointsAfter points(liveness, index);
    LivePoint after = liveness.AtBegin(index);
    const bool is_loop = std::ranges::find(code.successors, index) != code.successors.end();
    for (size_t n = 0; n < code.instructions.size(); ++n) {
      const DecodedInstruction& at = code.instructions[n];
      const LivePoint before = std::exchange(after, points[n]);
      if (open_ && IsAfterMatrices(open_->lifter, at, liveness.Access(index, n))) {
        Close(before, ir::ExitReason::kNext, at.pc);
      }
      if (open_ && open_->lifter.has_changed_mode() && !MayFollowChangedMode(at)) {
        Close(before, ir::ExitReason::kNext, at.pc);
      }
      if (n + 1 < code.instructions.size() && PassBranch(at)) continue;
      const auto rest = std::span(code.instructions).subspan(n);
      if (const size_t count = CountIndexedMoves(rest, target_); count != 0) {
        if (open_ && NeedsWrittenVgprs(open_->lifter, at.inst())) {
          Close(before, ir::ExitReason::kNext, at.pc);
        }
        if (open_ == nullptr) open_ = std::make_unique<OpenBlock>(target_, function_, at.pc);
        IndexedMoves moves(open_->lifter, rest.first(count));
        for (size_t i = 0; i < count; ++i) {
          if (i != 0) after = points[n + i];
          open_->lifter.b.SetGuest(static_cast<uint16_t>(open_->block.guest_pcs.size()));
          moves.Lift(i, after.wide);
          open_->block.guest_pcs.push_back(rest[i].pc);
        }
        if (statistics_ != nullptr) statistics_->lifted += static_cast<uint32_t>(count);
        n += count - 1;
        CloseIfEnded(after, n + 1 == code.instructions.size(), rest[count - 1]);
        continue;
      }
      const uint64_t next_pc = at.pc + at.inst().size;
      const std::string_view refusal = Lift(at, next_pc, before, after);
      if (!refusal.empty()) {
        CountInterpreted(at.inst().opcode, refusal);
        Close(before, ir::ExitReason::kInterpret, at.pc);
        continue;
      }
      if (statistics_ != nullptr) ++statistics_->lifted;
      // Where EXEC may grow, lanes that have left the loop may be written again: code that runs
      // some lanes longer than others has to know (backend_x64/plan/loops.h).
      if (is_loop && liveness.Access(index, n).exec == ExecEffect::kChanges) {
        open_->lifter.NoteExec();
      }
      CloseIfEnded(after, n + 1 == code.instructions.size(), at);
    }
  }

  ir::Function Take() { return std::move(function_); }

 private:
  // After an instruction, which may be the graph's block's last one.
  void CloseIfEnded(const LivePoint& after, bool is_last, const DecodedInstruction& at) {
    const bool full = open_->block.guest_pcs.size() >= kMaxInstructionsPerBlock;
    if (!open_->lifter.ended() && !full && !is_last) return;
    Close(after, ir::ExitReason::kNext, at.pc + at.inst().size);
  }

  // A branch inside a block, see merge_blocks.h.
  bool PassBranch(const DecodedInstruction& at) {
    if (at.inst().opcode != Opcode::S_BRANCH && at.skips == 0) return false;
    if (open_ == nullptr) open_ = std::make_unique<OpenBlock>(target_, function_, at.pc);
    Lifter& lifter = open_->lifter;
    lifter.b.SetGuest(static_cast<uint16_t>(open_->block.guest_pcs.size()));
    if (at.skips != 0) {
      lifter.b.Emit(ir::Op::kSkipped, ir::Type::kVoid, {lifter.Exec()}, at.skips, at.tests_lanes);
    }
    open_->block.guest_pcs.push_back(at.pc);
    if (statistics_ != nullptr) ++statistics_->lifted;
    return true;
  }

  // Appends the instruction to the open block, or says why not. Whatever a refused instruction has
  // emitted is dead, or a register's value that Close may use; if it was to be the block's first
  // one, there is no such block.
  std::string_view Lift(const DecodedInstruction& at, uint64_t next_pc, const LivePoint& before,
                        const LivePoint& after) {
    const Instruction& i = at.inst();
    if (const char* reason = WhyNotLifted(i, target_)) return reason;
    if (open_ &&
        (NeedsWrittenFlatScratch(open_->lifter, i) || NeedsWrittenVgprs(open_->lifter, i))) {
      Close(before, ir::ExitReason::kNext, at.pc);
    }
    if (open_ == nullptr) open_ = std::make_unique<OpenBlock>(target_, function_, at.pc);
    Lifter& lifter = open_->lifter;
    Lifter::Observed observed;
    observed.wide_vgprs = after.wide;
    lifter.Start(at.pc, next_pc, observed);
    lifter.b.SetGuest(static_cast<uint16_t>(open_->block.guest_pcs.size()));
    if ((i.row().flags & (LOAD | STORE | ATOMIC)) != 0) lifter.NoteExec();
    LiftFunctionOf(i.opcode)(lifter, i);
    open_->block.gains_lanes |= lifter.GainsLanes();
    const std::string_view refusal = lifter.refusal();
    if (refusal.empty()) open_->block.guest_pcs.push_back(at.pc);
    return refusal;
  }

  // Ends the open block, with a jump or an exit to `pc` if its last instruction has not.
  void Close(const LivePoint& live, ir::ExitReason reason, uint64_t pc) {
    if (open_ == nullptr) return;
    if (!open_->block.guest_pcs.empty()) {
      Lifter& lifter = open_->lifter;
      if (!lifter.ended()) {
        if (reason == ir::ExitReason::kNext) {
          lifter.Jump(pc);
        } else {
          lifter.Exit(reason, pc);
        }
      }
      const auto last = static_cast<uint16_t>(open_->block.guest_pcs.size() - 1);
      lifter.b.SetGuest(last);
      // What a refused instruction has emitted is not in the block's instructions.
      for (const ir::Value v : open_->block.insts) {
        function_[v].guest = std::min(function_[v].guest, last);
      }
      // EXEC as long as there is a next instruction, whose fault report may name it.
      std::bitset<128> sgprs = live.live.sgprs | lifter.index_sgprs();
      if (!lifter.ends_wave()) sgprs.set(kCodeExecLo).set(kCodeExecHi);
      lifter.WriteBack(live.live.vgprs, live.wide, sgprs, live.live.scc);
      lifter.EmitTerminator();
      open_->block.instruction_count = static_cast<uint32_t>(open_->block.guest_pcs.size());
      function_.blocks.push_back(std::move(open_->block));
    }
    open_.reset();
  }

  void CountInterpreted(Opcode opcode, std::string_view reason) {
    if (statistics_ == nullptr) return;
    LiftStatistics::Interpreted& entry = statistics_->interpreted[opcode];
    if (entry.count++ == 0) entry.reason = reason;
  }

  const LiftTarget& target_;
  LiftStatistics* const statistics_;
  ir::Function function_;
  std::unique_ptr<OpenBlock> open_;
};

}  // namespace

ir::Function LiftRegion(const ControlFlowGraph& cfg, const Liveness& liveness,
                        const LiftTarget& target, LiftStatistics* statistics) {
  size_t instructions = 0;
  for (const CodeBlock& block : cfg.blocks) instructions += block.instructions.size();
  RegionLifter region(target, statistics, instructions);
  for (uint32_t n = 0; n < cfg.blocks.size(); ++n) {
    region.LiftBlock(cfg, liveness, n);
  }
  return region.Take();
}

CanLiftAll CanLiftFor(const LiftTarget& target) {
  return [target](std::span<const DecodedInstruction> instructions) {
    ir::Function function;
    OpenBlock open(target, function, 0);
    for (const DecodedInstruction& at : instructions) {
      const Instruction& i = at.inst();
      if (WhyNotLifted(i, target) != nullptr || NeedsWrittenFlatScratch(open.lifter, i)) {
        return false;
      }
      open.lifter.Start(at.pc, at.pc + i.size, {});
      LiftFunctionOf(i.opcode)(open.lifter, i);
      if (!open.lifter.refusal().empty()) return false;
    }
    return true;
  };
}

}  // namespace gcnjit::frontend
