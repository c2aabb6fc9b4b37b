// Bits and bytes of lanes.
#include "backend_x64/isa/avx512/integer.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

bool IntegerCode::EmitBits(Value v, const Inst& inst, int part) {
  if (inst.type != Type::kV32) return false;
  const auto broadcast = [&](uint32_t value) { return Constant32(value)._1to16(); };
  switch (inst.op) {
    case Op::kSext8:
    case Op::kSext16: {
      const int bits = inst.op == Op::kSext8 ? 24 : 16;
      const int x = Use(inst.args[0], part);
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.vpslld(Z(d), Z(x), bits);
      a.vpsrad(Z(d), Z(d), bits);
      return true;
    }
    case Op::kClz: {
      const int x = Use(inst.args[0], part);
      FreeDying(inst, part);
      a.vplzcntd(Z(Def(v, part)), Z(x));
      return true;
    }
    case Op::kCtz: {
      // ~x & (x - 1) has as many ones as x has trailing zeros.
      const int x = Use(inst.args[0], part);
      a.vpaddd(Z(kT0), Z(x), broadcast(~0u));
      a.vpandnd(Z(kT0), Z(x), Z(kT0));
      a.vplzcntd(Z(kT0), Z(kT0));
      a.vpbroadcastd(Z(kT1), Constant32(32));
      FreeDying(inst, part);
      a.vpsubd(Z(Def(v, part)), Z(kT1), Z(kT0));
      return true;
    }
    case Op::kPopcount: {
      // Bits in pairs, nibbles, bytes; then the bytes' sum (Hacker's Delight 5-1).
      const int x = Use(inst.args[0], part);
      a.vpsrld(Z(kT0), Z(x), 1);
      a.vpandd(Z(kT0), Z(kT0), broadcast(0x55555555));
      a.vpsubd(Z(kT0), Z(x), Z(kT0));
      a.vpsrld(Z(kT1), Z(kT0), 2);
      a.vpandd(Z(kT1), Z(kT1), broadcast(0x33333333));
      a.vpandd(Z(kT0), Z(kT0), broadcast(0x33333333));
      a.vpaddd(Z(kT0), Z(kT0), Z(kT1));
      a.vpsrld(Z(kT1), Z(kT0), 4);
      a.vpaddd(Z(kT0), Z(kT0), Z(kT1));
      a.vpandd(Z(kT0), Z(kT0), broadcast(0x0F0F0F0F));
      a.vpmulld(Z(kT0), Z(kT0), broadcast(0x01010101));
      FreeDying(inst, part);
      a.vpsrld(Z(Def(v, part)), Z(kT0), 24);
      return true;
    }
    case Op::kBitReverse: {
      const int x = Use(inst.args[0], part);
      ConstantPool::Vector bytes;
      for (uint32_t n = 0; n < 16; ++n) bytes[n] = 0x00010203u + (n % 4) * 0x04040404u;
      a.vpshufb(Z(kT0), Z(x), b_.region.constants.Whole(bytes));
      constexpr uint32_t kMasks[3] = {0x0F0F0F0F, 0x33333333, 0x55555555};
      constexpr int kCounts[3] = {4, 2, 1};
      for (int n = 0; n < 3; ++n) {
        a.vpsrld(Z(kT1), Z(kT0), kCounts[n]);
        a.vpandd(Z(kT1), Z(kT1), broadcast(kMasks[n]));
        a.vpandd(Z(kT0), Z(kT0), broadcast(kMasks[n]));
        a.vpslld(Z(kT0), Z(kT0), kCounts[n]);
        a.vpord(Z(kT0), Z(kT0), Z(kT1));
      }
      FreeDying(inst, part);
      a.vmovdqa32(Z(Def(v, part)), Z(kT0));
      return true;
    }
    case Op::kPermByte: {
      // Bytes 0-3 are those of the second source, 4-7 of the first.
      const int high = Use(inst.args[0], part);
      const int low = Use(inst.args[1], part);
      const int selector = Use(inst.args[2], part);
      ConstantPool::Vector base;
      for (uint32_t n = 0; n < 16; ++n) base[n] = (n % 4) * 0x04040404u;
      a.vpandd(Z(kT0), Z(selector), broadcast(0x03030303));
      a.vpord(Z(kT0), Z(kT0), b_.region.constants.Whole(base));
      a.vpandd(Z(kT2), Z(selector), broadcast(0x04040404));
      a.vpshufb(Z(kT1), Z(low), Z(kT0));
      a.vpshufb(Z(kT0), Z(high), Z(kT0));
      a.vptestmb(K(kM0), Z(kT2), Z(kT2));
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.k(K(kM0)).vpblendmb(Z(d), Z(kT1), Z(kT0));
      return true;
    }
    default: return false;
  }
}

}  // namespace gcnjit::backend::avx512
