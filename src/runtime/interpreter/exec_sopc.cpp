// SOPC: scalar compares and the modes set beside them. Sources: CLRX GcnInstrsSopc; Vega manual.
#include "runtime/interpreter/scalar_exec.h"

namespace gcnjit::runtime {

void exec_S_CMP_EQ_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) == SignedSource32(w, i, 1));
}
void exec_S_CMP_LG_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) != SignedSource32(w, i, 1));
}
void exec_S_CMP_GT_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) > SignedSource32(w, i, 1));
}
void exec_S_CMP_GE_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) >= SignedSource32(w, i, 1));
}
void exec_S_CMP_LT_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) < SignedSource32(w, i, 1));
}
void exec_S_CMP_LE_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) <= SignedSource32(w, i, 1));
}

void exec_S_CMP_EQ_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) == Source32(w, i, 1));
}
void exec_S_CMP_LG_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) != Source32(w, i, 1));
}
void exec_S_CMP_GT_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) > Source32(w, i, 1));
}
void exec_S_CMP_GE_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) >= Source32(w, i, 1));
}
void exec_S_CMP_LT_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) < Source32(w, i, 1));
}
void exec_S_CMP_LE_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) <= Source32(w, i, 1));
}

void exec_S_CMP_EQ_U64(Wave& w, const Instruction& i) {
  SetScc(w, Source64(w, i, 0) == Source64(w, i, 1));
}
void exec_S_CMP_LG_U64(Wave& w, const Instruction& i) {
  SetScc(w, Source64(w, i, 0) != Source64(w, i, 1));
}

void exec_S_BITCMP0_B32(Wave& w, const Instruction& i) {
  SetScc(w, (Source32(w, i, 0) >> (Source32(w, i, 1) & 31) & 1) == 0);
}
void exec_S_BITCMP1_B32(Wave& w, const Instruction& i) {
  SetScc(w, (Source32(w, i, 0) >> (Source32(w, i, 1) & 31) & 1) == 1);
}
void exec_S_BITCMP0_B64(Wave& w, const Instruction& i) {
  SetScc(w, (Source64(w, i, 0) >> (Source32(w, i, 1) & 63) & 1) == 0);
}
void exec_S_BITCMP1_B64(Wave& w, const Instruction& i) {
  SetScc(w, (Source64(w, i, 0) >> (Source32(w, i, 1) & 63) & 1) == 1);
}

// The instruction loop skips vector instructions while MODE.vskip is set.
void exec_S_SETVSKIP(Wave& w, const Instruction& i) {
  const bool skip = (Source32(w, i, 0) >> (Source32(w, i, 1) & 31) & 1) != 0;
  w.state.mode = skip ? w.state.mode | kModeVskip : w.state.mode & ~uint32_t{kModeVskip};
}

// M0[7:0] = index, M0[15:12] = the operands that it applies to; lanes.h acts on both.
void exec_S_SET_GPR_IDX_ON(Wave& w, const Instruction& i) {
  const uint32_t index = Source32(w, i, 0) & 0xFF;
  const uint32_t operands = static_cast<uint32_t>(i.imm & 0xF) << 12;
  w.state.sgpr[frontend::kCodeM0] = (w.state.m0() & 0xFFFF0F00) | operands | index;
  w.state.mode |= kModeGprIdxEn;
}

}  // namespace gcnjit::runtime
