// Backward data flow on two sets, `live` and `wide` (liveness.h).
//
// What the sets promise at a point where EXEC = E: changing a VGPR that is not in `live` changes
// nothing that is observed; changing the lanes outside E of a VGPR that is not in `wide` neither.
// `wide` is kept a subset of `live`, so that each VGPR is dead, live, or live and wide. It is the
// union of sets: lanes outside E may be any, or such as are in the mask that an SGPR pair has here
// (FollowedMasks).
//
// One step back over an instruction that has E before it and E' after it, with (live', wide') after
// it. What it does to EXEC comes last, so it is undone first:
//   E' = E          live = live', wide = wide'.
//   E' within E     the same. A lane outside E is outside E', so wide' speaks for it; a lane of E
//   is
//                   in E' (live') or not (wide', which is within live').
//   E' within E or M, a mask before it: live = live', wide in M = live' and what it was.
//   E' arbitrary    live = live', wide anywhere = live': a lane outside E may be in E' (live').
// And to a mask: a lane of the new one that was not in E is in masks before it, or may be any; one
// that was is spoken for by live', within which wide' is.
// Then its writes: a VGPR written in all lanes of E has there no old value to observe, while the
// lanes outside E keep theirs. wide stays, and live becomes wide (not less: wide is within live).
// So a write after which the VGPR is not wide may leave anything in the lanes outside E. Writes of
// other lanes (v_writelane) or of only some of E change nothing: what is kept may be observed.
// Then its reads: in lanes of E they make a VGPR live, reads of any lane make it wide as well.
//
// A register's state before a block depends on its own state after it only, and is one of three, so
// a block is summed up by what it makes of the three; the fixed point is found on the sums.
#include "frontend/flow/liveness.h"

#include <algorithm>

namespace gcnjit::frontend {
namespace {

constexpr uint32_t kModeHwreg = 1;

// What MODE may hold besides the plain state.
struct ModeState {
  bool gpr_idx = false;
  bool vskip = false;

  bool Any() const { return gpr_idx || vskip; }
  bool Merge(const ModeState& other) {
    const bool changes = (other.gpr_idx && !gpr_idx) || (other.vskip && !vskip);
    gpr_idx |= other.gpr_idx;
    vskip |= other.vskip;
    return changes;
  }
};

void StepMode(const Instruction& inst, ModeState& mode) {
  switch (inst.opcode) {
    case Opcode::S_SET_GPR_IDX_ON: mode.gpr_idx = true; return;
    case Opcode::S_SET_GPR_IDX_OFF: mode.gpr_idx = false; return;
    case Opcode::S_SETVSKIP: {
      const bool clears = inst.src[0].kind == OperandKind::kConstant && inst.src[0].value == 0;
      mode.vskip = !clears;
      return;
    }
    case Opcode::S_SETREG_B32:
    case Opcode::S_SETREG_IMM32_B32: {
      // {size - 1 [15:11], offset [10:6], id [5:0]}; GPR_IDX_EN is bit 27 and VSKIP bit 28.
      const auto hwreg = static_cast<uint32_t>(inst.imm);
      if ((hwreg & 63) != kModeHwreg) return;
      const uint32_t first = (hwreg >> 6) & 31;
      const uint32_t last = first + ((hwreg >> 11) & 31);
      mode.gpr_idx |= first <= 27 && last >= 27;
      mode.vskip |= first <= 28 && last >= 28;
      return;
    }
    default: return;
  }
}

std::vector<ModeState> ModesAtBegin(const ControlFlowGraph& graph, bool any_mode_at_entry) {
  std::vector<ModeState> at_begin(graph.blocks.size());
  at_begin[graph.entry] = {any_mode_at_entry, any_mode_at_entry};
  std::vector<uint32_t> pending(graph.blocks.size());
  for (uint32_t block = 0; block < pending.size(); ++block) pending[block] = block;
  while (!pending.empty()) {
    const uint32_t block = pending.back();
    pending.pop_back();
    ModeState mode = at_begin[block];
    for (const DecodedInstruction& at : graph.blocks[block].instructions) StepMode(at.inst(), mode);
    for (const uint32_t successor : graph.blocks[block].successors) {
      if (at_begin[successor].Merge(mode)) pending.push_back(successor);
    }
  }
  return at_begin;
}

// Liveness::any_mode_.
std::vector<std::vector<bool>> AnyModes(const ControlFlowGraph& graph, bool any_mode_at_entry) {
  const std::vector<ModeState> at_begin = ModesAtBegin(graph, any_mode_at_entry);
  std::vector<std::vector<bool>> any_mode(graph.blocks.size());
  for (size_t block = 0; block < graph.blocks.size(); ++block) {
    const std::vector<DecodedInstruction>& instructions = graph.blocks[block].instructions;
    ModeState mode = at_begin[block];
    for (size_t n = 0; n < instructions.size(); ++n) {
      if (mode.Any()) {
        any_mode[block].resize(instructions.size());
        any_mode[block][n] = true;
      }
      StepMode(instructions[n].inst(), mode);
    }
  }
  return any_mode;
}

LivePoint EverythingLives() {
  LivePoint point;
  point.live = RegisterSet::All();
  point.wide.set();
  point.wide_anywhere.set();
  return point;
}

void Merge(const LivePoint& other, LivePoint& point) {
  point.live |= other.live;
  point.wide |= other.wide;
  point.wide_anywhere |= other.wide_anywhere;
  for (size_t mask = 0; mask < FollowedMasks::kMost; ++mask) {
    point.wide_in_mask[mask] |= other.wide_in_mask[mask];
  }
}

bool Has(MaskSet set, size_t mask) { return (set >> mask & 1) != 0; }

// What the instruction does to EXEC and to masks, backwards.
void StepBackOverMasks(const MaskFlow& flow, size_t masks, LivePoint& point) {
  const auto after = point.wide_in_mask;
  for (size_t mask = 0; mask < masks; ++mask) {
    VgprSet& wide = point.wide_in_mask[mask];
    wide = Has(flow.grows_by, mask) ? point.live.vgprs : VgprSet();
    for (size_t to = 0; to < masks; ++to) {
      if (Has(flow.comes_from[to], mask)) wide |= after[to];
    }
    if (Has(flow.comes_from_anywhere, mask)) point.wide_anywhere |= after[mask];
  }
  if (flow.grows_anywhere) point.wide_anywhere = point.live.vgprs;
  point.wide = point.wide_anywhere;
  for (size_t mask = 0; mask < masks; ++mask) point.wide |= point.wide_in_mask[mask];
}

// From the point after the instruction to the point before it.
void StepBackOver(const RegisterAccess& access, const MaskFlow& flow, size_t masks,
                  LivePoint& point) {
  if (!flow.is_nothing) StepBackOverMasks(flow, masks, point);
  const VgprSet& written = access.writes.vgprs;
  point.live.vgprs &= ~written | point.wide;
  point.live.sgprs &= ~access.writes.sgprs;
  point.live.scc = point.live.scc && !access.writes.scc;
  // The lanes that v_writelane keeps count as read, but only their later use matters.
  point.live.vgprs |= access.reads.vgprs & ~access.kept_vgprs;
  point.live.sgprs |= access.reads.sgprs;
  point.live.scc |= access.reads.scc;
  point.wide |= access.wide_vgpr_reads & ~access.kept_vgprs;
  point.wide_anywhere |= access.wide_vgpr_reads & ~access.kept_vgprs;
}

}  // namespace

LivePoint Liveness::Sum::Apply(const LivePoint& end) const {
  LivePoint begin = of_dead;
  const auto add = [&](const LivePoint& of, const VgprSet& in) {
    begin.live.vgprs |= in & of.live.vgprs;
    begin.wide |= in & of.wide;
    begin.wide_anywhere |= in & of.wide_anywhere;
    for (size_t mask = 0; mask < of_wide_in_mask.size(); ++mask) {
      begin.wide_in_mask[mask] |= in & of.wide_in_mask[mask];
    }
  };
  add(of_live, end.live.vgprs);
  add(of_wide, end.wide_anywhere);
  for (size_t mask = 0; mask < of_wide_in_mask.size(); ++mask) {
    add(of_wide_in_mask[mask], end.wide_in_mask[mask]);
  }
  begin.live.sgprs |= end.live.sgprs & of_live.live.sgprs;
  begin.live.scc |= end.live.scc && of_live.live.scc;
  return begin;
}

Liveness::Liveness(const ControlFlowGraph& graph, Generation generation, const LiveAtEnd& at_end)
    : graph_(graph),
      generation_(generation),
      any_mode_(AnyModes(graph, at_end.any_mode_at_entry)),
      masks_(graph),
      at_begin_(graph.blocks.size()),
      at_end_(graph.blocks.size()) {
  const auto block_count = static_cast<uint32_t>(graph.blocks.size());
  std::vector<Sum> sums(block_count);
  std::vector<std::vector<uint32_t>> predecessors(block_count);
  for (uint32_t n = 0; n < block_count; ++n) {
    const CodeBlock& block = graph.blocks[n];
    for (const uint32_t successor : block.successors) predecessors[successor].push_back(n);
    if (block.leaves) at_end_[n] = EverythingLives();
    if (block.ends_program) {
      at_end_[n].live |= at_end.live;
      at_end_[n].live.vgprs |= at_end.wide;
      at_end_[n].wide |= at_end.wide;
      at_end_[n].wide_anywhere |= at_end.wide;
    }
    if (!block.successors.empty()) sums[n] = SumOf(n);
  }

  // The last blocks come first: most edges go forward.
  std::vector<uint32_t> pending(block_count);
  for (uint32_t n = 0; n < block_count; ++n) pending[n] = n;
  std::vector<bool> is_pending(block_count, true);
  while (!pending.empty()) {
    const uint32_t n = pending.back();
    pending.pop_back();
    is_pending[n] = false;
    for (const uint32_t successor : graph.blocks[n].successors) {
      Merge(at_begin_[successor], at_end_[n]);
    }
    // Where it ends is looked at once: one way through it is all.
    const Point begin =
        graph.blocks[n].successors.empty() ? BeginOf(n, at_end_[n]) : sums[n].Apply(at_end_[n]);
    if (begin == at_begin_[n]) continue;
    at_begin_[n] = begin;
    for (const uint32_t predecessor : predecessors[n]) {
      if (is_pending[predecessor]) continue;
      is_pending[predecessor] = true;
      pending.push_back(predecessor);
    }
  }
}

RegisterAccess Liveness::Access(uint32_t block, size_t instruction) const {
  const Instruction& inst = graph_.blocks[block].instructions[instruction].inst();
  const std::vector<bool>& any_mode = any_mode_[block];
  const bool is_any = !any_mode.empty() && any_mode[instruction];
  return is_any ? AccessOfAnyMode(inst, generation_) : AccessOf(inst, generation_);
}

void Liveness::StepBack(uint32_t block, size_t instruction, Point& point) const {
  const RegisterAccess access = Access(block, instruction);
  const Instruction& inst = graph_.blocks[block].instructions[instruction].inst();
  StepBackOver(access, MaskFlowOf(inst, access, masks_), masks_.count(), point);
}

LivePoint Liveness::BeginOf(uint32_t block, Point point) const {
  for (size_t n = InstructionsOf(block); n-- > 0;) StepBack(block, n, point);
  return point;
}

Liveness::Sum Liveness::SumOf(uint32_t block) const {
  Sum sum;
  sum.of_live.live = RegisterSet::All();
  sum.of_wide = EverythingLives();
  sum.of_wide_in_mask.assign(masks_.count(), sum.of_live);
  for (size_t mask = 0; mask < masks_.count(); ++mask) {
    sum.of_wide_in_mask[mask].wide.set();
    sum.of_wide_in_mask[mask].wide_in_mask[mask].set();
  }
  for (size_t n = InstructionsOf(block); n-- > 0;) {
    const RegisterAccess access = Access(block, n);
    const MaskFlow flow = MaskFlowOf(graph_.blocks[block].instructions[n].inst(), access, masks_);
    const auto step = [&](LivePoint& point) { StepBackOver(access, flow, masks_.count(), point); };
    step(sum.of_dead);
    step(sum.of_live);
    step(sum.of_wide);
    for (LivePoint& point : sum.of_wide_in_mask) step(point);
  }
  return sum;
}

PointsAfter::PointsAfter(const Liveness& liveness, uint32_t block)
    : liveness_(liveness),
      block_(block),
      at_stretch_ends_((liveness.InstructionsOf(block) + kStretch - 1) / kStretch) {
  LivePoint point = liveness.AtEnd(block);
  if (!at_stretch_ends_.empty()) at_stretch_ends_.back() = point;
  // The first stretch is not asked for where it begins.
  for (size_t n = liveness.InstructionsOf(block); n-- > kStretch;) {
    liveness.StepBack(block, n, point);
    if (n % kStretch == 0) at_stretch_ends_[n / kStretch - 1] = point;
  }
}

const LivePoint& PointsAfter::operator[](size_t n) {
  if (points_.empty() || n - begin_ >= points_.size()) {
    begin_ = n / kStretch * kStretch;
    points_.resize(std::min(kStretch, liveness_.InstructionsOf(block_) - begin_));
    LivePoint point = at_stretch_ends_[n / kStretch];
    for (size_t i = points_.size(); i-- > 0;) {
      points_[i] = point;
      liveness_.StepBack(block_, begin_ + i, point);
    }
  }
  return points_[n - begin_];
}

}  // namespace gcnjit::frontend
