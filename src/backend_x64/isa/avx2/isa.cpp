#include "backend_x64/isa/avx2/isa.h"

namespace gcnjit::backend::avx2 {

void Isa::LoadVector(int reg, const x86::Mem& from) { a.vmovups(Y(reg), from); }

void Isa::StoreVector(const x86::Mem& to, int reg) { a.vmovups(to, Y(reg)); }

void Isa::StoreVectorMasked(const x86::Mem& to, int reg, int mask) {
  a.vpmaskmovd(to, Y(mask), Y(reg));
}

void Isa::AddToHalves(int low, int high, const x86::Mem& number) {
  Broadcast32(kT0, number);
  a.vpaddd(Y(low), Y(low), Y(kT0));
  // All ones where there is no carry.
  a.vpmaxud(Y(kT1), Y(low), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(low));
  Broadcast32(kT0, number.cloneAdjusted(4));
  a.vpaddd(Y(high), Y(high), Y(kT0));
  a.vpcmpeqd(Y(kT0), Y(kT0), Y(kT0));
  a.vpsubd(Y(high), Y(high), Y(kT0));
  a.vpaddd(Y(high), Y(high), Y(kT1));
}

void Isa::Broadcast32(int reg, const x86::Mem& from) {
  x86::Mem dword = from;
  dword.setSize(4);
  a.vpbroadcastd(Y(reg), dword);
}

void Isa::Broadcast64(int reg, const x86::Mem& from) {
  x86::Mem quad = from;
  quad.setSize(8);
  a.vpbroadcastq(Y(reg), quad);
}

void Isa::LoadMask(int reg, const x86::Mem& from) {
  ConstantPool::Vector bits;
  for (uint32_t n = 0; n < bits.size(); ++n) bits[n] = 1u << (n % 8);
  const x86::Mem bit_of_lane = region_.constants.Whole(bits);
  x86::Mem byte = from;
  byte.setSize(1);
  a.vpbroadcastb(Y(reg), byte);
  a.vpand(Y(reg), Y(reg), bit_of_lane);
  a.vpcmpeqd(Y(reg), Y(reg), bit_of_lane);
}

void Isa::StoreMask(const x86::Mem& to, int reg) {
  x86::Mem byte = to;
  byte.setSize(1);
  a.vmovmskps(x86::eax, Y(reg));
  a.mov(byte, x86::al);
}

void Isa::SetMask(int reg, bool ones) {
  if (ones) {
    a.vpcmpeqd(Y(reg), Y(reg), Y(reg));
  } else {
    a.vpxor(Y(reg), Y(reg), Y(reg));
  }
}

void Isa::MoveVector(int to, int from) { a.vmovdqa(Y(to), Y(from)); }

void Isa::TestMasks(const std::vector<int>& masks) {
  int any = masks.front();
  for (size_t n = 1; n < masks.size(); ++n) {
    a.vpor(Y(kT0), Y(any), Y(masks[n]));
    any = kT0;
  }
  a.vptest(Y(any), Y(any));
}

}  // namespace gcnjit::backend::avx2
