#include "backend_x64/isa/avx512/runs.h"

#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/overlapping.h"

namespace gcnjit::backend::avx512 {

namespace {

// Does the run's address count from the window's begin? AccessCode has an index register of its own
// for 12 bytes.
bool IsRelative(const IndexedAccess& x) { return x.registers && !x.ahead && x.access.bytes != 12; }

// The elements of a part as they are in memory.
void EmitJoined(const IndexedAccess& x, const PartAccess& p, const x86::Mem& begin) {
  x86::Assembler& a = x.region.a;
  for (int n = 0; n < x.access.Dwords(); ++n) {
    const x86::Mem at = begin.cloneAdjusted(n * kLanes * 4);
    x.is_store ? a.vmovdqu32(at, Z(p.data[n])) : a.vmovdqu32(Z(p.result[n]), at);
  }
}

}  // namespace

void LoadBase(const IndexedAccess& x, int count) {
  x86::Assembler& a = x.region.a;
  const auto& [from, begin, end] = *x.registers;
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(from, x.base.Whole());
  if (x.base.imm != 0) a.add(from, x.base.imm);
  a.mov(begin, x.Window(offsetof(MemoryWindow, base), 8));
  a.mov(end, x.Window(offsetof(MemoryWindow, run_end), 8));
  a.sub(from, begin);
  // Far: 2^30 or more before it, or nearly 2^32 after its begin.
  a.lea(x86::rax, x86::ptr(from, 1 << 30));
  a.shr(x86::rax, 32);
  a.mov(x86::eax, 0);
  a.cmovnz(end, x86::rax);
  if (count == 1) return;
  a.sub(end, (count - 1) * kLanes * x.StepBytes());
  a.cmovb(end, x86::rax);
}

void EmitFirstIndex(const IndexedAccess& x, int n) {
  x86::Assembler& a = x.region.a;
  if (x.index.late) {
    x.index.late->IsOfRows() ? x.index.late->EmitInRow(a, x.parts.Number(n) * kLanes)
                             : x.index.late->EmitFirst(a);
  } else if (x.index.first_lane[n].hasBase()) {
    a.mov(x86::eax, x.index.first_lane[n]);
  } else {
    a.vmovd(x86::eax, X(x.index.reg[n]));
  }
}

void EmitRunIndex(const IndexedAccess& x, int first, int count, uint32_t last_index,
                  const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const int lanes = count * kLanes;
  const auto span = static_cast<int32_t>(static_cast<uint32_t>(lanes - 1) * x.Step() + last_index);
  EmitFirstIndex(x, first);
  if (!x.IsRun(first, count)) {
    a.vpbroadcastd(Z(kT0), X(x.index.reg[first]));
    for (int n = 0; n < count; ++n) {
      ConstantPool::Vector steps;
      for (uint32_t l = 0; l < 16; ++l) steps[l] = (static_cast<uint32_t>(n) * 16 + l) * x.Step();
      a.vpsubd(Z(kT1), Z(x.index.reg[first + n]), Z(kT0));
      if (n != 0) a.k(K(kM0));
      a.vpcmpeqd(K(kM0), Z(kT1), x.region.constants.Whole(steps));
    }
    a.kortestw(K(kM0), K(kM0));
    a.jnc(fail);
  }
  EmitExtension(x, span, fail);
}

void EmitExtension(const IndexedAccess& x, int last, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const bool may_wrap = !x.registers || x.access.index_shift == 0;
  if (x.access.index_signed) {
    if (may_wrap) {
      a.cmp(x86::eax, INT32_MAX - last);
      a.jg(fail);
    }
    a.movsxd(x86::rax, x86::eax);
  } else if (may_wrap) {
    a.cmp(x86::eax, -1 - last);
    a.ja(fail);
  }
}

x86::Mem EmitRunAddress(const IndexedAccess& x, bool is_wide, const asmjit::Label& fail,
                        int32_t lowest, int32_t highest) {
  x86::Assembler& a = x.region.a;
  if (x.registers) {
    if (x.access.index_shift > 3) a.shl(x86::rax, x.access.index_shift);
    a.lea(x86::rax, x86::ptr(x.registers->base, x86::rax,
                             x.access.index_shift > 3 ? 0 : x.access.index_shift));
    a.cmp(x86::rax, x.registers->end);
    a.jae(fail);
    if (IsRelative(x)) return x86::ptr(x86::rax, x.registers->begin);
    a.add(x86::rax, x.registers->begin);
    return x86::ptr(x86::rax);
  }
  if (x.access.index_shift != 0) a.shl(x86::rax, x.access.index_shift);
  a.add(x86::rax, x.base.Whole());
  if (x.base.imm != 0) a.add(x86::rax, x.base.imm);
  EmitWindowCheck(a, x.site.index, is_wide, lowest, highest, fail);
  return x86::ptr(x86::rax);
}

void EmitMoves(const IndexedAccess& x, int first, int count, const x86::Mem& begin) {
  const int step_bytes = kLanes * x.StepBytes();
  AccessCode code(x.region);
  EmitLookahead(x, begin, count * step_bytes);
  for (int n = first; n < first + count; ++n) {
    const x86::Mem at = begin.cloneAdjusted((n - first) * step_bytes);
    if (x.is_joined) {
      EmitJoined(x, x.parts[n], at);
    } else if (x.is_store) {
      code.StoreRun(x.access, x.parts[n].mask, x.parts[n].data, at);
    } else if (x.overlap != 0) {
      LoadOverlapping(x.region, x.access, x.overlap, x.parts[n].mask, x.parts[n].result, at);
    } else {
      code.LoadRun(x.access, x.parts[n].mask, x.parts[n].result, at);
    }
  }
}

void EmitRun(const IndexedAccess& x, int first, int count, const asmjit::Label& fail) {
  EmitRunIndex(x, first, count, /*last_index=*/0, fail);
  EmitMoves(x, first, count, EmitRunAddress(x, /*is_wide=*/count > 1, fail));
}

}  // namespace gcnjit::backend::avx512
