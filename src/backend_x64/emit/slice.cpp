#include "backend_x64/emit/slice.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Value;

void EmitNextSlice(BlockParts& b, const asmjit::Label& loop) {
  if (b.at.slices == 1) return;
  x86::Assembler& a = b.region.a;
  const int lanes = b.at.parts * b.block.lanes;
  a.add(x86::r13, lanes * 4);
  a.add(x86::r14, lanes * 4);
  a.add(x86::r15d, lanes / 8);
  a.cmp(x86::r15d, b.at.slices * lanes / 8);
  a.jb(loop);
}

namespace {

bool MayFault(BlockParts& b, const Stage& stage) {
  const auto accesses = [&b](Value v) {
    const ir::Effect effect = ir::InfoOf(b.block.function[v].op).effect;
    // What is within LDS does not fault.
    return (effect == ir::Effect::kRead || effect == ir::Effect::kWrite) &&
           b.accesses.lds.GuardOf(v) == nullptr;
  };
  return std::any_of(stage.scalar_ops.begin(), stage.scalar_ops.end(), accesses) ||
         std::any_of(stage.lane_ops.begin(), stage.lane_ops.end(), accesses);
}

}  // namespace

void EmitFaultCheck(BlockParts& b, const Stage& stage, const asmjit::Label& to) {
  if (!MayFault(b, stage)) return;
  b.region.NoteHeading("fault?");
  x86::Assembler& a = b.region.a;
  a.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, fault) + offsetof(FaultRecord, raised)), 0);
  a.jne(to);
}

void EmitFaultCheck(BlockParts& b, const Stage& stage) {
  if (!MayFault(b, stage)) return;
  const asmjit::Label fault = b.region.a.newLabel();
  EmitFaultCheck(b, stage, fault);
  b.region.cold.push_back([&region = b.region, fault] {
    region.a.bind(fault);
    region.a.mov(x86::eax, static_cast<uint32_t>(ir::ExitReason::kFault));
    region.a.jmp(region.exit);
  });
}

}  // namespace gcnjit::backend
