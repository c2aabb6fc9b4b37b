// SOPP. Semantics: CLRX GcnInstrsSopp; Vega manual. Traps and messages are the interpreter's.
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

void BranchIf(Lifter& l, const Instruction& i, Value condition) {
  l.Branch(condition, LabelTarget(l, i), l.next_pc());
}
Value IsPairZero(Lifter& l, int code) { return l.b.Compare(Op::kEq, l.Sgpr64(code), l.b.U64(0)); }
Value IsPairNotZero(Lifter& l, int code) {
  return l.b.Compare(Op::kNe, l.Sgpr64(code), l.b.U64(0));
}

}  // namespace

void lift_S_BRANCH(Lifter& l, const Instruction& i) { l.Jump(LabelTarget(l, i)); }
void lift_S_CBRANCH_SCC0(Lifter& l, const Instruction& i) { BranchIf(l, i, l.b.Not(l.Scc())); }
void lift_S_CBRANCH_SCC1(Lifter& l, const Instruction& i) { BranchIf(l, i, l.Scc()); }
void lift_S_CBRANCH_VCCZ(Lifter& l, const Instruction& i) {
  BranchIf(l, i, IsPairZero(l, kCodeVccLo));
}
void lift_S_CBRANCH_VCCNZ(Lifter& l, const Instruction& i) {
  BranchIf(l, i, IsPairNotZero(l, kCodeVccLo));
}
void lift_S_CBRANCH_EXECZ(Lifter& l, const Instruction& i) {
  BranchIf(l, i, IsPairZero(l, kCodeExecLo));
}
void lift_S_CBRANCH_EXECNZ(Lifter& l, const Instruction& i) {
  BranchIf(l, i, IsPairNotZero(l, kCodeExecLo));
}

// On a debugger's flags: never taken.
void lift_S_CBRANCH_CDBGSYS(Lifter&, const Instruction&) {}
void lift_S_CBRANCH_CDBGUSER(Lifter&, const Instruction&) {}
void lift_S_CBRANCH_CDBGSYS_OR_USER(Lifter&, const Instruction&) {}
void lift_S_CBRANCH_CDBGSYS_AND_USER(Lifter&, const Instruction&) {}

void lift_S_ENDPGM(Lifter& l, const Instruction&) { l.Exit(ir::ExitReason::kEnd, l.next_pc()); }
void lift_S_SLEEP(Lifter& l, const Instruction&) { l.Exit(ir::ExitReason::kYield, l.next_pc()); }

void lift_S_BARRIER(Lifter& l, const Instruction&) {
  if (l.barriers() == Barriers::kPass) return;
  l.Exit(ir::ExitReason::kBarrier, l.next_pc());
}

// No effect on results: instructions complete in order, memory is coherent and code read-only.
void lift_S_NOP(Lifter&, const Instruction&) {}
void lift_S_WAITCNT(Lifter&, const Instruction&) {}
void lift_S_SETPRIO(Lifter&, const Instruction&) {}
void lift_S_ICACHE_INV(Lifter&, const Instruction&) {}
void lift_S_INCPERFLEVEL(Lifter&, const Instruction&) {}
void lift_S_DECPERFLEVEL(Lifter&, const Instruction&) {}
void lift_S_TTRACEDATA(Lifter&, const Instruction&) {}
void lift_S_WAKEUP(Lifter&, const Instruction&) {}

}  // namespace gcnjit::frontend
