#include "backend_x64/avx2/slow_access.h"

#include "backend_x64/avx2/access_code.h"

namespace gcnjit::backend::avx2 {

namespace {

constexpr int kLanes = LaneEmitter::kLanesPerRegister;

}  // namespace

void EmitSlow(RegionShared& shared, const Operands& s) {
  x86::Assembler& a = shared.a;
  const auto data = [](int n) {
    return Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0]));
  };
  a.bind(s.slow);
  EmitMaskBits(a, x86::eax, s.mask);
  if (s.mask >= 0) {
    const asmjit::Label lanes = a.newLabel();
    a.test(x86::eax, x86::eax);
    a.jnz(lanes);
    for (const int reg : s.result) {
      if (reg >= 0) a.vpxor(Y(reg), Y(reg), Y(reg));
    }
    a.jmp(s.done);
    a.bind(lanes);
  }
  if (s.pointer) {
    a.vpbroadcastd(Y(kT0), *s.pointer);
    a.vmovups(Access(offsetof(AccessBlock, low)), Y(kT0));
    a.vpbroadcastd(Y(kT0), s.pointer->cloneAdjusted(4));
    a.vmovups(Access(offsetof(AccessBlock, high)), Y(kT0));
  }
  if (s.low >= 0) a.vmovups(Access(offsetof(AccessBlock, low)), Y(s.low));
  if (s.high >= 0) a.vmovups(Access(offsetof(AccessBlock, high)), Y(s.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) a.vmovups(data(n), Y(s.data[n]));
  }
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  a.mov(Access(offsetof(AccessBlock, lanes), 4), kLanes);
  a.mov(x86::eax, x86::r15d);
  a.shl(x86::eax, 3);
  if (s.part != 0) a.add(x86::eax, s.part * kLanes);
  a.mov(Access(offsetof(AccessBlock, first_lane)), x86::eax);
  a.mov(x86::eax, shared.IndexOf(s.site));
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, access_thunk)));
  a.test(x86::eax, x86::eax);
  const asmjit::Label give_up = a.newLabel();
  a.jz(give_up);
  for (int n = 0; n < 4; ++n) {
    if (s.result[n] >= 0) a.vmovups(Y(s.result[n]), data(n));
  }
  a.jmp(s.done);
  a.bind(give_up);
  if (s.environment) a.ldmxcsr(shared.constants.Broadcast32(shared.base_mxcsr));
  a.jmp(s.abort);
}

void EmitMaskBits(x86::Assembler& a, const x86::Gp& to, int mask) {
  if (mask < 0) {
    a.mov(to, kAllLanes);
  } else {
    a.vmovmskps(to, Y(mask));
  }
}

void EmitAllCheck(x86::Assembler& a, int lanes, int mask, const x86::Gp& scratch,
                  const asmjit::Label& missing) {
  if (mask < 0) {
    a.vmovmskps(scratch, Y(lanes));
    a.cmp(scratch, kAllLanes);
    a.jne(missing);
  } else {
    a.vtestps(Y(lanes), Y(mask));  // carry: there is none that `lanes` lacks
    a.jnc(missing);
  }
}

void AddressesToScratch(RegionShared& shared, const Operands& s) {
  if (s.imm != 0) {
    shared.a.vpaddd(Y(kT0), Y(s.low), shared.constants.Whole(static_cast<uint32_t>(s.imm)));
  } else {
    shared.a.vmovaps(Y(kT0), Y(s.low));
  }
}

void EmitPartial(RegionShared& shared, const Operands& s) {
  if (s.mask < 0) return;
  shared.a.bind(s.partial);
  AccessCode(shared, s.access).StorePartOfRun(s.mask, s.data);
  shared.a.jmp(s.done);
}

}  // namespace gcnjit::backend::avx2
