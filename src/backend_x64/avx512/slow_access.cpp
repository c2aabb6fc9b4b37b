#include "backend_x64/avx512/slow_access.h"

namespace gcnjit::backend::avx512 {

void EmitSlow(RegionShared& shared, const SlowAccess& s) {
  x86::Assembler& a = shared.a;
  a.bind(s.entry);
  if (s.mask >= 0) {
    const asmjit::Label lanes = a.newLabel();
    a.kortestw(K(s.mask), K(s.mask));
    a.jnz(lanes);
    for (const int reg : s.result) {
      if (reg >= 0) a.vpxord(Z(reg), Z(reg), Z(reg));
    }
    a.jmp(s.done);
    a.bind(lanes);
  }
  if (s.pointer) {
    a.vpbroadcastd(Z(kT0), *s.pointer);
    a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(kT0));
    a.vpbroadcastd(Z(kT0), s.pointer->cloneAdjusted(4));
    a.vmovdqa32(Access(offsetof(AccessBlock, high)), Z(kT0));
  } else {
    a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(s.low));
  }
  if (s.high >= 0) a.vmovdqa32(Access(offsetof(AccessBlock, high)), Z(s.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) {
      a.vmovdqa32(Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])),
                  Z(s.data[n]));
    }
  }
  if (s.mask >= 0) {
    a.kmovw(x86::eax, K(s.mask));
  } else {
    a.mov(x86::eax, 0xFFFF);
  }
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  a.mov(x86::dword_ptr(x86::r12, offsetof(RegionContext, access) + offsetof(AccessBlock, lanes)),
        16);
  a.lea(x86::eax, x86::ptr(x86::r15, x86::r15));  // lanes / 8 * 8
  a.shl(x86::eax, 2);
  if (s.part != 0) a.add(x86::eax, s.part * 16);
  a.mov(Access(offsetof(AccessBlock, first_lane)), x86::eax);
  a.mov(x86::eax, shared.IndexOf(s.site));
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, access_thunk)));
  a.test(x86::eax, x86::eax);
  const asmjit::Label give_up = a.newLabel();
  a.jz(give_up);
  for (int n = 0; n < 4; ++n) {
    if (s.result[n] >= 0) {
      a.vmovdqa32(Z(s.result[n]),
                  Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])));
    }
  }
  a.jmp(s.done);
  a.bind(give_up);
  if (s.environment) a.ldmxcsr(shared.constants.Broadcast32(shared.base_mxcsr));
  a.jmp(s.abort);
}

}  // namespace gcnjit::backend::avx512
