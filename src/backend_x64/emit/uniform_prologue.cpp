#include "backend_x64/emit/uniform_prologue.h"

#include <algorithm>

#include "backend_x64/emit/block_version.h"
#include "backend_x64/emit/gpr.h"
#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

namespace {

// Bytes of one element, from the last byte at which it may begin.
constexpr uint32_t kMostBytes = 16;

// To `refuse` if a store may reach what `load` has read. rdx: the windows. Changes rax and rcx.
void EmitDistance(x86::Assembler& a, const UniformPrologue::Load& load, const MemorySite& store,
                  const asmjit::Label& refuse) {
  const auto window = static_cast<int32_t>(store.index * sizeof(MemoryWindow));
  // Bytes from the window's begin to the last one that was read, modulo 2^64.
  a.mov(x86::rax, load.address);
  a.sub(x86::rax, x86::qword_ptr(x86::rdx, window + offsetof(MemoryWindow, base)));
  a.add(x86::rax, load.bytes - 1);
  a.mov(x86::ecx, x86::dword_ptr(x86::rdx, window + offsetof(MemoryWindow, lane_end)));
  a.add(x86::rcx, kMostBytes + load.bytes - 1);
  a.cmp(x86::rax, x86::rcx);
  a.jb(refuse);
}

}  // namespace

void EmitHeld(x86::Assembler& a, const UniformPrologue& common) {
  for (const UniformPrologue::Register& held : common.held) {
    if (held.is_constant) {
      a.mov(Gp(held.gpr, true), held.constant);
    } else {
      a.mov(Gp(held.gpr, held.is_wide), held.memory);
    }
  }
}

void EmitFollowing(RegionAssembler& region, BlockVersion& version, const asmjit::Label& begin,
                   uint32_t instructions, const UniformPrologue& common) {
  version.follow.is_bound = true;
  x86::Assembler& a = region.a;
  const asmjit::Label lead = a.newLabel();
  const asmjit::Label joined = a.newLabel();
  a.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, relay.leads)), 0);
  a.jne(lead);
  a.bind(joined);
  region.cold.push_back([&region, lead, joined, common] {
    x86::Assembler& cold = region.a;
    const x86::Mem may_follow = x86::byte_ptr(x86::r12, offsetof(RegionContext, relay.may_follow));
    const asmjit::Label refuse = cold.newLabel();
    cold.bind(lead);
    for (const auto& [gpr, memory] : common.unsaved) cold.mov(memory, Gp(gpr, true));
    cold.mov(may_follow, 0);
    cold.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
    for (const MemorySite& site : region.sites) {
      if (!site.is_store) continue;
      for (const UniformPrologue::Load& load : common.loads) EmitDistance(cold, load, site, refuse);
    }
    cold.mov(may_follow, 1);
    cold.bind(refuse);
    cold.jmp(joined);
  });
  region.cold.push_back(
      [&region, follow = version.follow.label, begin, joined, instructions, common] {
        x86::Assembler& cold = region.a;
        cold.align(asmjit::AlignMode::kCode, 16);
        cold.bind(follow);
        cold.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, relay.may_follow)), 0);
        cold.je(begin);
        cold.add(x86::qword_ptr(x86::r12, offsetof(RegionContext, turn.executed)), instructions);
        EmitHeld(cold, common);
        cold.jmp(joined);
      });
}

}  // namespace gcnjit::backend
