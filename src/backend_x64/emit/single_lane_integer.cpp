// Integer operations of one lane.
#include "backend_x64/emit/single_lane.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;
namespace Id = x86::Inst;

// The function of two values whose results `table` has, at bit b * 2 + c.
x86::Gp SingleLane::OfTwo(int table, Value b, Value c) {
  const x86::Gp result = values_.New(false);
  if (table >= 8 && table != 8 && table != 10 && table != 12 && table != 14) {
    cc_.mov(result, OfTwo(~table & 15, b, c));  // its complement is one of the cases
    cc_.not_(result);
    return result;
  }
  const x86::Gp x = values_.Whole(b), y = values_.Whole(c);
  switch (table) {
    case 0: cc_.mov(result, 0); break;
    case 1:
      cc_.mov(result, x);
      cc_.or_(result, y);
      cc_.not_(result);
      break;
    case 2: cc_.andn(result, x, y); break;
    case 3:
      cc_.mov(result, x);
      cc_.not_(result);
      break;
    case 4: cc_.andn(result, y, x); break;
    case 5:
      cc_.mov(result, y);
      cc_.not_(result);
      break;
    case 6:
    case 7:
    case 8:
    case 14:
      cc_.mov(result, x);
      cc_.emit(table == 6 ? Id::kIdXor : table == 14 ? Id::kIdOr : Id::kIdAnd, result, y);
      if (table == 7) cc_.not_(result);
      break;
    case 10: cc_.mov(result, y); break;
    default: cc_.mov(result, x); break;
  }
  return result;
}

void SingleLane::EmitTable(Value v, const Inst& inst) {
  const x86::Gp a = values_.Whole(inst.args[0]);
  const x86::Gp result = OfTwo(static_cast<int>(inst.imm >> 4 & 15), inst.args[1], inst.args[2]);
  const x86::Gp otherwise = OfTwo(static_cast<int>(inst.imm & 15), inst.args[1], inst.args[2]);
  cc_.and_(result, a);
  cc_.andn(otherwise, a, otherwise);
  cc_.or_(result, otherwise);
  values_.Set(v, result);
}

void SingleLane::EmitBinary(Value v, const Inst& inst, uint32_t id) {
  const asmjit::Operand right = values_.Right(inst.args[1]);
  const x86::Gp result = values_.Copy(inst.args[0]);
  cc_.emit(id, result, right);
  values_.Set(v, result);
}

void SingleLane::EmitShift(Value v, const Inst& inst) {
  const bool wide = ir::Is64(inst.type);
  const Inst& count = block_.function[inst.args[1]];
  if (count.op == Op::kConst) {
    const x86::Gp result = values_.Copy(inst.args[0]);
    cc_.emit(inst.op == Op::kShl    ? Id::kIdShl
             : inst.op == Op::kLshr ? Id::kIdShr
                                    : Id::kIdSar,
             result, asmjit::imm(count.imm & (wide ? 63 : 31)));
    return values_.Set(v, result);
  }
  x86::Gp by = values_.Whole(inst.args[1]);
  if (wide) {
    const x86::Gp whole = values_.New(true);
    cc_.mov(whole.r32(), by.r32());
    by = whole;
  }
  const x86::Gp result = values_.New(wide);
  cc_.emit(inst.op == Op::kShl    ? Id::kIdShlx
           : inst.op == Op::kLshr ? Id::kIdShrx
                                  : Id::kIdSarx,
           result, values_.Whole(inst.args[0]), wide ? by : by.r32());
  values_.Set(v, result);
}

// Of 32 bits each, by way of 64.
void SingleLane::EmitProduct(Value v, const Inst& inst) {
  const bool is_signed = inst.op == Op::kMulHiS || inst.op == Op::kMulWideS;
  const auto extended = [&](Value of) {
    const x86::Gp whole = values_.New(true);
    is_signed ? cc_.movsxd(whole, values_.Whole(of).r32())
              : cc_.mov(whole.r32(), values_.Whole(of).r32());
    return whole;
  };
  const x86::Gp result = extended(inst.args[0]);
  cc_.imul(result, extended(inst.args[1]));
  if (inst.op == Op::kMulWideU || inst.op == Op::kMulWideS) return values_.Set(v, result);
  cc_.shr(result, 32);
  values_.Set(v, result.r32());
}

void SingleLane::EmitMinMax(Value v, const Inst& inst, x86::CondCode keeps_second) {
  const x86::Gp second = values_.Whole(inst.args[1]);
  const x86::Gp result = values_.Copy(inst.args[0]);
  cc_.cmp(result, second);
  cc_.emit(x86::Inst::cmovccFromCond(keeps_second), result, second);
  values_.Set(v, result);
}

bool SingleLane::EmitInteger(Value v, const Inst& inst) {
  const Value x = inst.args[0];
  const auto unary = [&](bool wide, const auto& emit) {
    const x86::Gp result = values_.New(wide);
    emit(result);
    values_.Set(v, result);
    return true;
  };
  switch (inst.op) {
    case Op::kAdd: EmitBinary(v, inst, Id::kIdAdd); return true;
    case Op::kSub: EmitBinary(v, inst, Id::kIdSub); return true;
    case Op::kAnd: EmitBinary(v, inst, Id::kIdAnd); return true;
    case Op::kOr: EmitBinary(v, inst, Id::kIdOr); return true;
    case Op::kXor: EmitBinary(v, inst, Id::kIdXor); return true;
    case Op::kMul: {
      const x86::Gp second = values_.Whole(inst.args[1]);
      const x86::Gp result = values_.Copy(x);
      cc_.imul(result, second);
      values_.Set(v, result);
      return true;
    }
    case Op::kAndNot:
      return unary(ir::Is64(inst.type), [&](const x86::Gp& to) {
        cc_.andn(to, values_.Whole(inst.args[1]), values_.Whole(x));
      });
    case Op::kNot: {
      const x86::Gp result = values_.Copy(x);
      cc_.not_(result);
      values_.Set(v, result);
      return true;
    }
    case Op::kShl:
    case Op::kLshr:
    case Op::kAshr: EmitShift(v, inst); return true;
    case Op::kFshr: {
      const x86::Gp high = values_.Whole(x);
      const x86::Gp result = values_.Copy(inst.args[1]);
      const Inst& count = block_.function[inst.args[2]];
      if (count.op == Op::kConst) {
        cc_.shrd(result, high, static_cast<int>(count.imm & 31));
      } else {
        cc_.shrd(result, high, values_.Whole(inst.args[2]).r8());
      }
      values_.Set(v, result);
      return true;
    }
    case Op::kMulHiU:
    case Op::kMulHiS:
    case Op::kMulWideU:
    case Op::kMulWideS: EmitProduct(v, inst); return true;
    case Op::kMinU: EmitMinMax(v, inst, x86::CondCode::kUnsignedGT); return true;
    case Op::kMaxU: EmitMinMax(v, inst, x86::CondCode::kUnsignedLT); return true;
    case Op::kMinS: EmitMinMax(v, inst, x86::CondCode::kSignedGT); return true;
    case Op::kMaxS: EmitMinMax(v, inst, x86::CondCode::kSignedLT); return true;
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz: {
      const uint32_t id = inst.op == Op::kPopcount ? Id::kIdPopcnt
                          : inst.op == Op::kClz    ? Id::kIdLzcnt
                                                   : Id::kIdTzcnt;
      const x86::Gp result = values_.New(values_.IsWide(x));
      cc_.emit(id, result, values_.Whole(x));
      values_.Set(v, result.r32());
      return true;
    }
    case Op::kSext8:
      return unary(false, [&](const x86::Gp& to) { cc_.movsx(to, values_.Whole(x).r8()); });
    case Op::kSext16:
      return unary(false, [&](const x86::Gp& to) { cc_.movsx(to, values_.Whole(x).r16()); });
    case Op::kPack: {
      const x86::Gp low = values_.New(true), result = values_.New(true);
      cc_.mov(low.r32(), values_.Whole(x).r32());
      cc_.mov(result.r32(), values_.Whole(inst.args[1]).r32());
      cc_.shl(result, 32);
      cc_.or_(result, low);
      values_.Set(v, result);
      return true;
    }
    case Op::kLow:
      return unary(false, [&](const x86::Gp& to) { cc_.mov(to, values_.Whole(x).r32()); });
    case Op::kHigh: {
      const x86::Gp result = values_.Copy(x);
      cc_.shr(result, 32);
      values_.Set(v, result.r32());
      return true;
    }
    case Op::kZext:
      return unary(ir::Is64(inst.type),
                   [&](const x86::Gp& to) { cc_.mov(to.r32(), values_.Whole(x).r32()); });
    case Op::kSext:
      return unary(true, [&](const x86::Gp& to) { cc_.movsxd(to, values_.Whole(x).r32()); });
    default: return false;
  }
}

}  // namespace gcnjit::backend
