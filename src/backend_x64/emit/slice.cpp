#include "backend_x64/emit/slice.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Value;

namespace {

// A mask's bits of the slice.
x86::Mem OfSlice(BlockParts& b, x86::Mem mask) {
  mask.setSize(static_cast<uint32_t>(b.at.parts * b.block.lanes / 8));
  return mask;
}

}  // namespace

std::optional<asmjit::Label> EmitSkipOfStage(BlockParts& b, const Stage& stage) {
  if (!stage.skipped_without) return std::nullopt;
  const asmjit::Label skipped = b.region.a.newLabel();
  x86::Mem mask = b.memory.Mask(stage.skipped_without, 0);
  mask.setSize(8);
  b.region.a.cmp(mask, 0);
  b.region.a.je(skipped);
  return skipped;
}

std::optional<asmjit::Label> EmitSkipOfEmpty(BlockParts& b, const Stage& stage) {
  if (b.at.slices == 1 || !stage.idle_masks) return std::nullopt;
  const asmjit::Label left_out = b.region.a.newLabel();
  b.region.a.cmp(OfSlice(b, b.memory.Mask(b.block.plan.active, 0)), 0);
  b.region.a.je(left_out);
  return left_out;
}

void EmitIdleMasks(BlockParts& b, const Stage& stage, const asmjit::Label& left_out) {
  if (stage.idle_masks->empty()) return b.region.a.bind(left_out), void();
  struct Copy {
    x86::Mem to;
    std::optional<x86::Mem> from;
  };
  std::vector<Copy> copies;
  for (const IdleMask& idle : *stage.idle_masks) {
    Copy copy{OfSlice(b, b.memory.Mask(idle.mask, 0)), std::nullopt};
    if (idle.pair) {
      copy.from = OfSlice(
          b, x86::ptr(x86::rbx, x86::r15, 0, b.region.options.layout.sgpr + *idle.pair * 4));
    }
    copies.push_back(copy);
  }
  b.region.cold.push_back([&region = b.region, left_out, copies, next = b.at.next_slice] {
    region.a.bind(left_out);
    for (const Copy& copy : copies) {
      if (!copy.from) {
        region.a.mov(copy.to, 0);
        continue;
      }
      x86::Gp bits = x86::rax;
      switch (copy.to.size()) {
        case 1: bits = x86::al; break;
        case 2: bits = x86::ax; break;
        case 4: bits = x86::eax; break;
        default: break;
      }
      region.a.mov(bits, *copy.from);
      region.a.mov(copy.to, bits);
    }
    region.a.jmp(next);
  });
}

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
