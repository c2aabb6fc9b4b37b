// Moves, integer arithmetic, shifts, compares and masks.
#include <algorithm>
#include <array>
#include <utility>

#include "backend_x64/isa/avx512/lanes.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

// ---- Registers and memory

void LaneEmitter::LoadVector(int reg, const x86::Mem& from) { a.vmovups(Z(reg), from); }
void LaneEmitter::StoreVector(const x86::Mem& to, int reg) { a.vmovups(to, Z(reg)); }
void LaneEmitter::Broadcast32(int reg, const x86::Mem& from) {
  x86::Mem dword = from;
  dword.setSize(4);
  a.vpbroadcastd(Z(reg), dword);
}
void LaneEmitter::Broadcast64(int reg, const x86::Mem& from) {
  x86::Mem quad = from;
  quad.setSize(8);
  a.vpbroadcastq(Z(reg), quad);
}
void LaneEmitter::LoadMask(int reg, const x86::Mem& from) {
  x86::Mem word = from;
  word.setSize(2);
  a.kmovw(K(reg), word);
}
void LaneEmitter::StoreMask(const x86::Mem& to, int reg) {
  x86::Mem word = to;
  word.setSize(2);
  a.kmovw(word, K(reg));
}
void LaneEmitter::SetMask(int reg, bool ones) {
  if (ones) {
    a.kxnorw(K(reg), K(reg), K(reg));
  } else {
    a.kxorw(K(reg), K(reg), K(reg));
  }
}

void LaneEmitter::MoveVector(int to, int from) { a.vmovdqa32(Z(to), Z(from)); }
void LaneEmitter::MoveMask(int to, int from) { a.kmovw(K(to), K(from)); }

void LaneEmitter::TestMasks(const std::vector<int>& masks) {
  int any = masks.front();
  for (size_t n = 1; n + 1 < masks.size(); ++n) {
    a.korw(K(kM1), K(any), K(masks[n]));
    any = kM1;
  }
  a.kortestw(K(any), K(masks.back()));
}

void LaneEmitter::AddToWaveMask(int gpr, int part, int mask) {
  const x86::Gp wave = x86::gpq(static_cast<uint32_t>(gpr));
  if (part == 0) {
    a.kmovw(wave.r32(), K(mask));
    return;
  }
  a.kmovw(x86::eax, K(mask));
  a.shl(x86::rax, part * kLanesPerRegister);
  a.or_(wave, x86::rax);
}
void LaneEmitter::StoreWholeMask(const x86::Mem& to, int mask0, int mask1, int mask2, int mask3) {
  x86::Mem quad = to;
  quad.setSize(8);
  a.kunpckwd(K(kM0), K(mask1), K(mask0));
  a.kunpckwd(K(kM1), K(mask3), K(mask2));
  a.kunpckdq(K(kM0), K(kM1), K(kM0));
  a.kmovq(quad, K(kM0));
}

asmjit::Operand LaneEmitter::Source(V v, int part, int component) {
  if (const auto memory = MemoryOperand(v, part, component)) return *memory;
  if (!IsLaneValue(v) && parts() <= 2 && !IsHeldOrWantedAgain(v)) {
    x86::Mem memory = ScalarMemory(v);
    if (InstOf(v).type == Type::kU64) {
      memory.setSize(8);
      return memory._1to8();
    }
    memory.setSize(4);
    return memory._1to16();
  }
  return Z(Use(v, part, component));
}

void LaneEmitter::EmitPart(Value v, const Inst& inst, int part) {
  const bool done = EmitInteger(v, inst, part) || EmitShift(v, inst, part) ||
                    EmitCompare(v, inst, part) || EmitMaskLogic(v, inst, part) ||
                    EmitWiden(v, inst, part) || EmitBits(v, inst, part) ||
                    EmitFloat(v, inst, part) || EmitConversion(v, inst, part);
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
      a.emit(id64, Z(Def(v, part, c)), Z(x), y);
    }
    return;
  }
  const int x = Use(first, part);
  const asmjit::Operand y = Source(second, part);
  FreeDying(inst, part);
  a.emit(id32, Z(Def(v, part)), Z(x), y);
}

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
void LaneEmitter::EmitBitwise(Value v, const Inst& inst, int part) {
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

void LaneEmitter::EmitMulHigh(Value v, const Inst& inst, int part) {
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

bool LaneEmitter::EmitInteger(Value v, const Inst& inst, int part) {
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
      a.vpaddd(Z(d), Z(d), shared_.constants.Whole(iota));
      return true;
    }
    default: return false;
  }
}

// ---- Shifts

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

// ---- Compares and masks

namespace {
struct Comparison {
  uint32_t narrow = 0;  // the instruction for 32-bit lanes
  uint32_t wide = 0;
  int predicate = 0;  // predicate ^ 4 is its opposite
};
Comparison ComparisonOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kEq: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 0};
    case Op::kNe: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 4};
    case Op::kLtU: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 1};
    case Op::kLeU: return {Id::kIdVpcmpud, Id::kIdVpcmpuq, 2};
    case Op::kLtS: return {Id::kIdVpcmpd, Id::kIdVpcmpq, 1};
    case Op::kLeS: return {Id::kIdVpcmpd, Id::kIdVpcmpq, 2};
    case Op::kFCmp: return {Id::kIdVcmpps, Id::kIdVcmppd, static_cast<int>(inst.imm & 31)};
    default: return {};
  }
}
}  // namespace

bool LaneEmitter::EmitCompare(Value v, const Inst& inst, int part) {
  const Comparison comparison = ComparisonOf(inst);
  if (comparison.wide == 0) return false;
  if (inst.op == Op::kFCmp) SetEnv(inst.env());
  if (!ir::Is64(InstOf(inst.args[0]).type) && !ir::Is64(InstOf(inst.args[1]).type)) {
    EmitNarrowCompare(v, inst, inst, /*mask=*/-1, part);
    return true;
  }
  for (int c = 0; c < 2; ++c) {
    const int x = Use(inst.args[0], part, c);
    const int y = Use(inst.args[1], part, c);
    a.emit(comparison.wide, K(c == 0 ? kM0 : kM1), Z(x), Z(y), asmjit::imm(comparison.predicate));
  }
  a.kunpckbw(K(DefMask(v, part)), K(kM1), K(kM0));
  return true;
}

// `inst` is the compare itself, or the `and` or `andnot` of the mask and the compare.
void LaneEmitter::EmitNarrowCompare(Value v, const Inst& inst, const Inst& compare, int mask,
                                    int part) {
  const Comparison comparison = ComparisonOf(compare);
  const int x = Use(compare.args[0], part);
  const asmjit::Operand y = Source(compare.args[1], part);
  FreeDying(inst, part);
  FreeDying(compare, part);
  const int to = DefMask(v, part);
  const int opposite = inst.op == Op::kAndNot ? 4 : 0;
  Under(a, mask).emit(comparison.narrow, K(to), Z(x), y,
                      asmjit::imm(comparison.predicate ^ opposite));
}

bool LaneEmitter::EmitMaskLogic(Value v, const Inst& inst, int part) {
  if (inst.type != Type::kU64) return false;
  if (const Value fused = FusedCompare(inst)) {
    const Inst& compare = InstOf(fused);
    if (compare.op == Op::kFCmp) SetEnv(compare.env());
    const int mask = UseMask(inst.args[inst.args[0] == fused ? 1 : 0], part);
    EmitNarrowCompare(v, inst, compare, mask, part);
    return true;
  }
  uint32_t id = 0;
  switch (inst.op) {
    case Op::kAnd: id = Id::kIdKandw; break;
    case Op::kOr: id = Id::kIdKorw; break;
    case Op::kXor: id = Id::kIdKxorw; break;
    case Op::kAndNot: {
      const int x = UseMask(inst.args[0], part);
      const int y = UseMask(inst.args[1], part);
      FreeDying(inst, part);
      a.kandnw(K(DefMask(v, part)), K(y), K(x));
      return true;
    }
    case Op::kNot: {
      const int x = UseMask(inst.args[0], part);
      FreeDying(inst, part);
      a.knotw(K(DefMask(v, part)), K(x));
      return true;
    }
    default: return false;
  }
  const int x = UseMask(inst.args[0], part);
  const int y = UseMask(inst.args[1], part);
  FreeDying(inst, part);
  a.emit(id, K(DefMask(v, part)), K(x), K(y));
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

bool LaneEmitter::EmitWiden(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kPack: {
      const int low = Use(inst.args[0], part);
      const int high = Use(inst.args[1], part);
      for (int c = 0; c < 2; ++c) {
        const int d = Def(v, part, c);
        a.vmovdqa32(Z(d), shared_.constants.Whole(Indices(true, c)));
        a.vpermi2d(Z(d), Z(low), Z(high));
      }
      return true;
    }
    case Op::kLow:
    case Op::kHigh: {
      const int x = Use(inst.args[0], part, 0);
      const int y = Use(inst.args[0], part, 1);
      a.vmovdqa32(Z(kT0), shared_.constants.Whole(Indices(false, inst.op == Op::kHigh)));
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

// ---- Bits and bytes

bool LaneEmitter::EmitBits(Value v, const Inst& inst, int part) {
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
      a.vpshufb(Z(kT0), Z(x), shared_.constants.Whole(bytes));
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
      a.vpord(Z(kT0), Z(kT0), shared_.constants.Whole(base));
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
