#include "backend_x64/emit/terminator.h"

#include "backend_x64/emit/leave.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;

void Terminator::Emit(BlockEmitter& emitter, const BlockVersion& version, const BlockContext& block,
                      uint64_t next) {
  const ir::Block& source = block.source;
  if (block.IsLoop()) {
    EmitPause(source);
    EmitGo(source, block.plan.loop->branch.after, next);
    return;
  }
  const Inst& inst = block.function[source.insts.back()];
  region_.Note(source.insts.back());
  switch (inst.op) {
    case Op::kJump: EmitGo(source, source.targets[0], next); break;
    case Op::kBranch: {
      const x86::Gp condition = Gp(emitter.UseScalar(inst.args[0]), false);
      const asmjit::Label taken = a.newLabel();
      a.test(condition, condition);
      a.jnz(taken);
      // Falling through is best at the end: emit the false side first if it is not next.
      EmitGo(source, source.targets[1], 0);
      a.bind(taken);
      EmitGo(source, source.targets[0], next);
      break;
    }
    case Op::kProceed: {
      const x86::Gp holds = Gp(emitter.UseScalar(inst.args[0]), false);
      const asmjit::Label interpreted = a.newLabel();
      a.test(holds, holds);
      a.jz(interpreted);
      region_.cold.push_back([&region = region_, interpreted, pc = source.targets[1],
                              count = static_cast<int32_t>(inst.imm)] {
        region.a.bind(interpreted);
        region.a.sub(x86::qword_ptr(x86::r12, offsetof(RegionContext, turn.executed)), count);
        EmitSetPc(region, pc);
        EmitLeaveFor(region, ir::ExitReason::kInterpret);
      });
      EmitGo(source, source.targets[0], next);
      break;
    }
    case Op::kJumpIndirect: {
      const x86::Gp target = Gp(emitter.UseScalar(inst.args[0]), true);
      a.mov(x86::ptr(x86::rbx, region_.options.layout.pc), target);
      EmitLeaveFor(region_, ir::ExitReason::kNext);
      break;
    }
    default: EmitExit(version, source, static_cast<ir::ExitReason>(inst.imm), next); break;
  }
  emitter.Finish();
}

void Terminator::EmitExit(const BlockVersion& version, const ir::Block& block,
                          ir::ExitReason reason, uint64_t next) {
  const uint64_t pc = block.targets[0];
  if (ir::WaveOf(block.begin) >= 0) return relay_.EmitInGroup(version, block, next);
  if (version.follow.is_bound) return relay_.EmitFollowedEnd(pc);
  EmitSetPc(region_, pc);
  if (reason == ir::ExitReason::kBarrier && labels_.contains(pc)) {
    relay_.EmitBarrier(labels_.at(pc));
  } else if (reason == ir::ExitReason::kEnd) {
    relay_.EmitEnd();
  } else {
    EmitLeaveFor(region_, reason);
  }
}

// Continues a loop that has used up its iterations, unless other waves want their turn.
void Terminator::EmitPause(const ir::Block& loop) {
  const asmjit::Label paused = a.newLabel();
  a.cmp(x86::dword_ptr(x86::r12, offsetof(RegionContext, loop.paused)), 0);
  a.jne(paused);
  region_.cold.push_back(
      [&region = region_, paused, begin = loop.begin, label = labels_.at(loop.begin)] {
        region.a.bind(paused);
        EmitCompareBudget(region);
        region.a.jb(label);
        EmitSetPc(region, begin);
        EmitLeaveFor(region, ir::ExitReason::kNext);
      });
}

// At a guest address: in this region if it has a block there.
void Terminator::EmitGo(const ir::Block& block, uint64_t target, uint64_t next) {
  const auto found = labels_.find(target);
  if (found == labels_.end()) {
    EmitSetPc(region_, target);
    EmitLeaveFor(region_, ir::ExitReason::kNext);
    return;
  }
  if (target <= block.begin) {
    // A loop: other waves want their turn, and the launch may be told to stop.
    const asmjit::Label pause = a.newLabel();
    EmitCompareBudget(region_);
    a.jae(pause);
    a.jmp(found->second);
    region_.cold.push_back([&region = region_, pause, target] {
      region.a.bind(pause);
      EmitSetPc(region, target);
      EmitLeaveFor(region, ir::ExitReason::kNext);
    });
    return;
  }
  if (target != next) a.jmp(found->second);
}

}  // namespace gcnjit::backend
