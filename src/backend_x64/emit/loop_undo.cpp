#include "backend_x64/emit/loop_undo.h"

#include "backend_x64/emit/leave.h"
#include "backend_x64/emit/loop_skips.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {}  // namespace

LoopUndo::LoopUndo(BlockParts& parts)
    : b_(parts), label_(parts.region.a.newLabel()), scalars_(parts.region) {}

void LoopUndo::Save() {
  const ir::Function& function = b_.block.function;
  const LoopPlan& loop = *b_.block.plan.loop;
  scalars_.Take(function, b_.block.plan.final_ops);
  scalars_.Take(function, loop.lanes.sets);
  scalars_.Save();
  x86::Assembler& a = b_.region.a;
  const int scratch = b_.isa.ScratchVector();
  const int part_bytes = b_.block.lanes * 4;
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  const auto save = [&](int vgpr) {
    const SavedVgpr saved = {vgpr, b_.region.frame.temps.Take()};
    vgprs_.push_back(saved);
    const int32_t from = b_.region.options.layout.vgpr + saved.vgpr * kVgprBytes;
    for (int at = 0; at < kVgprBytes; at += part_bytes) {
      b_.isa.LoadVector(scratch, x86::ptr(x86::rbx, from + at));
      b_.isa.StoreVector(x86::ptr(x86::rdx, saved.temp * kVgprBytes + at), scratch);
    }
  };
  // A VGPR that the loop does not read is written before it is wanted, in each lane.
  for (const Value v : loop.lanes.carried) {
    if (function[v].op == Op::kGetVgpr) save(static_cast<int>(function[v].imm));
  }
  for (const LoopPointer& pointer : loop.pointers) {
    save(static_cast<int>(function[pointer.low].imm));
    save(static_cast<int>(function[pointer.high].imm));
  }
}

void LoopUndo::Finish() {
  b_.region.cold.push_back([&region = b_.region, label = label_, scalars = scalars_, vgprs = vgprs_,
                            begin = b_.block.source.begin,
                            has_skips = !b_.block.plan.loop->skips.empty(),
                            iterations = b_.block.LoopIterations()] {
    x86::Assembler& a = region.a;
    a.bind(label);
    a.ldmxcsr(region.constants.Broadcast32(region.BaseMxcsr()));
    scalars.Restore();
    for (const SavedVgpr& saved : vgprs) {
      a.mov(x86::rsi, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
      a.add(x86::rsi, saved.temp * kVgprBytes);
      a.lea(x86::rdi, x86::ptr(x86::rbx, region.options.layout.vgpr + saved.vgpr * kVgprBytes));
      a.mov(x86::ecx, kVgprBytes);
      a.rep().movsb();
    }
    if (has_skips) LoopSkips::EmitForget(region, iterations);
    EmitSetPc(region, begin);
    a.mov(
        x86::byte_ptr(x86::r12, offsetof(RegionContext, fault) + offsetof(FaultRecord, is_undone)),
        1);
    EmitLeaveFor(region, ir::ExitReason::kFault);
  });
  for (const SavedVgpr& saved : vgprs_) b_.region.frame.temps.Free(saved.temp);
  scalars_.Free();
}

}  // namespace gcnjit::backend
