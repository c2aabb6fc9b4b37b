// Emission of loops whose store is done when the loop is over (sunk_store.h).
#include <utility>

#include "backend_x64/compile/region_emitter.h"
#include "backend_x64/emit/block.h"
#include "backend_x64/isa/avx2/isa.h"
#include "backend_x64/isa/avx2/lane_code.h"
#include "backend_x64/isa/avx512/isa.h"
#include "backend_x64/isa/avx512/lane_code.h"

namespace gcnjit::backend {

std::optional<asmjit::Label> RegionEmitter::EmitSunk(size_t n, SunkStore sunk) {
  BlockVersion version;
  version.lanes = source_.Rewrite(n, sunk.loop);
  return options_.isa == HostIsa::kAvx512
             ? EmitSunkFor<avx512::Isa, avx512::LaneCode>(sunk, version)
             : EmitSunkFor<avx2::Isa, avx2::LaneCode>(sunk, version);
}

template <typename Isa, typename LaneCode>
std::optional<asmjit::Label> RegionEmitter::EmitSunkFor(const SunkStore& sunk,
                                                        BlockVersion& version) {
  Isa isa(assembler_);
  const ir::Block& source = sunk.loop.blocks[0];
  const BlockContext block(sunk.loop, source, version.lanes, isa.RegistersFor(sunk.loop, source),
                           {}, LoopAccesses::kUndone);
  if (!block.IsLoop() || block.plan.loop->until_no_lane) return std::nullopt;
  const asmjit::Label check = a_.newLabel();
  const asmjit::Label begin = a_.newLabel();
  const asmjit::Label otherwise = a_.newLabel();
  if (assembler_.listing != nullptr) listing_.Block(sunk.loop);
  a_.jmp(check);
  a_.bind(begin);
  const size_t first_site = assembler_.sites.size();
  BlockParts parts(assembler_, version, block, isa);
  LaneCode lanes(parts);
  BlockEmitter emitter(parts, lanes);
  emitter.Emit();
  const size_t end_site = assembler_.sites.size();
  for (size_t n = first_site; n < end_site; ++n) assembler_.sites[n].is_before_store = true;

  Isa isa_of_store(assembler_);
  BlockVersion of_store;
  of_store.lanes.shapes.resize(sunk.store.insts.size());
  const BlockContext store(sunk.store, sunk.store.blocks[0], of_store.lanes,
                           isa_of_store.RegistersFor(sunk.store, sunk.store.blocks[0]), {});
  if (assembler_.listing != nullptr) listing_.Block(sunk.store);
  BlockParts parts_of_store(assembler_, of_store, store, isa_of_store);
  LaneCode lanes_of_store(parts_of_store);
  BlockEmitter emitter_of_store(parts_of_store, lanes_of_store);
  emitter_of_store.Emit();
  emitter_of_store.Finish();
  Terminator(assembler_, labels_, relay_).Emit(emitter, version, block, /*next=*/0);
  a_.bind(otherwise);

  const auto vgprs = static_cast<uint32_t>(sunk.low_vgpr | sunk.high_vgpr << 16);
  assembler_.cold.push_back([this, check, begin, otherwise, vgprs, imm = sunk.imm,
                             bytes = sunk.bytes, first_site, end_site] {
    a_.bind(check);
    a_.mov(x86::rdi, x86::r12);
    a_.mov(x86::esi, vgprs);
    a_.mov(x86::edx, imm);
    a_.mov(x86::ecx, bytes);
    a_.mov(x86::r8d, static_cast<uint32_t>(first_site));
    a_.mov(x86::r9d, static_cast<uint32_t>(end_site));
    a_.vzeroupper();
    a_.sub(x86::rsp, 8);  // calls want it to be a multiple of 16
    a_.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, helpers.loop_store)));
    a_.add(x86::rsp, 8);
    a_.test(x86::eax, x86::eax);
    a_.jnz(begin);
    a_.jmp(otherwise);
  });
  return otherwise;
}

}  // namespace gcnjit::backend
