// The mask registers that the values of a loop may be in. A divergent loop carries EXEC and at
// least one more mask, each in as many parts as the slice has, so every register counts; and most
// loops have no operation that needs mask scratch 0.
#include "backend_x64/isa/avx512/registers.h"

#include <algorithm>

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// Is the operation's code without mask scratch 0?
bool LeavesScratchAlone(const ir::Function& function, const Inst& inst) {
  if (inst.type == Type::kV64) return false;
  bool has_wide = false;  // a mask, or 64 bits a lane
  for (int n = 0; n < inst.argument_count; ++n) {
    const Type type = function[inst.args[n]].type;
    if (type == Type::kV64) return false;
    has_wide |= type == Type::kU64;
  }
  switch (inst.op) {
    // Comparisons are made of two halves where lanes have 64 bits, scalars in all lanes included.
    case Op::kEq:
    case Op::kNe:
    case Op::kLtU:
    case Op::kLeU:
    case Op::kLtS:
    case Op::kLeS: return inst.type == Type::kU1 || !has_wide;  // a bit is scalar code
    case Op::kFCmp: return inst.type != Type::kU1 && !has_wide;
    case Op::kConst:
    case Op::kCodeBase:
    case Op::kGetSgpr:
    case Op::kGetSgpr64:
    case Op::kSetSgpr:
    case Op::kSetSgpr64:
    case Op::kGetScc:
    case Op::kSetScc:
    case Op::kGetVgpr:
    case Op::kSetVgpr:
    case Op::kNoteExec:
    case Op::kSkipped:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot:
    case Op::kNot:
    case Op::kBitwise:
    case Op::kShl:
    case Op::kLshr:
    case Op::kAshr:
    case Op::kMinU:
    case Op::kMaxU:
    case Op::kMinS:
    case Op::kMaxS:
    case Op::kSelect:
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kJump:
    case Op::kBranch: return true;
    default: return false;
  }
}

}  // namespace

uint32_t LoopMasks(const ir::Function& function, const ir::Block& block) {
  const bool all = std::all_of(block.insts.begin(), block.insts.end(),
                               [&](Value v) { return LeavesScratchAlone(function, function[v]); });
  return all ? kMasks | 1u << kM0 : kMasks;
}

}  // namespace gcnjit::backend::avx512
