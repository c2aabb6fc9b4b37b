#include "backend_x64/emit/row_addresses.h"

#include <algorithm>

namespace gcnjit::backend {

namespace {

// rax and rdx: the first and the last row's first index, in 64 bits; those in between are between
// them, whatever the sign of `step`.
void EmitNoWrap(x86::Assembler& a, const ir::MemoryAccess& access, int span,
                const asmjit::Label& fail) {
  if (access.index_signed) {
    a.cmp(x86::rax, INT32_MAX - span);
    a.jg(fail);
    a.cmp(x86::rdx, INT32_MAX - span);
    a.jg(fail);
    a.cmp(x86::rdx, INT32_MIN);
    a.jl(fail);
  } else {
    a.mov(x86::ecx, -1 - span);
    a.cmp(x86::rax, x86::rcx);
    a.ja(fail);
    a.cmp(x86::rdx, x86::rcx);
    a.ja(fail);  // or below 0
  }
}

}  // namespace

void EmitRowsAddress(const IndexedOperands& access, const LateIndex& late, int rows, int lanes,
                     const x86::Gp& step, const asmjit::Label& fail) {
  x86::Assembler& a = access.region.a;
  late.EmitInRow(a, 0);
  if (access.access.index_signed) a.movsxd(x86::rax, x86::eax);
  a.movsxd(step, late.row_step);
  a.imul(x86::rdx, step, rows - 1);
  a.add(x86::rdx, x86::rax);
  EmitNoWrap(a, access.access, (lanes - 1) * static_cast<int>(access.Step()), fail);
  for (const x86::Gp& index : {x86::Gp(x86::rax), x86::Gp(x86::rdx), step}) {
    if (access.access.index_shift != 0) a.shl(index, access.access.index_shift);
  }
  a.mov(x86::rcx, access.base.Whole());
  if (access.base.imm != 0) a.add(x86::rcx, access.base.imm);
  a.add(x86::rax, x86::rcx);
  a.add(x86::rdx, x86::rcx);

  const auto field = [&](size_t offset) {
    return x86::qword_ptr(x86::rcx,
                          static_cast<int32_t>(access.site.index * sizeof(MemoryWindow) + offset));
  };
  a.mov(x86::rcx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  // A window's end is that of 16 lanes.
  const int beyond = std::max(lanes - kMaxPartLanes, 0) * access.StepBytes();
  for (const x86::Gp& begin : {x86::Gp(x86::rax), x86::Gp(x86::rdx)}) {
    a.sub(begin, field(offsetof(MemoryWindow, base)));
    a.cmp(begin, field(offsetof(MemoryWindow, run_end)));
    a.jae(fail);
    if (beyond == 0) continue;
    a.add(begin, beyond);
    a.cmp(begin, field(offsetof(MemoryWindow, run_end)));
    a.jae(fail);
  }
  a.add(x86::rax, field(offsetof(MemoryWindow, base)));
  if (beyond != 0) a.sub(x86::rax, beyond);
}

}  // namespace gcnjit::backend
