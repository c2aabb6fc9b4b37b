// Integer arithmetic, shifts, and values of 64 bits a lane.
#include "backend_x64/isa/avx2/integer.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

// Even lanes and odd lanes by themselves.
void IntegerCode::EmitMulHigh(Value v, const Inst& inst, int part) {
  const uint32_t multiply = inst.op == Op::kMulHiS ? Id::kIdVpmuldq : Id::kIdVpmuludq;
  const int x = Use(inst.args[0], part);
  const int y = Use(inst.args[1], part);
  a.vpsrlq(Y(kT1), Y(x), 32);
  a.vpsrlq(Y(kT2), Y(y), 32);
  a.emit(multiply, Y(kT0), Y(x), Y(y));
  a.emit(multiply, Y(kT1), Y(kT1), Y(kT2));
  a.vpsrlq(Y(kT0), Y(kT0), 32);
  FreeDying(inst, part);
  a.vpblendd(Y(Def(v, part)), Y(kT0), Y(kT1), 0xAA);
}

void IntegerCode::EmitSelect(Value v, const Inst& inst, int part) {
  const int mask = UseMask(inst.args[0], part);
  if (inst.type == Type::kV64) {
    for (int c = 0; c < 2; ++c) {
      const int y = Use(inst.args[2], part, c);
      const asmjit::Operand x = Source(inst.args[1], part, c);
      Unpack(c, kT0, mask, mask);
      a.emit(Id::kIdVblendvpd, Y(Def(v, part, c)), Y(y), x, Y(kT0));
    }
    return;
  }
  const auto is_zero = [&](Value x) {
    uint64_t constant = 0;
    return IsConst(x, &constant) && constant == 0;
  };
  // One of them is 0: an AND does it.
  for (int n = 1; n <= 2; ++n) {
    if (!is_zero(inst.args[n])) continue;
    const asmjit::Operand other = Source(inst.args[3 - n], part);
    FreeDying(inst, part);
    a.emit(n == 1 ? Id::kIdVpandn : Id::kIdVpand, Y(Def(v, part)), Y(mask), other);
    return;
  }
  const int y = Use(inst.args[2], part);
  const asmjit::Operand x = Source(inst.args[1], part);
  FreeDying(inst, part);
  a.emit(Id::kIdVblendvps, Y(Def(v, part)), Y(y), x, Y(mask));
}

bool IntegerCode::EmitInteger(Value v, const Inst& inst, int part) {
  if (!ir::IsLanes(inst.type)) return false;
  // A scalar first operand of a commutative operation goes second, where memory may stand.
  const bool swap = inst.argument_count == 2 && !IsLaneValue(inst.args[0]);
  switch (inst.op) {
    case Op::kAdd: Binary(v, inst, part, Id::kIdVpaddd, Id::kIdVpaddq, swap); return true;
    case Op::kSub: Binary(v, inst, part, Id::kIdVpsubd, Id::kIdVpsubq); return true;
    case Op::kMul: Binary(v, inst, part, Id::kIdVpmulld, Id::kIdNone, swap); return true;
    case Op::kAnd: Binary(v, inst, part, Id::kIdVpand, Id::kIdVpand, swap); return true;
    case Op::kOr: Binary(v, inst, part, Id::kIdVpor, Id::kIdVpor, swap); return true;
    case Op::kXor: Binary(v, inst, part, Id::kIdVpxor, Id::kIdVpxor, swap); return true;
    case Op::kAndNot: Binary(v, inst, part, Id::kIdVpandn, Id::kIdVpandn, true); return true;
    case Op::kMinU: Binary(v, inst, part, Id::kIdVpminud, Id::kIdNone, swap); return true;
    case Op::kMaxU: Binary(v, inst, part, Id::kIdVpmaxud, Id::kIdNone, swap); return true;
    case Op::kMinS: Binary(v, inst, part, Id::kIdVpminsd, Id::kIdNone, swap); return true;
    case Op::kMaxS: Binary(v, inst, part, Id::kIdVpmaxsd, Id::kIdNone, swap); return true;
    case Op::kMulHiU:
    case Op::kMulHiS: EmitMulHigh(v, inst, part); return true;
    case Op::kSelect: EmitSelect(v, inst, part); return true;
    case Op::kNot:
      for (int c = 0; c < (inst.type == Type::kV64 ? 2 : 1); ++c) {
        const int x = Use(inst.args[0], part, c);
        a.vpxor(Y(Def(v, part, c)), Y(x), All32(~0u));
      }
      return true;
    case Op::kLaneId: {
      const int d = Def(v, part);
      ConstantPool::Vector iota;
      for (uint32_t n = 0; n < iota.size(); ++n) iota[n] = n;
      a.mov(x86::eax, x86::r15d);
      a.shl(x86::eax, 3);
      if (part != 0) a.add(x86::eax, part * kLanes);
      a.vmovd(X(d), x86::eax);
      a.vpbroadcastd(Y(d), X(d));
      a.vpaddd(Y(d), Y(d), b_.region.constants.Whole(iota));
      return true;
    }
    default: return false;
  }
}

// ---- Shifts

void IntegerCode::EmitFshr(Value v, const Inst& inst, int part) {
  uint64_t count = 0;
  const int high = Use(inst.args[0], part);
  const int low = Use(inst.args[1], part);
  if (IsConst(inst.args[2], &count)) {
    count &= 31;
    if (count == 0) {
      FreeDying(inst, part);
      a.vmovaps(Y(Def(v, part)), Y(low));
      return;
    }
    a.vpsrld(Y(kT0), Y(low), count);
    a.vpslld(Y(kT1), Y(high), 32 - count);
  } else {
    const int counts = Use(inst.args[2], part);
    a.vpand(Y(kT2), Y(counts), All32(31));
    a.vpsrlvd(Y(kT0), Y(low), Y(kT2));
    // A shift by 32 gives 0, as it should for a count of 0.
    a.vmovdqa(Y(kT1), All32(32));
    a.vpsubd(Y(kT2), Y(kT1), Y(kT2));
    a.vpsllvd(Y(kT1), Y(high), Y(kT2));
  }
  FreeDying(inst, part);
  a.vpor(Y(Def(v, part)), Y(kT0), Y(kT1));
}

// An arithmetic shift of quadwords by a constant: the high dword can be shifted as such.
void IntegerCode::EmitAshr64(int result, int x, uint32_t count) {
  constexpr int kHighDwords = 0xAA;
  if (count < 32) {
    a.vpsrad(Y(kT0), Y(x), count);
    a.vpsrlq(Y(kT1), Y(x), count);
    a.vpblendd(Y(result), Y(kT1), Y(kT0), kHighDwords);
    return;
  }
  a.vpsrad(Y(kT0), Y(x), 31);
  a.vpsrad(Y(kT1), Y(x), count - 32);
  a.vpshufd(Y(kT1), Y(kT1), 0xF5);  // high dwords to the low ones
  a.vpblendd(Y(result), Y(kT1), Y(kT0), kHighDwords);
}

bool IntegerCode::EmitShift(Value v, const Inst& inst, int part) {
  uint32_t by_constant32 = 0;
  uint32_t by_constant64 = 0;
  uint32_t by_lane32 = 0;
  uint32_t by_lane64 = 0;
  switch (inst.op) {
    case Op::kShl:
      by_constant32 = Id::kIdVpslld, by_constant64 = Id::kIdVpsllq;
      by_lane32 = Id::kIdVpsllvd, by_lane64 = Id::kIdVpsllvq;
      break;
    case Op::kLshr:
      by_constant32 = Id::kIdVpsrld, by_constant64 = Id::kIdVpsrlq;
      by_lane32 = Id::kIdVpsrlvd, by_lane64 = Id::kIdVpsrlvq;
      break;
    case Op::kAshr:
      by_constant32 = Id::kIdVpsrad;
      by_lane32 = Id::kIdVpsravd, by_lane64 = Id::kIdVpsrlvq;
      break;
    case Op::kFshr: EmitFshr(v, inst, part); return true;
    default: return false;
  }
  uint64_t count = 0;
  const bool constant = IsConst(inst.args[1], &count);
  if (inst.type == Type::kV64) {
    const bool arithmetic = inst.op == Op::kAshr;
    for (int c = 0; c < 2; ++c) {
      const int x = Use(inst.args[0], part, c);
      if (constant) {
        const int d = Def(v, part, c);
        if (arithmetic) {
          EmitAshr64(d, x, static_cast<uint32_t>(count & 63));
        } else {
          a.emit(by_constant64, Y(d), Y(x), asmjit::imm(count & 63));
        }
        continue;
      }
      const int counts = Use(inst.args[1], part);
      const int d = Def(v, part, c);
      Unpack(c, kT0, counts, counts);
      a.vpand(Y(kT0), Y(kT0), All64(63));
      a.emit(by_lane64, Y(d), Y(x), Y(kT0));
      if (arithmetic) {
        // Copies of the sign: with s the sign bit where it is now, (r ^ s) - s.
        a.vmovdqa(Y(kT1), All64(uint64_t{1} << 63));
        a.vpsrlvq(Y(kT1), Y(kT1), Y(kT0));
        a.vpxor(Y(d), Y(d), Y(kT1));
        a.vpsubq(Y(d), Y(d), Y(kT1));
      }
    }
    return true;
  }
  const int x = Use(inst.args[0], part);
  if (constant) {
    FreeDying(inst, part);
    a.emit(by_constant32, Y(Def(v, part)), Y(x), asmjit::imm(count & 31));
    return true;
  }
  const int counts = Use(inst.args[1], part);
  a.vpand(Y(kT0), Y(counts), All32(31));
  FreeDying(inst, part);
  a.emit(by_lane32, Y(Def(v, part)), Y(x), Y(kT0));
  return true;
}

// ---- 64-bit values and their halves

bool IntegerCode::EmitWiden(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kPack: {
      const int low = Use(inst.args[0], part);
      const int high = Use(inst.args[1], part);
      for (int c = 0; c < 2; ++c) Unpack(c, Def(v, part, c), low, high);
      return true;
    }
    case Op::kLow:
    case Op::kHigh: {
      const int x = Use(inst.args[0], part, 0);
      const int y = Use(inst.args[0], part, 1);
      FreeDying(inst, part);
      a.vshufps(Y(Def(v, part)), Y(x), Y(y), inst.op == Op::kLow ? kEvenDwords : kOddDwords);
      return true;
    }
    case Op::kZext:
    case Op::kSext: {
      const int x = Use(inst.args[0], part);
      if (inst.op == Op::kZext) {
        a.vpxor(Y(kT0), Y(kT0), Y(kT0));
      } else {
        a.vpsrad(Y(kT0), Y(x), 31);
      }
      for (int c = 0; c < 2; ++c) Unpack(c, Def(v, part, c), x, kT0);
      return true;
    }
    case Op::kMulWideU:
    case Op::kMulWideS: {
      // The multiplication looks at the low dword of each quadword only.
      const uint32_t multiply = inst.op == Op::kMulWideS ? Id::kIdVpmuldq : Id::kIdVpmuludq;
      const auto factor = [&](int n, int c, int scratch) {
        const int x = Use(inst.args[n], part);
        if (!IsLaneValue(inst.args[n])) return x;
        Unpack(c, scratch, x, x);
        return scratch;
      };
      for (int c = 0; c < 2; ++c) {
        const int x = factor(0, c, kT0);
        const int y = factor(1, c, kT1);
        a.emit(multiply, Y(Def(v, part, c)), Y(x), Y(y));
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace gcnjit::backend::avx2
