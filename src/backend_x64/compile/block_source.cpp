#include "backend_x64/compile/block_source.h"

#include "backend_x64/plan/loop_condition.h"
#include "ir/passes.h"
#include "ir/rewrite/clone_compares.h"
#include "ir/rewrite/exit_masks.h"
#include "ir/rewrite/identity_permutes.h"
#include "ir/rewrite/invert_compares.h"
#include "ir/rewrite/quadword_loads.h"
#include "ir/rewrite/scalar_compares.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

bool ReadsExec(const Inst& inst) { return inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec; }

bool WritesExec(const Inst& inst) {
  return (inst.op == Op::kSetSgpr64 && inst.imm == ir::kExec) ||
         (inst.op == Op::kSetSgpr && (inst.imm == ir::kExec || inst.imm == ir::kExec + 1));
}

// The block, given that the masks for which `is_ones` holds have all lanes at its begin.
template <typename F>
void AssumeOnes(ir::Function& alone, const F& is_ones) {
  bool has_any = false;
  for (const Value v : alone.blocks[0].insts) {
    Inst& inst = alone[v];
    if (!is_ones(inst)) continue;
    inst.op = Op::kConst;
    inst.imm = -1;
    has_any = true;
  }
  if (!has_any) return;
  ir::OptimiseAgain(alone);
}

}  // namespace

// Its values are numbered densely: what the emitter keeps by value is as large as the block, not as
// the region.
ir::Function BlockSource::Extract(size_t n) {
  const ir::Block& block = region_.blocks[n];
  ir::Function alone;
  alone.insts.reserve(block.insts.size() + 1);
  alone.patterns = region_.patterns;
  alone.blocks.push_back(block);
  for (Value& v : alone.blocks[0].insts) {
    Inst inst = region_[v];
    for (int arg = 0; arg < inst.argument_count; ++arg) {
      inst.args[arg] = {new_id_[inst.args[arg].id]};
    }
    new_id_[v.id] = static_cast<uint32_t>(alone.insts.size());
    v = {new_id_[v.id]};
    alone.insts.push_back(inst);
  }
  if (options_.shapes == nullptr) return alone;
  ir::SimplifyExitMasks(alone, options_.shapes->apart_at_begin[n]);
  const auto& ones = options_.shapes->ones_at_begin[n];
  AssumeOnes(alone, [&](const Inst& inst) {
    const auto sgpr = static_cast<size_t>(inst.imm);
    return inst.op == Op::kGetSgpr64 && ones[sgpr] && ones[sgpr + 1];
  });
  return alone;
}

KnownLanes BlockSource::Rewrite(size_t n, ir::Function& alone, const ir::RegionShapes* own) const {
  CompareNextValue(alone);
  KnownLanes lanes;
  lanes.shapes.assign(alone.insts.size(), {});
  const auto know = [&](const ir::Function& function, const ir::Block& block,
                        const ir::RegionShapes& shapes, const auto& id_here) {
    lanes.patterns = &shapes.patterns;
    for (const Value v : block.insts) {
      const Inst& inst = function[v];
      const Value from = inst.op == ir::Op::kSetVgpr ? inst.args[0] : v;
      lanes.shapes[id_here(v)] = shapes.of_value[from.id];
    }
    ir::ScalarizeCompares(alone, *lanes.patterns, lanes.shapes);
  };
  if (own != nullptr) {
    know(alone, alone.blocks[0], *own, [](Value v) { return v.id; });
  } else if (options_.shapes != nullptr) {
    know(region_, region_.blocks[n], *options_.shapes, [&](Value v) { return new_id_[v.id]; });
  }
  ir::RemoveIdentityPermutes(alone, lanes.shapes);
  ir::CloneCompares(alone, lanes.shapes);
  if (options_.isa == HostIsa::kAvx2) {
    ir::InvertCompares(alone, lanes.shapes);
  }
  ir::LoadQuadwords(alone, lanes.shapes, /*of_lds=*/options_.isa == HostIsa::kAvx2);
  return lanes;
}

bool BlockSource::HasFullExec(size_t n) const {
  if (options_.shapes == nullptr) return false;
  const auto& ones = options_.shapes->ones_at_begin[n];
  return ones[ir::kExec] && ones[ir::kExec + 1];
}

bool ChangesExecInLoop(const ir::Function& alone) {
  const ir::Block& block = alone.blocks[0];
  return block.IsLoop() &&
         std::ranges::any_of(block.insts, [&](Value v) { return WritesExec(alone[v]); });
}

// Memory accesses are much shorter without masks. Where a loop changes EXEC, its iterations must
// come by the begin: slices do not run it to its end, since it stores (plan/loops.h).
bool WantsFullExec(const ir::Function& alone) {
  const ir::Block& block = alone.blocks[0];
  bool has_masked_access = false;
  bool stores = false;
  for (const Value v : block.insts) {
    const Inst& inst = alone[v];
    const ir::Effect effect = ir::InfoOf(inst.op).effect;
    if (effect != ir::Effect::kRead && effect != ir::Effect::kWrite) continue;
    stores |= effect == ir::Effect::kWrite;
    for (int n = 0; n < inst.argument_count; ++n) {
      has_masked_access |= ReadsExec(alone[inst.args[n]]);
    }
  }
  return has_masked_access && (stores || !ChangesExecInLoop(alone));
}

void AssumeFullExec(ir::Function& alone) { AssumeOnes(alone, ReadsExec); }

}  // namespace gcnjit::backend
