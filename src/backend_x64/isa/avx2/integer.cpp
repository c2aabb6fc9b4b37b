// Moves, integer arithmetic, shifts, compares and masks.
#include "backend_x64/isa/avx2/lanes.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

// ---- Registers and memory

void LaneEmitter::LoadVector(int reg, const x86::Mem& from) { a.vmovups(Y(reg), from); }
void LaneEmitter::StoreVector(const x86::Mem& to, int reg) { a.vmovups(to, Y(reg)); }
void LaneEmitter::Broadcast32(int reg, const x86::Mem& from) {
  x86::Mem dword = from;
  dword.setSize(4);
  a.vpbroadcastd(Y(reg), dword);
}
void LaneEmitter::Broadcast64(int reg, const x86::Mem& from) {
  x86::Mem quad = from;
  quad.setSize(8);
  a.vpbroadcastq(Y(reg), quad);
}
void LaneEmitter::LoadMask(int reg, const x86::Mem& from) {
  ConstantPool::Vector bits;
  for (uint32_t n = 0; n < bits.size(); ++n) bits[n] = 1u << (n % 8);
  const x86::Mem bit_of_lane = shared_.constants.Whole(bits);
  x86::Mem byte = from;
  byte.setSize(1);
  a.vpbroadcastb(Y(reg), byte);
  a.vpand(Y(reg), Y(reg), bit_of_lane);
  a.vpcmpeqd(Y(reg), Y(reg), bit_of_lane);
}
void LaneEmitter::StoreMask(const x86::Mem& to, int reg) {
  x86::Mem byte = to;
  byte.setSize(1);
  a.vmovmskps(x86::eax, Y(reg));
  a.mov(byte, x86::al);
}
void LaneEmitter::SetMask(int reg, bool ones) {
  if (ones) {
    a.vpcmpeqd(Y(reg), Y(reg), Y(reg));
  } else {
    a.vpxor(Y(reg), Y(reg), Y(reg));
  }
}

void LaneEmitter::MoveVector(int to, int from) { a.vmovdqa(Y(to), Y(from)); }

void LaneEmitter::TestMasks(const std::vector<int>& masks) {
  int any = masks.front();
  for (size_t n = 1; n < masks.size(); ++n) {
    a.vpor(Y(kT0), Y(any), Y(masks[n]));
    any = kT0;
  }
  a.vptest(Y(any), Y(any));
}

x86::Mem LaneEmitter::All32(uint32_t value) { return shared_.constants.Whole(value); }
x86::Mem LaneEmitter::All64(uint64_t value) {
  ConstantPool::Vector all;
  for (size_t n = 0; n < all.size(); ++n) {
    all[n] = static_cast<uint32_t>(n % 2 == 0 ? value : value >> 32);
  }
  return shared_.constants.Whole(all);
}

asmjit::Operand LaneEmitter::Source(Value v, int part, int component) {
  uint64_t constant = 0;
  if (IsConst(v, &constant)) {
    return InstOf(v).type == Type::kU64 ? All64(constant) : All32(static_cast<uint32_t>(constant));
  }
  if (const auto memory = MemoryOperand(v, part, component)) return *memory;
  return Y(Use(v, part, component));
}

void LaneEmitter::EmitPart(Value v, const Inst& inst, int part) {
  const bool done = EmitInteger(v, inst, part) || EmitShift(v, inst, part) ||
                    EmitCompare(v, inst, part) || EmitMaskLogic(v, inst, part) ||
                    EmitWiden(v, inst, part) || EmitBits(v, inst, part) ||
                    EmitFloat(v, inst, part) || EmitFromInteger(v, inst, part) ||
                    EmitToInteger(v, inst, part) || EmitResize(v, inst, part);
  if (!done) Fail("no emitter for a lane operation");
}

// ---- Arithmetic

void LaneEmitter::Binary(Value v, const Inst& inst, int part, uint32_t id32, uint32_t id64,
                         bool swap) {
  const Value first = inst.args[swap ? 1 : 0];
  const Value second = inst.args[swap ? 0 : 1];
  if (inst.type == Type::kV64) {
    for (int c = 0; c < 2; ++c) {
      const int x = Use(first, part, c);
      const asmjit::Operand y = Source(second, part, c);
      a.emit(id64, Y(Def(v, part, c)), Y(x), y);
    }
    return;
  }
  const int x = Use(first, part);
  const asmjit::Operand y = Source(second, part);
  FreeDying(inst, part);
  a.emit(id32, Y(Def(v, part)), Y(x), y);
}

// Even lanes and odd lanes by themselves.
void LaneEmitter::EmitMulHigh(Value v, const Inst& inst, int part) {
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

void LaneEmitter::EmitSelect(Value v, const Inst& inst, int part) {
  const int mask = UseMask(inst.args[0], part);
  if (inst.type == Type::kV64) {
    for (int c = 0; c < 2; ++c) {
      const int y = Use(inst.args[2], part, c);
      const asmjit::Operand x = Source(inst.args[1], part, c);
      if (c == 0) {
        a.vpmovsxdq(Y(kT0), X(mask));
      } else {
        a.vextracti128(X(kT0), Y(mask), 1);
        a.vpmovsxdq(Y(kT0), X(kT0));
      }
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

bool LaneEmitter::EmitInteger(Value v, const Inst& inst, int part) {
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
      if (part != 0) a.add(x86::eax, part * kLanesPerRegister);
      a.vmovd(X(d), x86::eax);
      a.vpbroadcastd(Y(d), X(d));
      a.vpaddd(Y(d), Y(d), shared_.constants.Whole(iota));
      return true;
    }
    default: return false;
  }
}

// ---- Shifts

void LaneEmitter::EmitFshr(Value v, const Inst& inst, int part) {
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
void LaneEmitter::EmitAshr64(int result, int x, uint32_t count) {
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

bool LaneEmitter::EmitShift(Value v, const Inst& inst, int part) {
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
      if (c == 0) {
        a.vpmovzxdq(Y(kT0), X(counts));
      } else {
        a.vextracti128(X(kT0), Y(counts), 1);
        a.vpmovzxdq(Y(kT0), X(kT0));
      }
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

// ---- Compares and masks

void LaneEmitter::JoinMasks(int low, int high) {
  a.vshufps(Y(kT0), Y(low), Y(high), kEvenDwords);
  a.vpermq(Y(kT0), Y(kT0), kSwapMiddle);
}

// Of 32 bits: as minimum or maximum, which there is for unsigned numbers, and equality. False: it
// would take one more to negate the result.
bool LaneEmitter::EmitUnsignedCompare(Value v, const Inst& inst, int part) {
  Value x = inst.args[0];
  Value y = inst.args[1];
  uint64_t constant = 0;
  const bool is_less = inst.op == Op::kLtU;
  // x <= y is min(x, y) == x, which takes x twice, or max(x, y) == y.
  const bool takes_first = IsConst(y, &constant);
  if (is_less && !takes_first && !IsConst(x, &constant)) return false;
  const auto edge = static_cast<uint32_t>(constant);
  // Beyond the numbers: nothing is less.
  if (is_less && edge == (takes_first ? 0 : ~0u)) return false;
  if (!takes_first) std::swap(x, y);
  const int twice = Use(x, part);
  const asmjit::Operand other =
      is_less ? asmjit::Operand(All32(takes_first ? edge - 1 : edge + 1)) : Source(y, part);
  a.emit(takes_first ? Id::kIdVpminud : Id::kIdVpmaxud, Y(kT0), Y(twice), other);
  FreeDying(inst, part);
  a.vpcmpeqd(Y(DefMask(v, part)), Y(kT0), Y(twice));
  return true;
}

// There are equal and signed greater; the others are made of these.
bool LaneEmitter::EmitCompare(Value v, const Inst& inst, int part) {
  bool equal = false;
  bool negate = false;   // of the instruction's result
  bool reverse = false;  // second operand greater than first
  bool is_unsigned = false;
  switch (inst.op) {
    case Op::kEq: equal = true; break;
    case Op::kNe: equal = negate = true; break;
    case Op::kLtU: reverse = is_unsigned = true; break;
    case Op::kLeU: negate = is_unsigned = true; break;
    case Op::kLtS: reverse = true; break;
    case Op::kLeS: negate = true; break;
    default: return false;
  }
  const bool wide = ir::Is64(InstOf(inst.args[0]).type);
  if (is_unsigned && !wide && EmitUnsignedCompare(v, inst, part)) return true;
  const uint32_t id = equal ? (wide ? Id::kIdVpcmpeqq : Id::kIdVpcmpeqd)
                            : (wide ? Id::kIdVpcmpgtq : Id::kIdVpcmpgtd);
  const Value first = inst.args[reverse ? 1 : 0];
  const Value second = inst.args[reverse ? 0 : 1];
  for (int c = 0; c < (wide ? 2 : 1); ++c) {
    const int t = c == 0 ? kT0 : kT1;
    const int x = Use(first, part, c);
    if (is_unsigned) {
      const int y = Use(second, part, c);
      const x86::Mem sign = wide ? All64(uint64_t{1} << 63) : All32(1u << 31);
      a.vpxor(Y(t), Y(x), sign);
      a.vpxor(Y(kT2), Y(y), sign);
      a.emit(id, Y(t), Y(t), Y(kT2));
    } else {
      const asmjit::Operand y = Source(second, part, c);
      if (!wide && !negate) {
        FreeDying(inst, part);
        a.emit(id, Y(DefMask(v, part)), Y(x), y);
        return true;
      }
      a.emit(id, Y(t), Y(x), y);
    }
  }
  if (wide) JoinMasks(kT0, kT1);
  FreeDying(inst, part);
  const int d = DefMask(v, part);
  if (negate) {
    a.vpxor(Y(d), Y(kT0), All32(~0u));
  } else {
    a.vmovaps(Y(d), Y(kT0));
  }
  return true;
}

bool LaneEmitter::EmitMaskLogic(Value v, const Inst& inst, int part) {
  if (inst.type != Type::kU64) return false;
  uint32_t id = 0;
  switch (inst.op) {
    case Op::kAnd: id = Id::kIdVpand; break;
    case Op::kOr: id = Id::kIdVpor; break;
    case Op::kXor: id = Id::kIdVpxor; break;
    case Op::kAndNot: id = Id::kIdVpandn; break;
    case Op::kNot: {
      const int x = UseMask(inst.args[0], part);
      FreeDying(inst, part);
      a.vpxor(Y(DefMask(v, part)), Y(x), All32(~0u));
      return true;
    }
    default: return false;
  }
  const bool swap = inst.op == Op::kAndNot;  // the host inverts the first operand
  const int x = UseMask(inst.args[swap ? 1 : 0], part);
  const int y = UseMask(inst.args[swap ? 0 : 1], part);
  FreeDying(inst, part);
  a.emit(id, Y(DefMask(v, part)), Y(x), Y(y));
  return true;
}

// ---- 64-bit values and their halves

bool LaneEmitter::EmitWiden(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kPack: {
      const int low = Use(inst.args[0], part);
      const int high = Use(inst.args[1], part);
      // Lanes 0, 1, 4, 5 and lanes 2, 3, 6, 7.
      a.vpunpckldq(Y(kT0), Y(low), Y(high));
      a.vpunpckhdq(Y(kT1), Y(low), Y(high));
      a.vperm2i128(Y(Def(v, part, 0)), Y(kT0), Y(kT1), 0x20);
      a.vperm2i128(Y(Def(v, part, 1)), Y(kT0), Y(kT1), 0x31);
      return true;
    }
    case Op::kLow:
    case Op::kHigh: {
      const int x = Use(inst.args[0], part, 0);
      const int y = Use(inst.args[0], part, 1);
      a.vshufps(Y(kT0), Y(x), Y(y), inst.op == Op::kLow ? kEvenDwords : kOddDwords);
      FreeDying(inst, part);
      a.vpermq(Y(Def(v, part)), Y(kT0), kSwapMiddle);
      return true;
    }
    case Op::kZext:
    case Op::kSext: {
      const uint32_t id = inst.op == Op::kZext ? Id::kIdVpmovzxdq : Id::kIdVpmovsxdq;
      const int x = Use(inst.args[0], part);
      a.emit(id, Y(Def(v, part, 0)), X(x));
      a.vextracti128(X(kT0), Y(x), 1);
      a.emit(id, Y(Def(v, part, 1)), X(kT0));
      return true;
    }
    case Op::kMulWideU:
    case Op::kMulWideS: {
      // The multiplication looks at the low dword of each quadword only.
      const uint32_t multiply = inst.op == Op::kMulWideS ? Id::kIdVpmuldq : Id::kIdVpmuludq;
      const int x = Use(inst.args[0], part);
      const int y = Use(inst.args[1], part);
      for (int c = 0; c < 2; ++c) {
        const int d = Def(v, part, c);
        if (c == 0) {
          a.vpmovzxdq(Y(kT0), X(x));
          a.vpmovzxdq(Y(kT1), X(y));
        } else {
          a.vextracti128(X(kT0), Y(x), 1);
          a.vextracti128(X(kT1), Y(y), 1);
          a.vpmovzxdq(Y(kT0), X(kT0));
          a.vpmovzxdq(Y(kT1), X(kT1));
        }
        a.emit(multiply, Y(d), Y(kT0), Y(kT1));
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace gcnjit::backend::avx2
