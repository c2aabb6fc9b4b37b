#include "backend_x64/isa/avx512/isa.h"

namespace gcnjit::backend::avx512 {

void Isa::LoadVector(int reg, const x86::Mem& from) { a.vmovups(Z(reg), from); }

void Isa::StoreVector(const x86::Mem& to, int reg) { a.vmovups(to, Z(reg)); }

void Isa::StoreVectorMasked(const x86::Mem& to, int reg, int mask) {
  a.k(K(mask)).vmovdqu32(to, Z(reg));
}

void Isa::AddToHalves(int low, int high, const x86::Mem& number) {
  const x86::Mem low_number = number.cloneResized(4);
  a.vpaddd(Z(low), Z(low), low_number._1to16());
  a.vpcmpud(K(kM0), Z(low), low_number._1to16(), 1);  // there is a carry
  a.vpaddd(Z(high), Z(high), low_number.cloneAdjusted(4)._1to16());
  a.vpternlogd(Z(kT0), Z(kT0), Z(kT0), 0xFF);
  a.k(K(kM0)).vpsubd(Z(high), Z(high), Z(kT0));
}

void Isa::Broadcast32(int reg, const x86::Mem& from) {
  x86::Mem dword = from;
  dword.setSize(4);
  a.vpbroadcastd(Z(reg), dword);
}

void Isa::Broadcast64(int reg, const x86::Mem& from) {
  x86::Mem quad = from;
  quad.setSize(8);
  a.vpbroadcastq(Z(reg), quad);
}

void Isa::LoadMask(int reg, const x86::Mem& from) {
  x86::Mem word = from;
  word.setSize(2);
  a.kmovw(K(reg), word);
}

void Isa::StoreMask(const x86::Mem& to, int reg) {
  x86::Mem word = to;
  word.setSize(2);
  a.kmovw(word, K(reg));
}

void Isa::SetMask(int reg, bool ones) {
  if (ones) {
    a.kxnorw(K(reg), K(reg), K(reg));
  } else {
    a.kxorw(K(reg), K(reg), K(reg));
  }
}

void Isa::MoveVector(int to, int from) { a.vmovdqa32(Z(to), Z(from)); }

void Isa::TestMasks(const std::vector<int>& masks) {
  int any = masks.front();
  for (size_t n = 1; n + 1 < masks.size(); ++n) {
    a.korw(K(kM1), K(any), K(masks[n]));
    any = kM1;
  }
  a.kortestw(K(any), K(masks.back()));
}

void Isa::MoveMask(int to, int from) { a.kmovw(K(to), K(from)); }

void Isa::AddToWaveMask(int gpr, int part, int mask) {
  const x86::Gp wave = x86::gpq(static_cast<uint32_t>(gpr));
  if (part == 0) {
    a.kmovw(wave.r32(), K(mask));
    return;
  }
  a.kmovw(x86::eax, K(mask));
  a.shl(x86::rax, part * kLanes);
  a.or_(wave, x86::rax);
}

void Isa::StoreMasks(const x86::Mem& to, std::span<const int> masks) {
  x86::Mem piece = to;
  piece.setSize(static_cast<uint32_t>(masks.size()) * kLanes / 8);
  a.kunpckwd(K(kM0), K(masks[1]), K(masks[0]));
  if (masks.size() == 2) return static_cast<void>(a.kmovd(piece, K(kM0)));
  a.kunpckwd(K(kM1), K(masks[3]), K(masks[2]));
  a.kunpckdq(K(kM0), K(kM1), K(kM0));
  a.kmovq(piece, K(kM0));
}

}  // namespace gcnjit::backend::avx512
