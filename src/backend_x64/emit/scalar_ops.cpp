// Scalar operations of a block. rax, rcx and rdx are scratch.
#include "backend_x64/emit/scalar_code.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {
constexpr int kRax = 0;
constexpr int kRcx = 1;
constexpr int kRdx = 2;
}  // namespace

void ScalarCode::Move(int to, int from, bool wide) {
  if (to != from) a.mov(Gp(to, wide), Gp(from, wide));
}

bool ScalarCode::EmitArithmetic(Value v, const Inst& inst) {
  const bool wide = ir::Is64(inst.type);
  // The result is made where the first operand is if that dies, else in a register that may be the
  // second one's.
  const auto binary = [&](asmjit::x86::Inst::Id id, bool commutes = true) {
    uint64_t constant = 0;
    const bool by_immediate =
        block_.IsConst(inst.args[1], &constant) && FitsImmediate(constant, wide);
    const int x = scalars_.Use(inst.args[0]);
    const int y = by_immediate ? -1 : scalars_.Use(inst.args[1]);
    scalars_.FreeDying(inst);
    const int to = scalars_.DefAt(v, x);
    if (by_immediate) {
      Move(to, x, wide);
      a.emit(id, Gp(to, wide),
             asmjit::imm(wide ? static_cast<int64_t>(constant)
                              : static_cast<int64_t>(static_cast<int32_t>(constant))));
    } else if (to != y || x == y) {
      Move(to, x, wide);
      a.emit(id, Gp(to, wide), Gp(y, wide));
    } else if (commutes) {
      a.emit(id, Gp(to, wide), Gp(x, wide));
    } else {
      a.mov(Gp(kRax, wide), Gp(x, wide));
      a.emit(id, Gp(kRax, wide), Gp(y, wide));
      a.mov(Gp(to, wide), Gp(kRax, wide));
    }
    return true;
  };
  const auto shift = [&](asmjit::x86::Inst::Id by_immediate, asmjit::x86::Inst::Id by_register) {
    uint64_t constant = 0;
    const bool is_constant = block_.IsConst(inst.args[1], &constant);
    const int x = scalars_.Use(inst.args[0]);
    const int y = is_constant ? -1 : scalars_.Use(inst.args[1]);
    scalars_.FreeDying(inst);
    const int to = scalars_.DefAt(v, x);
    if (is_constant) {
      Move(to, x, wide);
      a.emit(by_immediate, Gp(to, wide), asmjit::imm(constant & (wide ? 63 : 31)));
    } else {
      a.emit(by_register, Gp(to, wide), Gp(x, wide), Gp(y, wide));
    }
    return true;
  };
  const auto unary = [&](const auto& emit) {
    const int x = scalars_.Use(inst.args[0]);
    scalars_.FreeDying(inst);
    emit(scalars_.DefAt(v, x), x);
    return true;
  };
  namespace Id = asmjit::x86::Inst;
  switch (inst.op) {
    case Op::kAdd: return binary(Id::kIdAdd);
    case Op::kSub: return binary(Id::kIdSub, /*commutes=*/false);
    case Op::kMul: return binary(Id::kIdImul);
    case Op::kAnd: return binary(Id::kIdAnd);
    case Op::kOr: return binary(Id::kIdOr);
    case Op::kXor: return binary(Id::kIdXor);
    case Op::kAndNot: {
      const int x = scalars_.Use(inst.args[0]);
      const int y = scalars_.Use(inst.args[1]);
      scalars_.FreeDying(inst);
      a.emit(Id::kIdAndn, Gp(scalars_.DefAt(v, x), wide), Gp(y, wide), Gp(x, wide));
      return true;
    }
    case Op::kShl: return shift(Id::kIdShl, Id::kIdShlx);
    case Op::kLshr: return shift(Id::kIdShr, Id::kIdShrx);
    case Op::kAshr: return shift(Id::kIdSar, Id::kIdSarx);
    case Op::kNot:
      return unary([&](int to, int x) {
        Move(to, x, wide);
        if (inst.type == Type::kU1) {
          a.xor_(Gp(to, false), 1);
        } else {
          a.not_(Gp(to, wide));
        }
      });
    case Op::kLow:
    case Op::kZext: return unary([&](int to, int x) { a.mov(Gp(to, false), Gp(x, false)); });
    case Op::kHigh:
      return unary([&](int to, int x) {
        Move(to, x, true);
        a.shr(Gp(to, true), 32);
      });
    case Op::kSext: return unary([&](int to, int x) { a.movsxd(Gp(to, true), Gp(x, false)); });
    case Op::kSext8:
      return unary([&](int to, int x) {
        a.mov(x86::eax, Gp(x, false));
        a.movsx(Gp(to, false), x86::al);
      });
    case Op::kSext16:
      return unary([&](int to, int x) {
        a.mov(x86::eax, Gp(x, false));
        a.movsx(Gp(to, false), x86::ax);
      });
    case Op::kPack: {
      const int low = scalars_.Use(inst.args[0]);
      const int high = scalars_.Use(inst.args[1]);
      scalars_.FreeDying(inst);
      const int to = scalars_.DefAt(v, high);
      a.mov(x86::eax, Gp(low, false));
      Move(to, high, true);
      a.shl(Gp(to, true), 32);
      a.or_(Gp(to, true), x86::rax);
      return true;
    }
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kMulHiU:
    case Op::kMulHiS: {
      const bool is_signed = inst.op == Op::kMulWideS || inst.op == Op::kMulHiS;
      const int x = scalars_.Use(inst.args[0]);
      const int y = scalars_.Use(inst.args[1]);
      if (is_signed) {
        a.movsxd(x86::rax, Gp(x, false));
        a.movsxd(x86::rcx, Gp(y, false));
      } else {
        a.mov(x86::eax, Gp(x, false));
        a.mov(x86::ecx, Gp(y, false));
      }
      a.imul(x86::rax, x86::rcx);
      if (inst.op == Op::kMulHiU || inst.op == Op::kMulHiS) a.shr(x86::rax, 32);
      scalars_.FreeDying(inst);
      a.mov(Gp(scalars_.Def(v), wide), Gp(kRax, wide));
      return true;
    }
    default: return false;
  }
}

std::optional<x86::CondCode> ScalarCode::FlagsOf(Op compare) {
  using Cond = x86::CondCode;
  switch (compare) {
    case Op::kEq: return Cond::kE;
    case Op::kNe: return Cond::kNE;
    case Op::kLtU: return Cond::kB;
    case Op::kLeU: return Cond::kBE;
    case Op::kLtS: return Cond::kL;
    case Op::kLeS: return Cond::kLE;
    default: return std::nullopt;
  }
}

void ScalarCode::EmitFlags(const Inst& compare) {
  const bool wide = ir::Is64(block_.function[compare.args[0]].type);
  const int x = scalars_.Use(compare.args[0]);
  uint64_t constant = 0;
  if (!block_.IsConst(compare.args[1], &constant) || !FitsImmediate(constant, wide)) {
    a.cmp(Gp(x, wide), Gp(scalars_.Use(compare.args[1]), wide));
  } else if (constant == 0) {
    a.test(Gp(x, wide), Gp(x, wide));  // the same flags
  } else {
    a.cmp(Gp(x, wide), wide ? static_cast<int64_t>(constant)
                            : static_cast<int64_t>(static_cast<int32_t>(constant)));
  }
}

bool ScalarCode::EmitCompare(Value v, const Inst& inst) {
  switch (inst.op) {
    case Op::kMinU:
    case Op::kMinS:
    case Op::kMaxU:
    case Op::kMaxS: {
      const int x = scalars_.Use(inst.args[0]);
      const int y = scalars_.Use(inst.args[1]);
      a.mov(x86::eax, Gp(x, false));
      a.cmp(Gp(y, false), x86::eax);
      switch (inst.op) {
        case Op::kMinU: a.cmovb(x86::eax, Gp(y, false).as<x86::Gp>()); break;
        case Op::kMinS: a.cmovl(x86::eax, Gp(y, false).as<x86::Gp>()); break;
        case Op::kMaxU: a.cmova(x86::eax, Gp(y, false).as<x86::Gp>()); break;
        default: a.cmovg(x86::eax, Gp(y, false).as<x86::Gp>()); break;
      }
      scalars_.FreeDying(inst);
      a.mov(Gp(scalars_.Def(v), false), x86::eax);
      return true;
    }
    case Op::kSelect: {
      const bool wide = ir::Is64(inst.type);
      if (ir::IsAllOrNone(block_.function, inst)) {
        const int x = scalars_.Use(inst.args[0]);
        scalars_.FreeDying(inst);
        const int to = scalars_.DefAt(v, x);
        Move(to, x, false);
        a.neg(Gp(to, true));
        return true;
      }
      const int cond = scalars_.Use(inst.args[0]);
      const int x = scalars_.Use(inst.args[1]);
      const int y = scalars_.Use(inst.args[2]);
      a.mov(Gp(kRax, wide), Gp(y, wide));
      a.test(Gp(cond, false), Gp(cond, false));
      a.cmovnz(Gp(kRax, wide), Gp(x, wide));
      scalars_.FreeDying(inst);
      a.mov(Gp(scalars_.Def(v), wide), Gp(kRax, wide));
      return true;
    }
    default: break;
  }
  const std::optional<x86::CondCode> condition = FlagsOf(inst.op);
  if (!condition) return false;
  EmitFlags(inst);
  a.set(*condition, x86::al);
  scalars_.FreeDying(inst);
  a.movzx(Gp(scalars_.Def(v), false), x86::al);
  return true;
}

bool ScalarCode::EmitBits(Value v, const Inst& inst) {
  const bool wide = ir::Is64(block_.function[inst.args[0]].type);
  const auto finish = [&] {
    scalars_.FreeDying(inst);
    const bool wide_result = ir::Is64(inst.type);
    a.mov(Gp(scalars_.Def(v), wide_result), Gp(kRax, wide_result));
    return true;
  };
  switch (inst.op) {
    case Op::kPopcount:
      a.popcnt(Gp(kRax, wide), Gp(scalars_.Use(inst.args[0]), wide));
      return finish();
    case Op::kClz: a.lzcnt(Gp(kRax, wide), Gp(scalars_.Use(inst.args[0]), wide)); return finish();
    case Op::kCtz: a.tzcnt(Gp(kRax, wide), Gp(scalars_.Use(inst.args[0]), wide)); return finish();
    case Op::kFirstLane: {
      a.mov(x86::rcx, Gp(scalars_.Use(inst.args[0]), true));
      a.xor_(x86::eax, x86::eax);
      a.test(x86::rcx, x86::rcx);
      a.bsf(x86::rcx, x86::rcx);
      a.cmovnz(x86::eax, x86::ecx);
      return finish();
    }
    case Op::kFshr: {
      const int high = scalars_.Use(inst.args[0]);
      const int low = scalars_.Use(inst.args[1]);
      a.mov(x86::ecx, Gp(scalars_.Use(inst.args[2]), false));
      a.mov(x86::eax, Gp(low, false));
      a.shrd(x86::eax, Gp(high, false), x86::cl);
      return finish();
    }
    case Op::kBitReverse: {
      const int x = scalars_.Use(inst.args[0]);
      const auto reg = Gp(kRax, wide);
      const auto other = Gp(kRcx, wide);
      const auto masked = Gp(kRdx, wide);
      a.mov(reg, Gp(x, wide));
      a.bswap(reg);
      constexpr uint64_t kMasks[3] = {0x0F0F0F0F0F0F0F0F, 0x3333333333333333, 0x5555555555555555};
      constexpr int kShifts[3] = {4, 2, 1};
      for (int n = 0; n < 3; ++n) {
        a.mov(masked, wide ? kMasks[n] : kMasks[n] & UINT32_MAX);
        a.mov(other, reg);
        a.shr(other, kShifts[n]);
        a.and_(other, masked);
        a.and_(reg, masked);
        a.shl(reg, kShifts[n]);
        a.or_(reg, other);
      }
      return finish();
    }
    default: return false;
  }
}

}  // namespace gcnjit::backend
