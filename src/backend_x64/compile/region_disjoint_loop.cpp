// Emission of loops that store, for lanes that are disjoint (linear_accesses.h).
#include <utility>

#include "backend_x64/compile/linear_accesses.h"
#include "backend_x64/compile/region_emitter.h"
#include "backend_x64/emit/block.h"
#include "backend_x64/isa/avx2/isa.h"
#include "backend_x64/isa/avx2/lane_code.h"
#include "backend_x64/isa/avx512/isa.h"
#include "backend_x64/isa/avx512/lane_code.h"

namespace gcnjit::backend {

std::optional<asmjit::Label> RegionEmitter::EmitDisjoint(size_t n, ir::Function alone) {
  const std::vector<LinearAccess> accesses = FindLinearAccesses(alone);
  if (accesses.empty()) return std::nullopt;
  BlockVersion version;
  version.lanes = source_.Rewrite(n, alone);
  return options_.isa == HostIsa::kAvx512
             ? EmitDisjointFor<avx512::Isa, avx512::LaneCode>(alone, accesses, version)
             : EmitDisjointFor<avx2::Isa, avx2::LaneCode>(alone, accesses, version);
}

template <typename Isa, typename LaneCode>
std::optional<asmjit::Label> RegionEmitter::EmitDisjointFor(
    const ir::Function& alone, const std::vector<LinearAccess>& accesses, BlockVersion& version) {
  Isa isa(assembler_);
  const ir::Block& source = alone.blocks[0];
  const BlockContext block(alone, source, version.lanes, isa.RegistersFor(alone, source), {},
                           LoopAccesses::kDisjoint);
  if (!block.IsLoop() || block.plan.loop->until_no_lane) return std::nullopt;
  const asmjit::Label check = a_.newLabel();
  const asmjit::Label begin = a_.newLabel();
  const asmjit::Label otherwise = a_.newLabel();
  if (assembler_.listing != nullptr) listing_.Block(alone);
  a_.jmp(check);
  a_.bind(begin);
  BlockParts parts(assembler_, version, block, isa);
  LaneCode lanes(parts);
  BlockEmitter emitter(parts, lanes);
  emitter.Emit();
  Terminator(assembler_, labels_, relay_).Emit(emitter, version, block, /*next=*/0);
  a_.bind(otherwise);

  const asmjit::Label table =
      assembler_.constants.Bytes(accesses.data(), accesses.size() * sizeof accesses[0]);
  assembler_.cold.push_back([this, check, begin, otherwise, table, count = accesses.size(),
                             iterations = block.LoopIterations()] {
    a_.bind(check);
    a_.mov(Context(offsetof(RegionContext, loop.most), 8), iterations);
    a_.mov(x86::rdi, x86::r12);
    a_.lea(x86::rsi, x86::ptr(table));
    a_.mov(x86::edx, static_cast<uint32_t>(count));
    a_.vzeroupper();
    a_.sub(x86::rsp, 8);  // calls want it to be a multiple of 16
    a_.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, helpers.disjoint_lanes)));
    a_.add(x86::rsp, 8);
    a_.test(x86::eax, x86::eax);
    a_.jnz(begin);
    a_.jmp(otherwise);
  });
  return otherwise;
}

}  // namespace gcnjit::backend
