// Counts and orders of bits and bytes, of v32.
#include "backend_x64/isa/avx2/integer.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// A table of 16 bytes for vpshufb, in both halves.
template <typename F>
ConstantPool::Vector ByteTable(F f) {
  ConstantPool::Vector table{};
  for (uint32_t n = 0; n < 64; ++n) table[n / 4] |= (f(n % 16) & 0xFFu) << (n % 4 * 8);
  return table;
}

uint32_t ReverseNibble(uint32_t n) {
  return (n & 1) << 3 | (n & 2) << 1 | (n & 4) >> 1 | (n & 8) >> 3;
}

}  // namespace

// Of each nibble by table, then the sum of a dword's bytes.
void IntegerCode::EmitPopcount(Value v, const Inst& inst, int part) {
  const int x = Use(inst.args[0], part);
  const x86::Mem nibble = All32(0x0F0F0F0F);
  a.vpand(Y(kT0), Y(x), nibble);
  a.vpsrld(Y(kT1), Y(x), 4);
  a.vpand(Y(kT1), Y(kT1), nibble);
  a.vmovdqa(Y(kT2), b_.region.constants.Whole(ByteTable(
                        [](uint32_t n) { return static_cast<uint32_t>(__builtin_popcount(n)); })));
  a.vpshufb(Y(kT0), Y(kT2), Y(kT0));
  a.vpshufb(Y(kT1), Y(kT2), Y(kT1));
  a.vpaddb(Y(kT0), Y(kT0), Y(kT1));
  a.vpmaddubsw(Y(kT0), Y(kT0), All32(0x01010101));
  FreeDying(inst, part);
  a.vpmaddwd(Y(Def(v, part)), Y(kT0), All32(0x00010001));
}

// The exponent of x as a float. Clearing each bit below a set one keeps the highest bit and makes
// sure that no rounding reaches the next power of two.
void IntegerCode::EmitClz(Value v, const Inst& inst, int part) {
  const int x = Use(inst.args[0], part);
  a.vpsrld(Y(kT0), Y(x), 1);
  a.vpandn(Y(kT0), Y(kT0), Y(x));
  a.vcvtdq2ps(Y(kT0), Y(kT0));
  a.vpsrld(Y(kT0), Y(kT0), 23);
  // 31 - (exponent - 127), saturated to 0 for the sign bit, whose float is negative.
  a.vmovdqa(Y(kT1), All32(31 + 127));
  a.vpsubusw(Y(kT0), Y(kT1), Y(kT0));
  FreeDying(inst, part);
  a.vpminud(Y(Def(v, part)), Y(kT0), All32(32));  // of 0, whose exponent is 0
}

// The exponent of the lowest bit as a float.
void IntegerCode::EmitCtz(Value v, const Inst& inst, int part) {
  const int x = Use(inst.args[0], part);
  a.vpxor(Y(kT0), Y(kT0), Y(kT0));
  a.vpsubd(Y(kT0), Y(kT0), Y(x));
  a.vpand(Y(kT0), Y(kT0), Y(x));
  a.vcvtdq2ps(Y(kT0), Y(kT0));
  a.vpsrld(Y(kT0), Y(kT0), 23);
  a.vpand(Y(kT0), Y(kT0), All32(0xFF));
  a.vpaddd(Y(kT0), Y(kT0), All32(static_cast<uint32_t>(-127)));
  FreeDying(inst, part);
  a.vpminud(Y(Def(v, part)), Y(kT0), All32(32));  // of 0: -127 as a large number
}

void IntegerCode::EmitBitReverse(Value v, const Inst& inst, int part) {
  const int x = Use(inst.args[0], part);
  const x86::Mem nibble = All32(0x0F0F0F0F);
  a.vpshufb(Y(kT0), Y(x), b_.region.constants.Whole(ByteTable([](uint32_t n) { return n ^ 3; })));
  a.vpand(Y(kT1), Y(kT0), nibble);
  a.vpsrld(Y(kT0), Y(kT0), 4);
  a.vpand(Y(kT0), Y(kT0), nibble);
  a.vmovdqa(Y(kT2),
            b_.region.constants.Whole(ByteTable([](uint32_t n) { return ReverseNibble(n) << 4; })));
  a.vpshufb(Y(kT1), Y(kT2), Y(kT1));
  a.vmovdqa(Y(kT2), b_.region.constants.Whole(ByteTable(ReverseNibble)));
  a.vpshufb(Y(kT0), Y(kT2), Y(kT0));
  FreeDying(inst, part);
  a.vpor(Y(Def(v, part)), Y(kT0), Y(kT1));
}

// Bytes 0-3 are those of the second source, 4-7 of the first.
void IntegerCode::EmitPermByte(Value v, const Inst& inst, int part) {
  const int high = Use(inst.args[0], part);
  const int low = Use(inst.args[1], part);
  const int selector = Use(inst.args[2], part);
  a.vpand(Y(kT0), Y(selector), All32(0x03030303));
  a.vpor(Y(kT0), Y(kT0), b_.region.constants.Whole(ByteTable([](uint32_t n) { return n & ~3u; })));
  a.vpslld(Y(kT2), Y(selector), 5);  // bit 2 of each byte to bit 7, which the blend looks at
  a.vpshufb(Y(kT1), Y(low), Y(kT0));
  a.vpshufb(Y(kT0), Y(high), Y(kT0));
  FreeDying(inst, part);
  a.vpblendvb(Y(Def(v, part)), Y(kT1), Y(kT0), Y(kT2));
}

bool IntegerCode::EmitBits(Value v, const Inst& inst, int part) {
  if (inst.type != Type::kV32) return false;
  switch (inst.op) {
    case Op::kSext8:
    case Op::kSext16: {
      const int bits = inst.op == Op::kSext8 ? 24 : 16;
      const int x = Use(inst.args[0], part);
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.vpslld(Y(d), Y(x), bits);
      a.vpsrad(Y(d), Y(d), bits);
      return true;
    }
    case Op::kClz: EmitClz(v, inst, part); return true;
    case Op::kCtz: EmitCtz(v, inst, part); return true;
    case Op::kPopcount: EmitPopcount(v, inst, part); return true;
    case Op::kBitReverse: EmitBitReverse(v, inst, part); return true;
    case Op::kPermByte: EmitPermByte(v, inst, part); return true;
    default: return false;
  }
}

}  // namespace gcnjit::backend::avx2
