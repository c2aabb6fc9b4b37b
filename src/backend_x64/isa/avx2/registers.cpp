#include "backend_x64/isa/avx2/registers.h"

#include <algorithm>

namespace gcnjit::backend::avx2 {

using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr int kAll = 3;

bool HasLanes(const Function& function, const Inst& inst) {
  return ir::IsLanes(inst.type) ||
         std::any_of(inst.args, inst.args + inst.argument_count,
                     [&](Value v) { return ir::IsLanes(function[v].type); });
}

// How many of kT0, kT1, .. the code of an operation changes. A number too many costs little.
int ScratchOf(const Function& function, const Inst& inst) {
  const bool has_lanes = HasLanes(function, inst);
  const bool is_wide = inst.argument_count != 0 && ir::Is64(function[inst.args[0]].type);
  switch (inst.op) {
    case Op::kConst:
    case Op::kLaneId:
    case Op::kGetSgpr:
    case Op::kGetSgpr64:
    case Op::kGetVgpr:
    case Op::kGetScc:
    case Op::kSetSgpr:
    case Op::kSetSgpr64:
    case Op::kSetVgpr:
    case Op::kGetVgprAt:
    case Op::kSetVgprAt:
    case Op::kSetScc:
    case Op::kGuard:
    case Op::kNoteExec:
    case Op::kSkipped:
    case Op::kJump:
    case Op::kBranch:
    case Op::kProceed:
    case Op::kExit:
    case Op::kLoadScalar:
    case Op::kPart:
    case Op::kAdd:
    case Op::kSub:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot:
    case Op::kNot:
    case Op::kMinU:
    case Op::kMinS:
    case Op::kMaxU:
    case Op::kMaxS:
    case Op::kMul:
    case Op::kShl:
    case Op::kLshr:
    case Op::kSelect:
    case Op::kZext:
    case Op::kSext:
    case Op::kPack:
    case Op::kLow:
    case Op::kHigh: return 1;
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kFDiv:
    case Op::kFSqrt:
    case Op::kFRound: return has_lanes ? 1 : kAll;
    case Op::kAshr:
    case Op::kEq:
    case Op::kNe:
    case Op::kLtS:
    case Op::kLeS: return is_wide ? 2 : 1;
    case Op::kFCmp: return inst.type == Type::kU1 ? kAll : is_wide ? 2 : 1;
    // As lanes, if they make a mask.
    case Op::kLtU:
    case Op::kLeU: return inst.type == Type::kU1 ? 1 : kAll;
    case Op::kFshr: return !has_lanes ? 1 : function[inst.args[2]].op == Op::kConst ? 2 : kAll;
    case Op::kMulWideU:
    case Op::kMulWideS: return has_lanes ? 2 : 1;
    case Op::kMulHiU:
    case Op::kMulHiS: return has_lanes ? kAll : 1;
    default: return kAll;
  }
}

}  // namespace

uint32_t RegistersOfValues(const Function& function, const ir::Block& block) {
  int scratch = 1;
  for (const Value v : block.insts) scratch = std::max(scratch, ScratchOf(function, function[v]));
  uint32_t registers = 0xFFFF & ~(1u << kT0);
  if (scratch > 1) registers &= ~(1u << kT1);
  if (scratch > 2) registers &= ~(1u << kT2);
  return registers;
}

}  // namespace gcnjit::backend::avx2
