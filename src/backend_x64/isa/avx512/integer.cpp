// Integer arithmetic, shifts, and values of 64 bits a lane.
#include "backend_x64/isa/avx512/integer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

namespace {
// The truth table of the same function if its arguments come in another order: `order[n]` is the
// number, in the old order, of the new argument n.
uint8_t Reordered(uint8_t table, const std::array<int, 3>& order) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    uint32_t old_row = 0;
    for (int n = 0; n < 3; ++n) old_row |= (row >> (2 - n) & 1) << (2 - order[n]);
    result |= static_cast<uint32_t>(table >> old_row & 1) << row;
  }
  return static_cast<uint8_t>(result);
}
}  // namespace

// The host's instruction overwrites its first operand, for which one that dies is best; its last
// operand may be in memory.
void IntegerCode::EmitBitwise(Value v, const Inst& inst, int part) {
  const auto dies = [&](Value x) {
    return std::count(inst.args, inst.args + 3, x) == 1 && IsLaneValue(x) && Dies(x, part);
  };
  std::array<int, 3> order = {0, 1, 2};
  for (int n = 0; n < 3; ++n) {
    if (!dies(inst.args[n])) continue;
    std::swap(order[0], order[n]);
    break;
  }
  const Value first = inst.args[order[0]];
  const int x = Use(first, part);
  const int y = Use(inst.args[order[1]], part);
  const asmjit::Operand z = Source(inst.args[order[2]], part);
  const int d = dies(first) ? TakeOver(first, part, v) : Def(v, part);
  if (d != x) a.vmovdqa32(Z(d), Z(x));
  a.emit(Id::kIdVpternlogd, Z(d), Z(y), z,
         asmjit::imm(Reordered(static_cast<uint8_t>(inst.imm), order)));
}

void IntegerCode::EmitMulHigh(Value v, const Inst& inst, int part) {
  const bool is_signed = inst.op == Op::kMulHiS;
  const int x = Use(inst.args[0], part);
  const int y = Use(inst.args[1], part);
  const uint32_t multiply = is_signed ? Id::kIdVpmuldq : Id::kIdVpmuludq;
  a.emit(multiply, Z(kT0), Z(x), Z(y));
  a.vpsrlq(Z(kT1), Z(x), 32);
  a.vpsrlq(Z(kT2), Z(y), 32);
  a.emit(multiply, Z(kT1), Z(kT1), Z(kT2));
  a.mov(x86::eax, 0xAAAA);
  a.kmovw(K(kM0), x86::eax);
  FreeDying(inst, part);
  const int d = Def(v, part);
  a.vpsrlq(Z(d), Z(kT0), 32);
  a.k(K(kM0)).vmovdqa32(Z(d), Z(kT1));
}

namespace {
// Of an operation's source: the move that brings it to a register. Takes the broadcast off the
// operand where that is the instruction's.
x86::Inst::Id MoveOf(asmjit::Operand& source) {
  if (!source.isMem()) return Id::kIdVmovdqa32;
  x86::Mem& memory = source.as<x86::Mem>();
  if (!memory.hasBroadcast()) return Id::kIdVmovdqu32;
  memory.setBroadcast(x86::Mem::Broadcast::kNone);
  return Id::kIdVpbroadcastd;
}
}  // namespace

bool IntegerCode::EmitInteger(Value v, const Inst& inst, int part) {
  if (!ir::IsLanes(inst.type)) return false;
  // A scalar first operand of a commutative operation goes second, where memory may stand.
  const bool swap = inst.argument_count == 2 && !IsLaneValue(inst.args[0]);
  switch (inst.op) {
    case Op::kAdd: Binary(v, inst, part, Id::kIdVpaddd, Id::kIdVpaddq, swap); return true;
    case Op::kSub: Binary(v, inst, part, Id::kIdVpsubd, Id::kIdVpsubq); return true;
    case Op::kMul: Binary(v, inst, part, Id::kIdVpmulld, Id::kIdVpmullq, swap); return true;
    case Op::kAnd: Binary(v, inst, part, Id::kIdVpandd, Id::kIdVpandq, swap); return true;
    case Op::kOr: Binary(v, inst, part, Id::kIdVpord, Id::kIdVporq, swap); return true;
    case Op::kXor: Binary(v, inst, part, Id::kIdVpxord, Id::kIdVpxorq, swap); return true;
    case Op::kAndNot: Binary(v, inst, part, Id::kIdVpandnd, Id::kIdVpandnq, true); return true;
    case Op::kMinU: Binary(v, inst, part, Id::kIdVpminud, Id::kIdVpminuq, swap); return true;
    case Op::kMaxU: Binary(v, inst, part, Id::kIdVpmaxud, Id::kIdVpmaxuq, swap); return true;
    case Op::kMinS: Binary(v, inst, part, Id::kIdVpminsd, Id::kIdVpminsq, swap); return true;
    case Op::kMaxS: Binary(v, inst, part, Id::kIdVpmaxsd, Id::kIdVpmaxsq, swap); return true;
    case Op::kMulHiU:
    case Op::kMulHiS: EmitMulHigh(v, inst, part); return true;
    case Op::kNot:
      for (int c = 0; c < (inst.type == Type::kV64 ? 2 : 1); ++c) {
        const int x = Use(inst.args[0], part, c);
        a.vpternlogd(Z(Def(v, part, c)), Z(x), Z(x), 0x55);
      }
      return true;
    case Op::kBitwise: EmitBitwise(v, inst, part); return true;
    case Op::kSelect: {
      const int mask = UseMask(inst.args[0], part);
      if (inst.type == Type::kV64) {
        a.kshiftrw(K(kM0), K(mask), 8);
        for (int c = 0; c < 2; ++c) {
          const int x = Use(inst.args[1], part, c);
          const int y = Use(inst.args[2], part, c);
          const int d = Def(v, part, c);  // may spill: before the mask is chosen
          a.k(c == 0 ? K(mask) : K(kM0)).vpblendmq(Z(d), Z(y), Z(x));
        }
        return true;
      }
      uint64_t other = 0;
      if (IsConst(inst.args[2], &other) && other == 0) {
        asmjit::Operand x = Source(inst.args[1], part);
        const x86::Inst::Id move = MoveOf(x);
        FreeDying(inst, part);
        const int d = Def(v, part);
        a.k(K(mask)).z();
        a.emit(move, Z(d), x);
        return true;
      }
      const int y = Use(inst.args[2], part);
      const asmjit::Operand x = Source(inst.args[1], part);
      FreeDying(inst, part);
      const int d = Def(v, part);
      a.k(K(mask));
      a.emit(Id::kIdVpblendmd, Z(d), Z(y), x);
      return true;
    }
    case Op::kLaneId: {
      const int d = Def(v, part);
      ConstantPool::Vector iota;
      for (uint32_t n = 0; n < 16; ++n) iota[n] = n;
      a.mov(x86::eax, x86::r15d);
      a.shl(x86::eax, 3);
      if (part != 0) a.add(x86::eax, part * 16);
      a.vpbroadcastd(Z(d), x86::eax);
      a.vpaddd(Z(d), Z(d), b_.region.constants.Whole(iota));
      return true;
    }
    default: return false;
  }
}

// ---- Shifts

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
      by_constant32 = Id::kIdVpsrad, by_constant64 = Id::kIdVpsraq;
      by_lane32 = Id::kIdVpsravd, by_lane64 = Id::kIdVpsravq;
      break;
    case Op::kFshr: {
      uint64_t count = 0;
      const int high = Use(inst.args[0], part);
      const int low = Use(inst.args[1], part);
      if (IsConst(inst.args[2], &count)) {
        count &= 31;
        if (inst.args[0] == inst.args[1]) {
          FreeDying(inst, part);
          a.vprord(Z(Def(v, part)), Z(low), count);
          return true;
        }
        if (count == 0) {
          FreeDying(inst, part);
          a.vmovdqa32(Z(Def(v, part)), Z(low));
          return true;
        }
        a.vpsrld(Z(kT0), Z(low), count);
        a.vpslld(Z(kT1), Z(high), 32 - count);
      } else {
        const int counts = Use(inst.args[2], part);
        x86::Mem mask = Constant32(31);
        a.vpandd(Z(kT2), Z(counts), mask._1to16());
        a.vpsrlvd(Z(kT0), Z(low), Z(kT2));
        // A shift by 32 gives 0, as it should for a count of 0.
        x86::Mem width = Constant32(32);
        a.vpbroadcastd(Z(kT1), width);
        a.vpsubd(Z(kT2), Z(kT1), Z(kT2));
        a.vpsllvd(Z(kT1), Z(high), Z(kT2));
      }
      FreeDying(inst, part);
      a.vpord(Z(Def(v, part)), Z(kT0), Z(kT1));
      return true;
    }
    default: return false;
  }
  uint64_t count = 0;
  const bool constant = IsConst(inst.args[1], &count);
  if (inst.type == Type::kV64) {
    for (int c = 0; c < 2; ++c) {
      const int x = Use(inst.args[0], part, c);
      if (constant) {
        a.emit(by_constant64, Z(Def(v, part, c)), Z(x), asmjit::imm(count & 63));
        continue;
      }
      const int counts = Use(inst.args[1], part);
      if (c == 0) {
        a.vpmovzxdq(Z(kT0), Y(counts));
      } else {
        a.vextracti64x4(Y(kT0), Z(counts), 1);
        a.vpmovzxdq(Z(kT0), Y(kT0));
      }
      a.vpandq(Z(kT0), Z(kT0), Constant64(63)._1to8());
      a.emit(by_lane64, Z(Def(v, part, c)), Z(x), Z(kT0));
    }
    return true;
  }
  const int x = Use(inst.args[0], part);
  if (constant) {
    FreeDying(inst, part);
    a.emit(by_constant32, Z(Def(v, part)), Z(x), asmjit::imm(count & 31));
    return true;
  }
  const int counts = Use(inst.args[1], part);
  a.vpandd(Z(kT0), Z(counts), Constant32(31)._1to16());
  FreeDying(inst, part);
  a.emit(by_lane32, Z(Def(v, part)), Z(x), Z(kT0));
  return true;
}

// ---- 64-bit values and their halves. A v64 is two registers: lanes 0-7 and 8-15 of the part.

namespace {
ConstantPool::Vector Indices(bool interleave, int component) {
  ConstantPool::Vector indices;
  for (uint32_t n = 0; n < 16; ++n) {
    if (interleave) {
      indices[n] = n / 2 + (component != 0 ? 8 : 0) + (n % 2 != 0 ? 16 : 0);
    } else {
      indices[n] = n * 2 + (component != 0 ? 1 : 0);  // even or odd dwords of two registers
    }
  }
  return indices;
}
}  // namespace

bool IntegerCode::EmitWiden(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kPack: {
      const int low = Use(inst.args[0], part);
      const int high = Use(inst.args[1], part);
      for (int c = 0; c < 2; ++c) {
        const int d = Def(v, part, c);
        a.vmovdqa32(Z(d), b_.region.constants.Whole(Indices(true, c)));
        a.vpermi2d(Z(d), Z(low), Z(high));
      }
      return true;
    }
    case Op::kLow:
    case Op::kHigh: {
      const int x = Use(inst.args[0], part, 0);
      const int y = Use(inst.args[0], part, 1);
      a.vmovdqa32(Z(kT0), b_.region.constants.Whole(Indices(false, inst.op == Op::kHigh)));
      a.vpermi2d(Z(kT0), Z(x), Z(y));
      FreeDying(inst, part);
      a.vmovdqa32(Z(Def(v, part)), Z(kT0));
      return true;
    }
    case Op::kZext:
    case Op::kSext: {
      const uint32_t id = inst.op == Op::kZext ? Id::kIdVpmovzxdq : Id::kIdVpmovsxdq;
      const int x = Use(inst.args[0], part);
      a.emit(id, Z(Def(v, part, 0)), Y(x));
      a.vextracti64x4(Y(kT0), Z(x), 1);
      a.emit(id, Z(Def(v, part, 1)), Y(kT0));
      return true;
    }
    case Op::kMulWideU:
    case Op::kMulWideS: {
      const bool is_signed = inst.op == Op::kMulWideS;
      const uint32_t widen = is_signed ? Id::kIdVpmovsxdq : Id::kIdVpmovzxdq;
      const uint32_t multiply = is_signed ? Id::kIdVpmuldq : Id::kIdVpmuludq;
      const int x = Use(inst.args[0], part);
      const int y = Use(inst.args[1], part);
      for (int c = 0; c < 2; ++c) {
        if (c == 0) {
          a.emit(widen, Z(kT0), Y(x));
          a.emit(widen, Z(kT1), Y(y));
        } else {
          a.vextracti64x4(Y(kT0), Z(x), 1);
          a.vextracti64x4(Y(kT1), Z(y), 1);
          a.emit(widen, Z(kT0), Y(kT0));
          a.emit(widen, Z(kT1), Y(kT1));
        }
        a.emit(multiply, Z(Def(v, part, c)), Z(kT0), Z(kT1));
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace gcnjit::backend::avx512
