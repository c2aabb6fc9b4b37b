#include "frontend/flow/mask_flow.h"

#include <algorithm>

#include "isa/encodings.h"

namespace gcnjit::frontend {
namespace {

// Lanes of a mask that are not in EXEC: they are in these pairs, at most two, or may be any.
struct OutsideExec {
  std::array<int, 2> pairs = {-1, -1};
  bool anywhere = false;
};

constexpr OutsideExec kAnywhere = {{-1, -1}, true};

OutsideExec OutsideOf(const Operand& operand) {
  if (operand.kind == OperandKind::kConstant) return operand.value == 0 ? OutsideExec() : kAnywhere;
  if (operand.kind != OperandKind::kScalar) return kAnywhere;
  return operand.index == kCodeExecLo ? OutsideExec() : OutsideExec{{operand.index, -1}, false};
}
bool IsExec(const Operand& operand) {
  return operand.kind == OperandKind::kScalar && operand.index == kCodeExecLo;
}

OutsideExec WithinEither(const OutsideExec& a, const OutsideExec& b) {
  if (a.anywhere || b.anywhere || a.pairs[1] >= 0 || b.pairs[1] >= 0) return kAnywhere;
  return {{a.pairs[0], b.pairs[0]}, false};
}
// A mask within both.
OutsideExec WithinBoth(const OutsideExec& a, const OutsideExec& b) { return a.anywhere ? b : a; }

// Vega manual, "SOP1 instructions" and "SOP2 instructions". Of what the instruction writes to its
// destination.
OutsideExec ResultOf(const Instruction& inst) {
  const OutsideExec a = OutsideOf(inst.src[0]);
  const OutsideExec b = OutsideOf(inst.src[1]);
  switch (inst.opcode) {
    case Opcode::S_MOV_B64: return a;
    case Opcode::S_OR_B64:
    case Opcode::S_XOR_B64: return WithinEither(a, b);
    case Opcode::S_AND_B64: return IsExec(inst.src[1]) ? b : WithinBoth(a, b);
    case Opcode::S_ANDN2_B64: return a;
    // EXEC as it was, or as it is.
    case Opcode::S_AND_SAVEEXEC_B64:
    case Opcode::S_OR_SAVEEXEC_B64:
    case Opcode::S_XOR_SAVEEXEC_B64:
    case Opcode::S_ANDN2_SAVEEXEC_B64:
    case Opcode::S_ORN2_SAVEEXEC_B64:
    case Opcode::S_NAND_SAVEEXEC_B64:
    case Opcode::S_NOR_SAVEEXEC_B64:
    case Opcode::S_XNOR_SAVEEXEC_B64:
    case Opcode::S_ANDN1_SAVEEXEC_B64:
    case Opcode::S_ORN1_SAVEEXEC_B64: return {};
    default: return kAnywhere;
  }
}

// Of what EXEC becomes.
OutsideExec ExecOf(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::S_OR_SAVEEXEC_B64:
    case Opcode::S_XOR_SAVEEXEC_B64:
    case Opcode::S_ANDN2_SAVEEXEC_B64: return OutsideOf(inst.src[0]);
    case Opcode::S_MOV_B64:
    case Opcode::S_OR_B64:
    case Opcode::S_XOR_B64:
    case Opcode::S_AND_B64:
    case Opcode::S_ANDN2_B64: return ResultOf(inst);
    default: return kAnywhere;
  }
}

bool IsMask(const Operand& operand, int pair) {
  return operand.kind == OperandKind::kScalar && operand.index == pair &&
         operand.type == OperandType::M64;
}

}  // namespace

FollowedMasks::FollowedMasks(const ControlFlowGraph& graph) {
  for (const CodeBlock& block : graph.blocks) {
    for (const DecodedInstruction& at : block.instructions) {
      const Instruction& inst = at.inst();
      const bool writes_exec = inst.row().Has(EXEC_OUT) || IsExec(inst.dst);
      if (!writes_exec) continue;
      for (const int pair : ExecOf(inst).pairs) {
        const bool is_new = pair >= 0 && pair < kCodeExecLo && Find(pair) < 0;
        if (!is_new || pairs_.size() == kMost) continue;
        pairs_.push_back(pair);
        sgprs_.set(static_cast<size_t>(pair)).set(static_cast<size_t>(pair) + 1);
      }
    }
  }
}

int FollowedMasks::Find(int pair) const {
  const auto found = std::find(pairs_.begin(), pairs_.end(), pair);
  return found == pairs_.end() ? -1 : static_cast<int>(found - pairs_.begin());
}

MaskFlow MaskFlowOf(const Instruction& inst, const RegisterAccess& access,
                    const FollowedMasks& masks) {
  MaskFlow flow;
  flow.is_nothing =
      access.exec != ExecEffect::kChanges && (access.may_write.sgprs & masks.sgprs()).none();
  if (flow.is_nothing) return flow;
  const auto add = [&](const OutsideExec& lanes, MaskSet& set) {
    bool anywhere = lanes.anywhere;
    for (const int pair : lanes.pairs) {
      if (pair < 0) continue;
      const int mask = masks.Find(pair);
      if (mask < 0) anywhere = true;
      if (mask >= 0) set = static_cast<MaskSet>(set | 1u << mask);
    }
    return anywhere;
  };
  if (access.exec == ExecEffect::kChanges) {
    const bool is_known = IsExec(inst.dst) || inst.row().Has(EXEC_OUT);
    flow.grows_anywhere = !is_known || access.unknown || add(ExecOf(inst), flow.grows_by);
  }
  for (size_t n = 0; n < masks.count(); ++n) {
    const auto pair = static_cast<size_t>(masks.pair(n));
    const auto self = static_cast<MaskSet>(1u << n);
    const SgprSet& may_write = access.may_write.sgprs;
    if (!may_write.test(pair) && !may_write.test(pair + 1)) {
      flow.comes_from[n] = self;
      continue;
    }
    const bool is_certain = access.writes.sgprs.test(pair) && access.writes.sgprs.test(pair + 1);
    if (!is_certain) flow.comes_from[n] = self;
    // A lane mask of a vector instruction has no lane that EXEC does not have.
    if (IsVectorAlu(inst.encoding)) {
      if (IsMask(inst.dst, masks.pair(n)) || IsMask(inst.sdst, masks.pair(n))) continue;
    } else if (inst.dst.kind == OperandKind::kScalar && inst.dst.index == pair) {
      if (!add(ResultOf(inst), flow.comes_from[n])) continue;
    }
    flow.comes_from_anywhere = static_cast<MaskSet>(flow.comes_from_anywhere | self);
  }
  return flow;
}

}  // namespace gcnjit::frontend
