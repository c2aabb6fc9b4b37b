#include "backend_x64/isa/avx2/indexed_lanes.h"

#include "backend_x64/emit/index_range.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/runs.h"
#include "backend_x64/isa/avx2/slow_path.h"
#include "backend_x64/isa/avx2/streams.h"

namespace gcnjit::backend::avx2 {

namespace {

// (kT1:kT0) = base + (ext(index) << shift); also left for the runtime.
void EmitAddresses(const IndexedAccess& x, int index) {
  x86::Assembler& a = x.region.a;
  const int shift = x.access.index_shift;
  a.vpslld(Y(kT0), Y(index), shift);
  if (x.access.index_signed) {
    a.vpsrad(Y(kT1), Y(index), shift == 0 ? 31 : 32 - shift);
  } else if (shift != 0) {
    a.vpsrld(Y(kT1), Y(index), 32 - shift);
  } else {
    a.vpxor(Y(kT1), Y(kT1), Y(kT1));
  }
  a.vpbroadcastd(Y(kT2), x.base.High());
  a.vpaddd(Y(kT1), Y(kT1), Y(kT2));
  a.vpbroadcastd(Y(kT2), x.base.Low());
  a.vpaddd(Y(kT0), Y(kT0), Y(kT2));
  // The sum is at least its term where there is no carry.
  a.vpmaxud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));
  a.vpaddd(Y(kT1), Y(kT1), Y(kT2));
  a.vpaddd(Y(kT1), Y(kT1), x.region.constants.Whole(1));
  a.vmovups(Access(offsetof(AccessBlock, low)), Y(kT0));
  a.vmovups(Access(offsetof(AccessBlock, high)), Y(kT1));
}

// Scratch 0: the active lanes' offsets from rax, all in the window.
void EmitOffsets(const IndexedAccess& x, int index, int mask, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  EmitIndexRange(x.region, x.site, x.access, x.base.Whole(), x.base.imm);
  a.vpbroadcastd(Y(kT0), x.Window(offsetof(MemoryWindow, index_first), 4));
  a.vpsubd(Y(kT0), Y(index), Y(kT0));
  a.vpbroadcastd(Y(kT1), x.Window(offsetof(MemoryWindow, index_end), 4));
  a.vpcmpgtd(Y(kT1), Y(kT1), Y(kT0));
  EmitAllCheck(a, kT1, mask, x86::eax, fail);
  if (x.access.index_shift != 0) {
    a.vpslld(Y(kT0), Y(kT0), x.access.index_shift);  // without the sign bit, which was turned round
  } else {
    a.vpxor(Y(kT0), Y(kT0), x.region.constants.Whole(1u << 31));
  }
  a.mov(x86::rax, x.Window(offsetof(MemoryWindow, index_begin), 8));
}

// Fills the part's stream. (The window keeps away from the ends of its 4 GiB, so that the low
// dwords and `imm` cannot wrap into it.)
void EmitStream(const IndexedAccess& x, int n, int index, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  EmitAddresses(x, index);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.vpbroadcastd(Y(kT2), x.Window(offsetof(MemoryWindow, high), 4));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT2));
  if (x.base.imm != 0) {
    a.vpaddd(Y(kT0), Y(kT0), x.region.constants.Whole(static_cast<uint32_t>(x.base.imm)));
  }
  a.vpbroadcastd(Y(kT2), x.Window(offsetof(MemoryWindow, low), 4));
  a.vpsubd(Y(kT0), Y(kT0), Y(kT2));
  a.vpbroadcastd(Y(kT2), x.Window(offsetof(MemoryWindow, lane_end), 4));
  a.vpmaxud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));  // beyond its end
  a.vpandn(Y(kT1), Y(kT2), Y(kT1));
  EmitAllCheck(a, kT1, x.parts[n].mask, x86::eax, fail);
  a.mov(x86::rax, x.Window(offsetof(MemoryWindow, base), 8));
  EmitStreamFill(x.region, x.parts[n], kT0);
}

// rax: the address of the part's first lane, in the window.
void EmitFirstAddress(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  if (!x.index.is_zero) {
    a.vmovd(x86::eax, X(x.index.reg[n]));
    EmitAddressOf(x, 0, fail);
  } else {
    a.mov(x86::rax, x.base.Whole());
    if (x.base.imm != 0) a.add(x86::rax, x.base.imm);
  }
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, x.Window(offsetof(MemoryWindow, base), 8));
  a.mov(x86::edx, x.Window(offsetof(MemoryWindow, lane_end), 4));
  a.cmp(x86::rcx, x86::rdx);
  a.jae(fail);
}

}  // namespace

void EmitAlike(const IndexedAccess& x, const asmjit::Label& different) {
  x86::Assembler& a = x.region.a;
  a.vpbroadcastd(Y(kT0), X(x.index.reg[0]));
  a.vpxor(Y(kT1), Y(kT0), Y(x.index.reg[0]));
  for (int n = 1; n < x.parts.count; ++n) {
    a.vpxor(Y(kT2), Y(kT0), Y(x.index.reg[n]));
    a.vpor(Y(kT1), Y(kT1), Y(kT2));
  }
  a.vptest(Y(kT1), Y(kT1));
  a.jnz(different);
  EmitFirstAddress(x, 0, different);
  for (int n = 0; n < x.parts.count; ++n) {
    AccessCode(x.region, x.access).Broadcast(x.parts[n].mask, x.parts[n].result);
  }
}

void EmitUniform(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const PartAccess& p = x.parts[n];
  EmitFirstAddress(x, n, fail);
  AccessCode code(x.region, x.access);
  if (!x.is_store) return code.Broadcast(p.mask, p.result);
  if (p.last_lane >= 0) return code.StoreLane(p.last_lane, p.data[0]);
  EmitMaskBits(a, x86::ecx, p.mask);
  a.bsr(x86::ecx, x86::ecx);
  a.jz(p.exits.done);
  a.vmovd(X(kT0), x86::ecx);
  a.vpermd(Y(kT0), Y(kT0), Y(p.data[0]));
  code.StoreLane(0, kT0);
}

void EmitLanes(const IndexedAccess& x, int n, int index) {
  x86::Assembler& a = x.region.a;
  const PartAccess& p = x.parts[n];
  AccessCode code(x.region, x.access);
  const asmjit::Label slow = a.newLabel();
  if (p.stream) {
    EmitStream(x, n, index, slow);
  } else {
    EmitOffsets(x, index, p.mask, slow);
  }
  if (x.is_store) {
    const bool all_lanes = p.mask < 0;
    if (!all_lanes) EmitMaskBits(a, x86::edx, p.mask);
    code.Scatter(p.data, all_lanes);
  } else {
    code.Gather(p.mask, p.result);
  }
  a.jmp(p.exits.done);
  a.bind(slow);
  EmitAddresses(x, index);
  PartAccess lanes = p;
  lanes.exits.slow = a.newLabel();
  EmitSlow(x.region, lanes);
}

}  // namespace gcnjit::backend::avx2
