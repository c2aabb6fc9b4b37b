// What the scalar exec_* functions share: SCC rules, operand pairs, the fork stack.
#pragma once

#include <cstdint>

#include "runtime/interpreter/scalar_operands.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

inline void SetScc(Wave& w, bool value) { w.state.scc = value ? 1 : 0; }

// Results whose SCC is "1 if the result is non-zero".
inline void WriteNonZero32(Wave& w, const Instruction& i, uint32_t value) {
  WriteScalar32(w, i.dst, value);
  SetScc(w, value != 0);
}
inline void WriteNonZero64(Wave& w, const Instruction& i, uint64_t value) {
  WriteScalar64(w, i.dst, value);
  SetScc(w, value != 0);
}

inline uint32_t Source32(Wave& w, const Instruction& i, int n) { return ReadScalar32(w, i.src[n]); }
inline uint64_t Source64(Wave& w, const Instruction& i, int n) { return ReadScalar64(w, i.src[n]); }
inline int32_t SignedSource32(Wave& w, const Instruction& i, int n) {
  return static_cast<int32_t>(Source32(w, i, n));
}
inline int64_t SignedSource64(Wave& w, const Instruction& i, int n) {
  return static_cast<int64_t>(Source64(w, i, n));
}

inline void WriteExec(Wave& w, uint64_t value) { w.state.SetPair(frontend::kCodeExecLo, value); }

// Target of a LABEL operand: signed dwords from the next instruction.
inline uint64_t BranchTarget(const Wave& w, const Instruction& i) {
  return w.next_pc + static_cast<uint64_t>(int64_t{i.imm} * 4);
}

// s_cbranch_i_fork and s_cbranch_g_fork: splits EXEC by `mask`, runs the smaller half first and
// pushes the other on the stack in SGPRs.
void ForkBranch(Wave& w, uint64_t mask, uint64_t target);

}  // namespace gcnjit::runtime
