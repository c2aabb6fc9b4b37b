#include "backend_x64/isa/avx2/runs.h"

#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/overlapping.h"

namespace gcnjit::backend::avx2 {

namespace {

// The elements of a part as they are in memory, from rax and `offset` on.
void EmitJoined(const IndexedAccess& x, const PartAccess& p, int32_t offset) {
  for (int n = 0; n < x.access.Dwords(); ++n) {
    const x86::Mem at = x86::ptr(x86::rax, offset + n * kLanes * 4);
    x.is_store ? x.region.a.vmovups(at, Y(p.data[n])) : x.region.a.vmovups(Y(p.result[n]), at);
  }
}

}  // namespace

void EmitFirstIndex(const IndexedAccess& x, int n) {
  if (x.index.late && x.index.late->IsOfRows())
    return x.index.late->EmitInRow(x.region.a, x.parts.Number(n) * kLanes);
  if (x.index.late) return x.index.late->EmitFirst(x.region.a);
  x.region.a.vmovd(x86::eax, X(x.index.reg[n]));
}

void EmitAddressOf(const IndexedAccess& x, int last, const asmjit::Label& fail) {
  EmitIndexAddress(x.region.a, x.access, x.base.Whole(), x.base.imm, last, fail);
}

void EmitRunAddress(const IndexedAccess& x, int first, int count, uint32_t last_index,
                    const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const int lanes = count * kLanes;
  const auto span = static_cast<int32_t>(static_cast<uint32_t>(lanes - 1) * x.Step() + last_index);
  EmitFirstIndex(x, first);
  if (!x.IsRun(first, count)) {
    a.vpbroadcastd(Y(kT0), X(x.index.reg[first]));
    for (int n = 0; n < count; ++n) {
      ConstantPool::Vector steps;
      for (uint32_t l = 0; l < steps.size(); ++l) {
        steps[l] = (static_cast<uint32_t>(n * kLanes) + l) * x.Step();
      }
      const int difference = n == 0 ? kT2 : kT1;
      a.vpsubd(Y(difference), Y(x.index.reg[first + n]), Y(kT0));
      a.vpcmpeqd(Y(difference), Y(difference), x.region.constants.Whole(steps));
      if (n != 0) a.vpand(Y(kT2), Y(kT2), Y(kT1));
    }
    a.vmovmskps(x86::edx, Y(kT2));
    a.cmp(x86::edx, kAllLanes);
    a.jne(fail);
  }
  EmitAddressOf(x, span, fail);
}

void EmitRunWindowCheck(const IndexedAccess& x, int count, const asmjit::Label& fail,
                        int32_t lowest, int32_t highest) {
  const bool is_wide = count * kLanes > kMaxPartLanes;
  EmitWindowCheck(x.region.a, x.site.index, is_wide, lowest, highest, fail);
}

void EmitMoves(const IndexedAccess& x, int first, int count) {
  x86::Assembler& a = x.region.a;
  const int step_bytes = kLanes * x.StepBytes();
  EmitLookahead(x, x86::ptr(x86::rax), count * step_bytes);
  for (int n = first; n < first + count; ++n) {
    const PartAccess& p = x.parts[n];
    if (x.is_joined) {
      EmitJoined(x, p, (n - first) * step_bytes);
      continue;
    }
    AccessCode code(x.region, x.access, (n - first) * step_bytes);
    if (x.overlap != 0) {
      LoadOverlapping(x.region, x.access, x.overlap, p.mask, p.result,
                      x86::ptr(x86::rax, (n - first) * step_bytes));
      continue;
    }
    if (!x.is_store) {
      code.LoadRun(p.mask, p.result);
      continue;
    }
    if (p.mask < 0) {
      code.StoreRun(p.data);
      continue;
    }
    const asmjit::Label all = a.newLabel();
    const asmjit::Label stored = a.newLabel();
    a.vmovmskps(x86::edx, Y(p.mask));
    a.cmp(x86::edx, kAllLanes);
    a.je(all);
    code.StorePartOfRun(p.mask, p.data);
    a.jmp(stored);
    a.bind(all);
    code.StoreRun(p.data);
    a.bind(stored);
  }
}

void EmitRun(const IndexedAccess& x, int first, int count, const asmjit::Label& fail) {
  EmitRunAddress(x, first, count, /*last_index=*/0, fail);
  EmitRunWindowCheck(x, count, fail);
  EmitMoves(x, first, count);
}

}  // namespace gcnjit::backend::avx2
