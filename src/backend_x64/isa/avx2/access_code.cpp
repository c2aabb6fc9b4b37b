#include "backend_x64/isa/avx2/access_code.h"

#include <utility>

#include "backend_x64/isa/avx2/lane_loads.h"
#include "backend_x64/isa/avx2/quadwords.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

uint32_t AccessCode::RunBytes() const {
  // Elements of 12 bytes are read 16 bytes at a time.
  return access_.bytes * uint32_t{kLanes} + (access_.bytes == 12 ? 4 : 0);
}

x86::Mem AccessCode::LowBytes() const {
  ConstantPool::Vector bytes;
  bytes.fill(0x80808080);
  for (uint32_t n = 0; n < bytes.size(); n += 4) {
    if (access_.bytes == 1) {
      bytes[n] = 0x0C080400;
    } else {
      bytes[n] = 0x05040100;
      bytes[n + 1] = 0x0D0C0908;
    }
  }
  return constants_.Whole(bytes);
}

void AccessCode::Narrow(int reg) {
  if (access_.bytes >= 4) return;
  const int bits = 32 - access_.bytes * 8;
  a.vpslld(Y(reg), Y(reg), bits);
  if (access_.sign_extend) {
    a.vpsrad(Y(reg), Y(reg), bits);
  } else {
    a.vpsrld(Y(reg), Y(reg), bits);
  }
}

// ---- Loads

void AccessCode::LoadRun(int mask, const int (&result)[4]) {
  const int r = result[0];
  switch (access_.bytes) {
    case 1:
    case 2: {
      if (r < 0) return;
      const x86::Mem at = Lane(0);
      if (access_.bytes == 1) {
        access_.sign_extend ? a.vpmovsxbd(Y(r), at) : a.vpmovzxbd(Y(r), at);
      } else {
        access_.sign_extend ? a.vpmovsxwd(Y(r), at) : a.vpmovzxwd(Y(r), at);
      }
      MoveLanes(a, r, r, mask);
      return;
    }
    case 4:
      if (r < 0) return;
      if (mask < 0) {
        a.vmovups(Y(r), Lane(0));
      } else {
        a.vpand(Y(r), Y(mask), Lane(0));
      }
      return;
    case 8:
      // The components of a v64.
      for (int n = 0; n < 2; ++n) {
        if (access_.quadwords && result[n] < 0) continue;
        const int scratch = n == 0 ? kT0 : kT1;
        const int to = access_.quadwords && mask < 0 ? result[n] : scratch;
        a.vmovups(X(to), Lane(n * 2));
        a.vinsertf128(Y(to), Y(to), Lane(n * 2 + kHalf), 1);
        if (access_.quadwords) MoveComponent(a, n, result[n], to, mask);
      }
      if (access_.quadwords) return;
      for (int n = 0; n < 2; ++n) {
        if (result[n] < 0) continue;
        a.vshufps(Y(result[n]), Y(kT0), Y(kT1), n == 0 ? kEvenDwords : kOddDwords);
        MoveLanes(a, result[n], result[n], mask);
      }
      return;
    default:
      if (QuadCode::IsWanted(access_, result)) return Quads().LoadRun(mask, result);
      access_.quadwords ? LoadHalfRun(mask, result) : LoadLongRun(mask, result);
      return;
  }
}

// One of the two quadwords of 16 bytes.
void AccessCode::LoadHalfRun(int mask, const int (&result)[4]) {
  const int first = result[0] >= 0 ? 0 : 2;
  if (result[first] < 0) return;
  for (int c = 0; c < 2; ++c) {
    for (int n = 0; n < 2; ++n) {
      const int reg = n == 0 ? kT0 : kT1;
      a.vmovups(X(reg), Lane(c * 2 + n));
      a.vinsertf128(Y(reg), Y(reg), Lane(c * 2 + n + kHalf), 1);
    }
    a.emit(first == 0 ? x86::Inst::kIdVunpcklpd : x86::Inst::kIdVunpckhpd, Y(kT0), Y(kT0), Y(kT1));
    MoveComponent(a, c, result[first + c], kT0, mask);
  }
}

// Elements of 12 bytes, or halves of 16: two transpositions of 4 x 4 dwords side by side, half of
// each at once.
void AccessCode::LoadLongRun(int mask, const int (&result)[4]) {
  const auto load = [&](int reg, int lane) {
    a.vmovups(X(reg), Lane(lane));
    a.vinsertf128(Y(reg), Y(reg), Lane(lane + kHalf), 1);
  };
  for (int n = 0; n < access_.Dwords(); n += 2) {
    if (result[n] < 0 && (n == 2 && access_.bytes == 12 ? true : result[n + 1] < 0)) continue;
    const uint32_t unpack = n == 0 ? x86::Inst::kIdVunpcklps : x86::Inst::kIdVunpckhps;
    load(kT0, 0);
    load(kT1, 1);
    a.emit(unpack, Y(kT0), Y(kT0), Y(kT1));
    load(kT1, 2);
    load(kT2, 3);
    a.emit(unpack, Y(kT1), Y(kT1), Y(kT2));
    if (result[n] >= 0) {
      a.vunpcklpd(Y(kT2), Y(kT0), Y(kT1));
      MoveLanes(a, result[n], kT2, mask);
    }
    if (result[n + 1] >= 0) {
      a.vunpckhpd(Y(kT2), Y(kT0), Y(kT1));
      MoveLanes(a, result[n + 1], kT2, mask);
    }
  }
}

void AccessCode::Gather(int mask, const int (&result)[4]) {
  if (QuadCode::IsWanted(access_, result)) return Quads().Gather(mask, result);
  if (!IsPair(result, 0) && !IsPair(result, 2)) return GatherDwords(mask, result);
  const asmjit::Label none = a.newLabel();
  if (mask >= 0) {
    // Offset 0 is within bounds, if that of any lane is.
    a.vptest(Y(mask), Y(mask));
    a.jz(none);
    a.vpand(Y(kT0), Y(kT0), Y(mask));
  }
  bool is_changed_over = false;
  LoadLanes(result, [&](int dword) {
    if (std::exchange(is_changed_over, true)) a.vpermq(Y(kT0), Y(kT0), kSwapHalves);
    return OffsetLanes(a, offset_ + dword * 4);
  });
  a.bind(none);
  ClearOtherLanes(mask, result);
}

void AccessCode::GatherAt(const ConstantPool::Vector& offsets, int mask, const int (&result)[4]) {
  LoadLanes(result, [&](int dword) -> AddressOf {
    return [this, &offsets, dword](int lane) {
      const auto offset = static_cast<int32_t>(offsets[static_cast<size_t>(lane)]);
      return x86::ptr(x86::rax, offset_ + offset + dword * 4);
    };
  });
  ClearOtherLanes(mask, result);
}

bool AccessCode::IsPair(const int (&result)[4], int n) const {
  return n % 2 == 0 && n + 1 < access_.Dwords() && result[n] >= 0 && result[n + 1] >= 0;
}

void AccessCode::LoadLanes(const int (&result)[4],
                           const std::function<AddressOf(int dword)>& address) {
  for (int n = 0; n < access_.Dwords(); ++n) {
    if (result[n] < 0) continue;
    if (IsPair(result, n)) {
      LoadPairs(a, result[n], result[n + 1], access_.quadwords, address(n));
      ++n;
    } else {
      LoadDwords(a, result[n], address(n));
      Narrow(result[n]);
    }
  }
}

void AccessCode::ClearOtherLanes(int mask, const int (&result)[4]) {
  if (mask < 0) return;
  for (int n = 0; n < access_.Dwords(); ++n) {
    if (result[n] < 0) continue;
    if (access_.quadwords) {
      MoveComponent(a, n % 2, kT2, result[n], mask);
      a.vmovaps(Y(result[n]), Y(kT2));
    } else {
      MoveLanes(a, result[n], result[n], mask);
    }
  }
}

void AccessCode::GatherDwords(int mask, const int (&result)[4]) {
  for (int n = 0; n < access_.Dwords(); ++n) {
    if (result[n] < 0) continue;
    if (mask < 0) {
      a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT2));
    } else {
      a.vmovaps(Y(kT2), Y(mask));  // the gather changes it
    }
    a.vpxor(Y(result[n]), Y(result[n]), Y(result[n]));
    a.vpgatherdd(Y(result[n]), x86::ptr(x86::rax, Y(kT0), 0, offset_ + n * 4), Y(kT2));
    Narrow(result[n]);
  }
}

void AccessCode::Broadcast(int mask, const int (&result)[4]) {
  if (QuadCode::IsWanted(access_, result)) return Quads().Broadcast(mask, result);
  const int dwords = access_.Dwords();
  for (int n = 0; n < dwords; ++n) {
    const x86::Mem at = x86::ptr(x86::rax, offset_ + n * 4);
    if (n % 2 == 0 && n + 1 < dwords && result[n] >= 0 && result[n + 1] >= 0) {
      a.vpbroadcastq(Y(kT1), at);
      if (access_.quadwords) {
        for (int c = 0; c < 2; ++c) MoveComponent(a, c, result[n + c], kT1, mask);
        ++n;
        continue;
      }
      a.vpshufd(Y(result[n]), Y(kT1), kEvenTwice);
      a.vpshufd(Y(result[n + 1]), Y(kT1), kOddTwice);
      MoveLanes(a, result[n], result[n], mask);
      MoveLanes(a, result[n + 1], result[n + 1], mask);
      ++n;
    } else if (result[n] >= 0) {
      a.vpbroadcastd(Y(result[n]), at);
      Narrow(result[n]);
      MoveLanes(a, result[n], result[n], mask);
    }
  }
}

// ---- Stores

void AccessCode::StoreRun(const int (&data)[4]) {
  switch (access_.bytes) {
    case 1:
      a.vpshufb(Y(kT0), Y(data[0]), LowBytes());
      a.vextracti128(X(kT1), Y(kT0), 1);
      a.vmovd(x86::dword_ptr(x86::rax, offset_), X(kT0));
      a.vmovd(x86::dword_ptr(x86::rax, offset_ + 4), X(kT1));
      return;
    case 2:
      a.vpshufb(Y(kT0), Y(data[0]), LowBytes());
      a.vpermq(Y(kT0), Y(kT0), kSwapMiddle);
      a.vmovups(Lane(0), X(kT0));
      return;
    case 4: a.vmovups(Lane(0), Y(data[0])); return;
    case 8:
      // Lanes 0, 1, 4, 5 and lanes 2, 3, 6, 7.
      a.vpunpckldq(Y(kT0), Y(data[0]), Y(data[1]));
      a.vpunpckhdq(Y(kT1), Y(data[0]), Y(data[1]));
      a.vmovups(Lane(0), X(kT0));
      a.vmovups(Lane(2), X(kT1));
      a.vextracti128(Lane(kHalf), Y(kT0), 1);
      a.vextracti128(Lane(kHalf + 2), Y(kT1), 1);
      return;
    default: StoreLongRun(data); return;
  }
}

void AccessCode::StoreLongRun(const int (&data)[4]) {
  const bool all = access_.bytes == 16;
  const auto store = [&](int lane, int reg) {
    if (all) {
      a.vmovups(Lane(lane), X(reg));
      return;
    }
    a.vmovq(Lane(lane), X(reg));
    a.vpextrd(Lane(lane, 8), X(reg), 2);
  };
  for (int lane = 0; lane < kHalf; lane += 2) {
    const uint32_t unpack = lane == 0 ? x86::Inst::kIdVunpcklps : x86::Inst::kIdVunpckhps;
    a.emit(unpack, Y(kT0), Y(data[0]), Y(data[1]));
    a.emit(unpack, Y(kT1), Y(data[2]), Y(data[all ? 3 : 2]));
    for (int odd = 0; odd < 2; ++odd) {
      a.emit(odd == 0 ? x86::Inst::kIdVunpcklpd : x86::Inst::kIdVunpckhpd, Y(kT2), Y(kT0), Y(kT1));
      store(lane + odd, kT2);
      a.vextracti128(X(kT2), Y(kT2), 1);
      store(lane + odd + kHalf, kT2);
    }
  }
}

}  // namespace gcnjit::backend::avx2
