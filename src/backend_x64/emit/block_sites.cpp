#include "backend_x64/emit/block_sites.h"

#include <algorithm>
#include <utility>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

BlockSites::BlockSites(RegionAssembler& region, const BlockContext& block, ValueMemory& memory)
    : region_(region),
      block_(block),
      memory_(memory),
      added_(block.function.insts.size()),
      is_early_(block.function.insts.size()),
      exec_of_(block.function.insts.size()) {
  // A loop that changes EXEC is undone if there is a fault.
  if (block.IsLoop()) return;
  Value exec;
  for (const Value v : block.source.insts) {
    if (block.function[v].op == Op::kNoteExec) exec = block.function[v].args[0];
    exec_of_[v.id] = exec;
  }
}

ExecSource BlockSites::ExecOf(Value access) {
  const Value exec = exec_of_[access.id];
  if (!exec) return {};
  const Inst& source = block_.function[exec];
  if (source.op == Op::kConst) {
    return {ExecSource::Kind::kConstant, 0, static_cast<uint64_t>(source.imm)};
  }
  if (source.op == Op::kGetSgpr64) {
    return {ExecSource::Kind::kSgprs, static_cast<uint32_t>(source.imm)};
  }
  return {ExecSource::Kind::kSlot, static_cast<uint32_t>(memory_.SlotOf(exec))};
}

SiteId BlockSites::AddEarly(Value access) {
  const SiteId site = Add(access);
  is_early_[access.id] = 1;
  return site;
}

SiteId BlockSites::Add(Value access) {
  if (std::exchange(is_early_[access.id], 0) != 0) return added_[access.id];
  const Inst& inst = block_.function[access];
  const uint64_t pc = block_.source.guest_pcs[inst.guest];
  MemorySite site;
  site.pc = ir::WithoutWave(pc);
  site.place.wave = static_cast<uint32_t>(std::max(ir::WaveOf(pc), 0));
  site.access = inst.access();
  // The runtime gets addresses.
  site.access.indexed = false;
  site.access.index_signed = false;
  site.access.index_shift = 0;
  site.access.quadwords = false;  // the runtime gives dwords
  site.is_lds = ir::InfoOf(inst.op).Has(ir::Trait::kLds);
  site.is_store =
      inst.op == Op::kStore || inst.op == Op::kStoreSwizzled || inst.op == Op::kStoreLds;
  site.is_swizzled = ir::IsSwizzled(inst.op);
  site.is_atomic = inst.op == Op::kAtomic || inst.op == Op::kAtomicLds;
  site.place.order = access.id;
  site.place.block_instructions = block_.source.instruction_count;
  site.place.position = inst.guest + 1u;
  site.place.loop_iterations = block_.IsLoop() ? block_.LoopIterations() : 0;
  site.imm = static_cast<int32_t>(inst.imm);
  site.exec = ExecOf(access);
  site.index = static_cast<uint32_t>(region_.sites.size());
  region_.sites.push_back(site);
  return added_[access.id] = {site.index};
}

}  // namespace gcnjit::backend
