// SOPK: scalar instructions with a 16-bit immediate. Sources: CLRX GcnInstrsSopk; Vega manual.
#include "runtime/interpreter/hardware_registers.h"
#include "runtime/interpreter/scalar_exec.h"

namespace gcnjit::runtime {
namespace {

// The immediate is sign-extended for *_i32 and zero-extended for *_u32 (by the decoder).
uint32_t UnsignedImmediate(const Instruction& i) { return static_cast<uint32_t>(i.imm); }

}  // namespace

void exec_S_MOVK_I32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, static_cast<uint32_t>(i.imm));
}
void exec_S_CMOVK_I32(Wave& w, const Instruction& i) {
  if (w.state.scc != 0) WriteScalar32(w, i.dst, static_cast<uint32_t>(i.imm));
}

void exec_S_CMPK_EQ_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) == i.imm);
}
void exec_S_CMPK_LG_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) != i.imm);
}
void exec_S_CMPK_GT_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) > i.imm);
}
void exec_S_CMPK_GE_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) >= i.imm);
}
void exec_S_CMPK_LT_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) < i.imm);
}
void exec_S_CMPK_LE_I32(Wave& w, const Instruction& i) {
  SetScc(w, SignedSource32(w, i, 0) <= i.imm);
}

void exec_S_CMPK_EQ_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) == UnsignedImmediate(i));
}
void exec_S_CMPK_LG_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) != UnsignedImmediate(i));
}
void exec_S_CMPK_GT_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) > UnsignedImmediate(i));
}
void exec_S_CMPK_GE_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) >= UnsignedImmediate(i));
}
void exec_S_CMPK_LT_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) < UnsignedImmediate(i));
}
void exec_S_CMPK_LE_U32(Wave& w, const Instruction& i) {
  SetScc(w, Source32(w, i, 0) <= UnsignedImmediate(i));
}

void exec_S_ADDK_I32(Wave& w, const Instruction& i) {
  const int64_t sum = int64_t{static_cast<int32_t>(ReadScalar32(w, i.dst))} + i.imm;
  WriteScalar32(w, i.dst, static_cast<uint32_t>(sum));
  SetScc(w, sum != static_cast<int32_t>(sum));
}

// SCC stays, although the manual of gfx6 says that it is the overflow: docs/isa.md.
void exec_S_MULK_I32(Wave& w, const Instruction& i) {
  const int64_t product = int64_t{static_cast<int32_t>(ReadScalar32(w, i.dst))} * i.imm;
  WriteScalar32(w, i.dst, static_cast<uint32_t>(product));
}

void exec_S_CBRANCH_I_FORK(Wave& w, const Instruction& i) {
  ForkBranch(w, Source64(w, i, 0), BranchTarget(w, i));
}

void exec_S_GETREG_B32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, ReadHwreg(w, DecodeHwreg(i.imm)));
}
void exec_S_SETREG_B32(Wave& w, const Instruction& i) {
  WriteHwreg(w, DecodeHwreg(i.imm), Source32(w, i, 1));
}
void exec_S_SETREG_IMM32_B32(Wave& w, const Instruction& i) {
  WriteHwreg(w, DecodeHwreg(i.imm), Source32(w, i, 1));
}

void exec_S_CALL_B64(Wave& w, const Instruction& i) {
  const uint64_t target = BranchTarget(w, i);
  WriteScalar64(w, i.dst, w.next_pc);
  w.next_pc = target;
}

}  // namespace gcnjit::runtime
