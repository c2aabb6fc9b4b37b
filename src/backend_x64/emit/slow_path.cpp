#include "backend_x64/emit/slow_path.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

void EmitHandOver(RegionAssembler& region, const HandOver& access, AccessRequest request,
                  const std::function<void()>& take) {
  x86::Assembler& a = region.a;
  a.mov(Access(offsetof(AccessBlock, request), 4), static_cast<uint32_t>(request));
  a.mov(x86::eax, x86::r15d);
  a.shl(x86::eax, 3);
  if (access.first_lane != 0) a.add(x86::eax, access.first_lane);
  a.mov(Access(offsetof(AccessBlock, first_lane)), x86::eax);
  a.mov(x86::eax, access.site.index);
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, helpers.access_thunk)));
  a.test(x86::eax, x86::eax);
  const asmjit::Label give_up = a.newLabel();
  a.jz(give_up);
  take();
  a.jmp(access.done);
  a.bind(give_up);
  if (access.environment) a.ldmxcsr(region.constants.Broadcast32(region.BaseMxcsr()));
  a.jmp(access.abort);
}

void EmitRunFields(x86::Assembler& a, const ir::MemoryAccess& access, const x86::Mem& base,
                   int lanes, int joined_lanes) {
  a.mov(Run(offsetof(RunBlock, first_index)), x86::eax);
  a.mov(x86::rcx, base);
  a.mov(Run(offsetof(RunBlock, base)), x86::rcx);
  a.mov(Run(offsetof(RunBlock, lanes), 4), lanes);
  a.mov(Run(offsetof(RunBlock, joined_lanes), 4), joined_lanes);
  ir::MemoryAccess of_dwords = access;
  of_dwords.quadwords = false;
  a.mov(Run(offsetof(RunBlock, access), 4), of_dwords.Pack());
}

}  // namespace gcnjit::backend
