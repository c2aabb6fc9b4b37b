// Divergent branches by the fork stack: MODE.CSP counts entries of four SGPRs from s0 up, each
// {EXEC low, EXEC high, PC low, PC high}. Sources: CLRX GcnInstrsSop1/Sop2/Sopk; Vega manual,
// s_cbranch_i_fork, s_cbranch_g_fork and s_cbranch_join.
#include <bit>

#include "runtime/interpreter/scalar_exec.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kCspMask = 7u << kModeCspShift;
constexpr uint32_t kMaxDepth = 7;  // what the 3 bits of CSP can count

uint32_t Depth(const Wave& w) { return w.state.mode >> kModeCspShift; }

void SetDepth(Wave& w, uint32_t depth) {
  w.state.mode = (w.state.mode & ~kCspMask) | depth << kModeCspShift;
}

bool Push(Wave& w, uint64_t exec, uint64_t pc) {
  const uint32_t depth = Depth(w);
  if (depth == kMaxDepth) {
    w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0, "the branch stack (MODE.CSP) is full");
    return false;
  }
  const int entry = static_cast<int>(depth * 4);
  w.state.SetPair(entry, exec);
  w.state.SetPair(entry + 2, pc);
  SetDepth(w, depth + 1);
  return true;
}

}  // namespace

void ForkBranch(Wave& w, uint64_t mask, uint64_t target) {
  const uint64_t pass = mask & w.exec();
  const uint64_t fail = ~mask & w.exec();
  if (pass == w.exec()) {
    w.next_pc = target;
  } else if (fail == w.exec()) {
    return;
  } else if (std::popcount(fail) < std::popcount(pass)) {
    if (Push(w, pass, target)) WriteExec(w, fail);
  } else if (Push(w, fail, w.next_pc)) {
    WriteExec(w, pass);
    w.next_pc = target;
  }
}

// Both paths end in a join with the depth saved before the fork: the first to arrive goes on with
// the other path, the second goes on after the join, with the mask of its own path.
void exec_S_CBRANCH_JOIN(Wave& w, const Instruction& i) {
  const uint32_t saved = Source32(w, i, 0);
  const uint32_t depth = Depth(w);
  if (depth == saved) return;
  if (depth == 0) {
    w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0,
                 "s_cbranch_join expects depth " + std::to_string(saved) +
                     ", but the branch stack (MODE.CSP) is empty");
    return;
  }
  SetDepth(w, depth - 1);
  const int entry = static_cast<int>((depth - 1) * 4);
  WriteExec(w, w.state.Pair(entry));
  w.next_pc = w.state.Pair(entry + 2);
}

}  // namespace gcnjit::runtime
