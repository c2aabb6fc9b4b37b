#include "backend_x64/isa/avx2/quads.h"

#include "backend_x64/emit/lane_stores.h"
#include "backend_x64/isa/avx2/quadwords.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

bool QuadCode::IsWanted(const ir::MemoryAccess& access, const int (&result)[4]) {
  return access.bytes == 16 && (result[0] >= 0 || result[1] >= 0) &&
         (result[2] >= 0 || result[3] >= 0);
}

// Where elements are before they are split: those of lanes n and n + 4 in the n-th. The last one
// is a result of the upper half.
std::array<int, 4> QuadCode::RegistersFor(const int (&result)[4]) {
  return {kT1, kT2, result[0] >= 0 ? result[0] : result[1], result[2] >= 0 ? result[2] : result[3]};
}

// Changes scratch 0.
void QuadCode::Split(int mask, const int (&result)[4]) {
  const auto [q0, q1, q2, q3] = RegistersFor(result);
  a.vunpcklpd(Y(kT0), Y(q0), Y(q1));
  a.vunpckhpd(Y(q0), Y(q0), Y(q1));
  a.vunpcklpd(Y(q1), Y(q2), Y(q3));
  a.vunpckhpd(Y(q3), Y(q2), Y(q3));
  if (quadwords_) {
    MoveComponent(a, 0, result[0], kT0, mask);
    MoveComponent(a, 1, result[1], q1, mask);
    MoveComponent(a, 1, result[3], q3, mask);
    MoveComponent(a, 0, result[2], q0, mask);
    return;
  }
  const auto take = [&](int n, int low, int high) {
    if (result[n] < 0) return;
    a.vshufps(Y(result[n]), Y(low), Y(high), n % 2 == 0 ? kEvenDwords : kOddDwords);
    MoveLanes(a, result[n], result[n], mask);
  };
  take(0, kT0, q1);
  take(1, kT0, q1);
  take(3, q0, q3);
  take(2, q0, q3);
}

void QuadCode::LoadRun(int mask, const int (&result)[4]) {
  const std::array<int, 4> quads = RegistersFor(result);
  for (int n = 0; n < kHalf; ++n) {
    const int to = quads[static_cast<size_t>(n)];
    a.vmovups(X(to), Lane(n));
    a.vinsertf128(Y(to), Y(to), Lane(n + kHalf), 1);
  }
  Split(mask, result);
}

// Lane by lane, which takes less time than gathers of pairs.
void QuadCode::Gather(int mask, const int (&result)[4]) {
  const std::array<int, 4> quads = RegistersFor(result);
  const asmjit::Label none = a.newLabel();
  if (mask >= 0) FillOffsets(mask, none);
  for (int half = 0; half < 2; ++half) {
    if (half == 1) a.vextracti128(X(kT0), Y(kT0), 1);
    for (int lane = 0; lane < kHalf; ++lane) {
      if (lane % 2 == 0) {
        lane == 0 ? a.vmovq(x86::rcx, X(kT0)) : a.vpextrq(x86::rcx, X(kT0), 1);
        a.mov(x86::edx, x86::ecx);
        a.shr(x86::rcx, 32);
      }
      const int to = quads[static_cast<size_t>(lane)];
      const x86::Mem at = x86::ptr(x86::rax, lane % 2 == 0 ? x86::rdx : x86::rcx, 0, offset_);
      half == 0 ? a.vmovups(X(to), at) : a.vinsertf128(Y(to), Y(to), at, 1);
    }
  }
  a.bind(none);
  Split(mask, result);
}

// Lanes that `mask` excludes get the offset of the first one that it does not, so that all may be
// loaded; on to `none` if it excludes all. Changes edx and scratch 1.
void QuadCode::FillOffsets(int mask, const asmjit::Label& none) {
  a.vmovmskps(x86::edx, Y(mask));
  a.tzcnt(x86::edx, x86::edx);  // carry: there is none
  a.jc(none);
  a.vmovd(X(kT1), x86::edx);
  a.vpermd(Y(kT1), Y(kT1), Y(kT0));
  a.vpbroadcastd(Y(kT1), X(kT1));
  a.vblendvps(Y(kT0), Y(kT1), Y(kT0), Y(mask));
}

void QuadCode::Broadcast(int mask, const int (&result)[4]) {
  constexpr int kEachDword = 0x55;  // times its number
  a.vbroadcastf128(Y(kT1), x86::ptr(x86::rax, offset_));
  if (quadwords_) {
    a.vunpcklpd(Y(kT0), Y(kT1), Y(kT1));
    a.vunpckhpd(Y(kT1), Y(kT1), Y(kT1));
    for (int n = 0; n < 4; ++n) MoveComponent(a, n % 2, result[n], n < 2 ? kT0 : kT1, mask);
    return;
  }
  for (int n = 0; n < 4; ++n) {
    if (result[n] < 0) continue;
    a.vpshufd(Y(result[n]), Y(kT1), n * kEachDword);
    MoveLanes(a, result[n], result[n], mask);
  }
}

// Changes the scratch registers, rcx, and AccessTransfer::scratch after what Scatter keeps there.
void QuadCode::Store(const int (&data)[4], bool all, const AddressOf& address) {
  const asmjit::Label done = a.newLabel();
  if (!all) {
    a.test(x86::edx, x86::edx);
    a.jz(done);
    EmitNowhere(a);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lane % 2 == 0) {
      // This lane's and the next one's pairs, and those of the other half.
      const uint32_t unpack = lane % kHalf == 0 ? x86::Inst::kIdVunpcklps : x86::Inst::kIdVunpckhps;
      a.emit(unpack, Y(kT1), Y(data[0]), Y(data[1]));
      a.emit(unpack, Y(kT2), Y(data[2]), Y(data[3]));
    }
    x86::Mem to = address(lane);
    if (!all) to = StoredAt(a, lane, to);
    a.emit(lane % 2 == 0 ? x86::Inst::kIdVunpcklpd : x86::Inst::kIdVunpckhpd, Y(kT0), Y(kT1),
           Y(kT2));
    lane < kHalf ? a.vmovups(to, X(kT0)) : a.vextractf128(to, Y(kT0), 1);
  }
  a.bind(done);
}

}  // namespace gcnjit::backend::avx2
