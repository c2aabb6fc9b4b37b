#include "backend_x64/emit/loop_skips.h"

#include <algorithm>
#include <vector>

namespace gcnjit::backend {

using ir::Inst;
using ir::Value;

namespace {

static_assert(sizeof RegionContext::loop_lanes > BlockContext::kMostLoopInstructions);

// By the iterations that a slice has left, in the register.
x86::Mem NoteOf(const x86::Gp& left) {
  return x86::byte_ptr(x86::r12, left, 0, offsetof(RegionContext, loop_lanes));
}

}  // namespace

void LoopSkips::EmitNote(Value skipped) {
  x86::Assembler& a = b_.region.a;
  Cursor& at = b_.at;
  const Inst& inst = b_.block.function[skipped];
  const Value mask = inst.args[0];
  b_.region.Note(skipped);
  at.position = b_.block.uses.PositionOf(skipped);
  at.inst = &inst;
  if (b_.block.plan.is_wave_mask[mask.id] != 0) {
    const x86::Gp lanes = Gp(b_.scalars.Use(mask), true);
    a.test(lanes, lanes);
    b_.scalars.FreeDying(inst);
    b_.scalars.UnpinAll();
  } else {
    std::vector<int> masks;
    for (int part = 0; part < at.parts; ++part) masks.push_back(b_.lanes.UseMask(mask, part));
    b_.isa.TestMasks(masks);
    b_.lanes.UnpinAll();
    for (int part = 0; part < at.parts; ++part) b_.lanes.FreeDying(inst, part);
  }
  b_.memory.FreeArguments(inst);
  at.inst = nullptr;
  a.setnz(x86::al);
  const std::vector<Value>& skips = b_.block.plan.loop->skips;
  const auto bit = std::find(skips.begin(), skips.end(), skipped) - skips.begin();
  if (bit != 0) a.shl(x86::eax, static_cast<int>(bit));
  a.mov(x86::rdx, Context(offsetof(RegionContext, loop.left), 8));
  a.or_(NoteOf(x86::rdx), x86::al);
}

void LoopSkips::EmitCount() {
  const std::vector<Value>& skips = b_.block.plan.loop->skips;
  if (skips.empty()) return;
  x86::Assembler& a = b_.region.a;
  const asmjit::Label iteration = a.newLabel();
  a.mov(x86::ecx, b_.block.LoopIterations());
  a.bind(iteration);
  a.mov(x86::al, NoteOf(x86::rcx));
  a.mov(NoteOf(x86::rcx), 0);
  for (size_t bit = 0; bit < skips.size(); ++bit) {
    const asmjit::Label has_lanes = a.newLabel();
    a.test(x86::al, 1 << bit);
    a.jnz(has_lanes);
    a.sub(Context(offsetof(RegionContext, turn.executed), 8),
          static_cast<int32_t>(b_.block.function[skips[bit]].imm));
    a.bind(has_lanes);
  }
  a.dec(x86::rcx);
  a.cmp(x86::rcx, Context(offsetof(RegionContext, loop.least_left), 8));
  a.ja(iteration);
}

void LoopSkips::EmitForget(RegionAssembler& region, uint32_t iterations) {
  region.a.lea(x86::rdi, Context(offsetof(RegionContext, loop_lanes), 0));
  region.a.mov(x86::ecx, iterations + 1);
  region.a.xor_(x86::eax, x86::eax);
  region.a.rep().stosb();
}

}  // namespace gcnjit::backend
