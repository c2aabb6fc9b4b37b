// Stores lane after lane, in ascending order: of parts of runs, and of lanes in disorder.
#include "backend_x64/emit/lane_stores.h"

#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

void AccessCode::StorePartOfRun(int mask, const int (&data)[4]) {
  if (access_.bytes == 4) {
    a.vpmaskmovd(Lane(0), Y(mask), Y(data[0]));
    return;
  }
  StoreLanes(data, /*all=*/false, [&](int lane) { return Lane(lane); });
}

void AccessCode::Scatter(const int (&data)[4], bool all_lanes) {
  const asmjit::Label some = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const auto offsets = static_cast<int32_t>(offsetof(RegionContext, transfer.scratch));
  const auto store = [&](bool all) {
    if (all && access_.bytes == 4) return ScatterDwords(data[0], 0);
    a.vmovups(x86::ptr(x86::r12, offsets), Y(kT0));
    StoreLanes(data, all, [&](int lane) {
      a.mov(x86::ecx, x86::dword_ptr(x86::r12, offsets + lane * 4));
      return x86::ptr(x86::rax, x86::rcx, 0, offset_);
    });
  };
  if (all_lanes) return store(/*all=*/true);
  // As a rule all of a mask's lanes are active.
  a.cmp(x86::edx, kAllLanes);
  a.jne(some);
  store(/*all=*/true);
  a.jmp(done);
  a.bind(some);
  store(/*all=*/false);
  a.bind(done);
}

void AccessCode::StoreLane(int lane, int data) {
  if (lane >= kHalf) a.vextracti128(X(kT1), Y(data), 1);
  const x86::Mem to = x86::dword_ptr(x86::rax, offset_);
  if (lane == 0 && access_.bytes == 4) {
    a.vmovd(to, X(data));
  } else {
    StoreLastDword(lane, data, to);
  }
}

// Two offsets at a time come from a register: loads that follow a wide store wait for it.
void AccessCode::ScatterDwords(int data, uint32_t shift) {
  for (int half = 0; half < 2; ++half) {
    const int from = half == 0 ? data : kT1;
    if (half == 1) {
      a.vextracti128(X(kT0), Y(kT0), 1);
      a.vextracti128(X(kT1), Y(data), 1);
    }
    for (int element = 0; element < kHalf; element += 2) {
      element == 0 ? a.vmovq(x86::rcx, X(kT0)) : a.vpextrq(x86::rcx, X(kT0), 1);
      a.mov(x86::edx, x86::ecx);
      a.shr(x86::rcx, 32);
      const x86::Mem first = x86::dword_ptr(x86::rax, x86::rdx, shift, offset_);
      element == 0 ? a.vmovd(first, X(from)) : a.vpextrd(first, X(from), element);
      a.vpextrd(x86::dword_ptr(x86::rax, x86::rcx, shift, offset_), X(from), element + 1);
    }
  }
}

void AccessCode::ScatterPairs(int data, uint32_t shift) {
  for (int half = 0; half < 2; ++half) {
    const int from = half == 0 ? data : kT1;
    if (half == 1) {
      a.vextracti128(X(kT0), Y(kT0), 1);
      a.vextracti128(X(kT1), Y(data), 1);
    }
    a.vmovd(x86::ecx, X(kT0));
    a.vpextrd(x86::edx, X(kT0), 2);
    a.vmovq(x86::qword_ptr(x86::rax, x86::rcx, shift, offset_), X(from));
    a.vmovhps(x86::qword_ptr(x86::rax, x86::rdx, shift, offset_), X(from));
  }
}

void AccessCode::StoreLanes(const int (&data)[4], bool all, const AddressOf& address) {
  if (access_.bytes == 16) return QuadCode(a, offset_).Store(data, all, address);
  const int dwords = access_.Dwords();
  const asmjit::Label done = a.newLabel();
  if (!all) {
    a.test(x86::edx, x86::edx);
    a.jz(done);
    EmitNowhere(a);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (dwords == 1 && lane == kHalf) a.vextracti128(X(kT1), Y(data[0]), 1);
    const x86::Mem first = all ? address(lane) : StoredAt(a, lane, address(lane));
    int n = 0;
    for (; n + 1 < dwords; n += 2) {
      // Two lanes' pairs in each half of the register.
      a.emit(lane % kHalf < 2 ? x86::Inst::kIdVpunpckldq : x86::Inst::kIdVpunpckhdq, Y(kT1),
             Y(data[n]), Y(data[n + 1]));
      if (lane >= kHalf) a.vextracti128(X(kT1), Y(kT1), 1);
      x86::Mem to = first.cloneAdjusted(n * 4);
      to.setSize(8);
      lane % 2 == 0 ? a.vmovq(to, X(kT1)) : a.vmovhps(to, X(kT1));
    }
    if (n < dwords) StoreLastDword(lane, data[n], first.cloneAdjusted(n * 4));
  }
  a.bind(done);
}

// A dword or less of a lane. Elements of one dword have theirs of the upper lanes in scratch 1.
void AccessCode::StoreLastDword(int lane, int reg, const x86::Mem& to) {
  if (lane >= kHalf) {
    if (access_.Dwords() != 1) a.vextracti128(X(kT1), Y(reg), 1);
    reg = kT1;
  }
  const int element = lane % kHalf;
  switch (access_.bytes) {
    case 1: a.vpextrb(to, X(reg), element * 4); break;
    case 2: a.vpextrw(to, X(reg), element * 2); break;
    default: a.vpextrd(to, X(reg), element); break;
  }
}

}  // namespace gcnjit::backend::avx2
