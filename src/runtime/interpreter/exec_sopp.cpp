// SOPP: program control. Sources: CLRX GcnInstrsSopp; Vega manual; LLVM AMDGPUUsage "Trap handler
// ABI" for s_trap.
#include <string>

#include "runtime/interpreter/scalar_exec.h"

namespace gcnjit::runtime {
namespace {

void BranchIf(Wave& w, const Instruction& i, bool condition) {
  if (condition) w.next_pc = BranchTarget(w, i);
}

void RaiseTrap(Wave& w, std::string detail) {
  w.RaiseFault(FaultKind::kTrap, -1, 0, 0, std::move(detail));
}

// MSG_INTERRUPT tells the host to look at memory that the wave has written (device calls, printf);
// the host side polls it, so nothing is left to do. The others belong to geometry shaders and to
// trap handlers.
bool SendMessage(Wave& w, const Instruction& i) {
  constexpr int kInterrupt = 1;
  const int message = i.imm & 0xF;
  if (message == kInterrupt) return true;
  w.RaiseUnsupported("message " + std::to_string(message) +
                     " is for graphics or trap handlers; only MSG_INTERRUPT (1) is implemented");
  return false;
}

}  // namespace

void exec_S_ENDPGM(Wave& w, const Instruction&) { w.event = WaveEvent::kEnd; }
void exec_S_BARRIER(Wave& w, const Instruction&) { w.event = WaveEvent::kBarrier; }

void exec_S_BRANCH(Wave& w, const Instruction& i) { BranchIf(w, i, true); }
void exec_S_CBRANCH_SCC0(Wave& w, const Instruction& i) { BranchIf(w, i, w.state.scc == 0); }
void exec_S_CBRANCH_SCC1(Wave& w, const Instruction& i) { BranchIf(w, i, w.state.scc != 0); }
void exec_S_CBRANCH_VCCZ(Wave& w, const Instruction& i) { BranchIf(w, i, w.state.vcc() == 0); }
void exec_S_CBRANCH_VCCNZ(Wave& w, const Instruction& i) { BranchIf(w, i, w.state.vcc() != 0); }
void exec_S_CBRANCH_EXECZ(Wave& w, const Instruction& i) { BranchIf(w, i, w.exec() == 0); }
void exec_S_CBRANCH_EXECNZ(Wave& w, const Instruction& i) { BranchIf(w, i, w.exec() != 0); }

// Branches on STATUS.COND_DBG_SYS and COND_DBG_USER, which a debugger sets: never taken.
void exec_S_CBRANCH_CDBGSYS(Wave&, const Instruction&) {}
void exec_S_CBRANCH_CDBGUSER(Wave&, const Instruction&) {}
void exec_S_CBRANCH_CDBGSYS_OR_USER(Wave&, const Instruction&) {}
void exec_S_CBRANCH_CDBGSYS_AND_USER(Wave&, const Instruction&) {}

// No effect on results: instructions run to completion in order and memory is coherent, code is
// read-only, and there are no priorities, performance counters or thread traces.
void exec_S_NOP(Wave&, const Instruction&) {}
void exec_S_WAITCNT(Wave&, const Instruction&) {}
void exec_S_SETPRIO(Wave&, const Instruction&) {}
void exec_S_ICACHE_INV(Wave&, const Instruction&) {}
void exec_S_INCPERFLEVEL(Wave&, const Instruction&) {}
void exec_S_DECPERFLEVEL(Wave&, const Instruction&) {}
void exec_S_TTRACEDATA(Wave&, const Instruction&) {}

// A wave that sleeps is usually polling for another wave: let that one run. It comes back by
// itself, so s_wakeup has no wave to wake.
void exec_S_SLEEP(Wave& w, const Instruction&) { w.event = WaveEvent::kYield; }
void exec_S_WAKEUP(Wave&, const Instruction&) {}

void exec_S_SETHALT(Wave& w, const Instruction& i) {
  if ((i.imm & 1) != 0) RaiseTrap(w, "s_sethalt 1: the wave halts, and no debugger resumes it");
}

// The documents call KILL a debugging aid and do not say when the wave would end.
void exec_S_SETKILL(Wave& w, const Instruction& i) {
  if ((i.imm & 1) != 0) w.RaiseUnsupported("s_setkill 1: a debugging aid of the hardware");
}

void exec_S_SENDMSG(Wave& w, const Instruction& i) { SendMessage(w, i); }
void exec_S_SENDMSGHALT(Wave& w, const Instruction& i) {
  if (SendMessage(w, i)) {
    RaiseTrap(w, "s_sendmsghalt: the wave halts, and no debugger resumes it");
  }
}

// The codes that HSA compilers use: 2 is llvm.trap (abort(), __builtin_trap()); 3, llvm.debugtrap,
// does nothing unless a debugger is there.
void exec_S_TRAP(Wave& w, const Instruction& i) {
  constexpr int kLlvmTrap = 2;
  constexpr int kLlvmDebugTrap = 3;
  const int id = i.imm & 0xFF;
  if (id == kLlvmDebugTrap) return;
  RaiseTrap(w, id == kLlvmTrap ? "s_trap 2: the kernel stopped itself (abort() or __builtin_trap())"
                               : "s_trap " + std::to_string(id));
}

void exec_S_SET_GPR_IDX_OFF(Wave& w, const Instruction&) {
  w.state.mode &= ~uint32_t{kModeGprIdxEn};
}
void exec_S_SET_GPR_IDX_MODE(Wave& w, const Instruction& i) {
  const uint32_t operands = static_cast<uint32_t>(i.imm & 0xF) << 12;
  w.state.sgpr[frontend::kCodeM0] = (w.state.m0() & ~uint32_t{0xF000}) | operands;
}

}  // namespace gcnjit::runtime
