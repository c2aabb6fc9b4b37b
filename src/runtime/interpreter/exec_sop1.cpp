// SOP1: scalar instructions with one source. Sources: CLRX GcnInstrsSop1; Vega manual.
#include <bit>
#include <string>

#include "runtime/interpreter/scalar_exec.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kNotFound = ~uint32_t{0};

// Position of the lowest one; -1 if there is none.
template <typename T>
uint32_t FirstOne(T value) {
  return value == 0 ? kNotFound : static_cast<uint32_t>(std::countr_zero(value));
}

// Number of zeros above the highest one; -1 if there is none.
template <typename T>
uint32_t LeadingZeros(T value) {
  return value == 0 ? kNotFound : static_cast<uint32_t>(std::countl_zero(value));
}

// Number of bits equal to the sign bit, from the top; -1 if all are.
uint32_t SignBits(uint32_t value) {
  return LeadingZeros(static_cast<int32_t>(value) < 0 ? ~value : value);
}
uint32_t SignBits(uint64_t value) {
  return LeadingZeros(static_cast<int64_t>(value) < 0 ? ~value : value);
}

template <typename T>
T ReverseBits(T value) {
  T result = 0;
  for (size_t bit = 0; bit < sizeof(T) * 8; ++bit) {
    result = static_cast<T>(result << 1 | (value >> bit & 1));
  }
  return result;
}

// Bit 4n is set if any of bits 4n..4n+3 is.
template <typename T>
T AnyOfQuad(T value) {
  value |= value >> 1;
  value |= value >> 2;
  return value & static_cast<T>(0x1111111111111111);
}

template <typename T>
T QuadMask(T value) {
  const T any = AnyOfQuad(value);
  T result = 0;
  for (size_t quad = 0; quad < sizeof(T) * 2; ++quad) result |= (any >> (quad * 4) & 1) << quad;
  return result;
}

// *_saveexec: dst = old EXEC, EXEC = f(src0, EXEC), SCC = EXEC != 0.
template <typename F>
void SaveExec(Wave& w, const Instruction& i, F f) {
  const uint64_t old = w.exec();
  const uint64_t mask = f(Source64(w, i, 0), old);
  WriteScalar64(w, i.dst, old);
  WriteExec(w, mask);
  SetScc(w, mask != 0);
}

// *_wrexec: EXEC = dst = f(src0, EXEC).
template <typename F>
void WriteBothExec(Wave& w, const Instruction& i, F f) {
  const uint64_t mask = f(Source64(w, i, 0), w.exec());
  WriteScalar64(w, i.dst, mask);
  WriteExec(w, mask);
  SetScc(w, mask != 0);
}

// The operand moved by M0 SGPRs. SGPRs and VCC may be indexed; an index that leaves them (the
// hardware would use s0, or drop the write), or an odd one for a pair, is a fault.
bool RelativeOperand(Wave& w, const Operand& base, Operand& moved) {
  const auto registers = static_cast<uint32_t>(frontend::RegistersOf(base.type));
  const bool is_vcc = base.index == frontend::kCodeVccLo || base.index == frontend::kCodeVccHi;
  const uint32_t first = is_vcc ? 106 : 0;
  const uint32_t end = is_vcc ? 108 : IsGfx8Plus(w.generation()) ? 102 : 104;
  const uint32_t index = base.index + w.state.m0();
  if (base.kind != OperandKind::kScalar || base.index >= end || index < first || index >= end ||
      end - index < registers || index % registers != 0) {
    w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0,
                 "operand code " + std::to_string(base.code) +
                     " plus M0 = " + std::to_string(static_cast<int32_t>(w.state.m0())) +
                     " is no SGPR" + (registers == 2 ? " pair" : ""));
    return false;
  }
  moved = base;
  moved.index = static_cast<uint16_t>(index);
  return true;
}

}  // namespace

void exec_S_MOV_B32(Wave& w, const Instruction& i) { WriteScalar32(w, i.dst, Source32(w, i, 0)); }
void exec_S_MOV_B64(Wave& w, const Instruction& i) { WriteScalar64(w, i.dst, Source64(w, i, 0)); }
void exec_S_CMOV_B32(Wave& w, const Instruction& i) {
  if (w.state.scc != 0) WriteScalar32(w, i.dst, Source32(w, i, 0));
}
void exec_S_CMOV_B64(Wave& w, const Instruction& i) {
  if (w.state.scc != 0) WriteScalar64(w, i.dst, Source64(w, i, 0));
}

void exec_S_NOT_B32(Wave& w, const Instruction& i) { WriteNonZero32(w, i, ~Source32(w, i, 0)); }
void exec_S_NOT_B64(Wave& w, const Instruction& i) { WriteNonZero64(w, i, ~Source64(w, i, 0)); }
void exec_S_WQM_B32(Wave& w, const Instruction& i) {
  WriteNonZero32(w, i, AnyOfQuad(Source32(w, i, 0)) * 15);
}
void exec_S_WQM_B64(Wave& w, const Instruction& i) {
  WriteNonZero64(w, i, AnyOfQuad(Source64(w, i, 0)) * 15);
}
void exec_S_QUADMASK_B32(Wave& w, const Instruction& i) {
  WriteNonZero32(w, i, QuadMask(Source32(w, i, 0)));
}
void exec_S_QUADMASK_B64(Wave& w, const Instruction& i) {
  WriteNonZero64(w, i, QuadMask(Source64(w, i, 0)));
}
void exec_S_BREV_B32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, ReverseBits(Source32(w, i, 0)));
}
void exec_S_BREV_B64(Wave& w, const Instruction& i) {
  WriteScalar64(w, i.dst, ReverseBits(Source64(w, i, 0)));
}

void exec_S_BCNT0_I32_B32(Wave& w, const Instruction& i) {
  WriteNonZero32(w, i, static_cast<uint32_t>(std::popcount(~Source32(w, i, 0))));
}
void exec_S_BCNT0_I32_B64(Wave& w, const Instruction& i) {
  WriteNonZero32(w, i, static_cast<uint32_t>(std::popcount(~Source64(w, i, 0))));
}
void exec_S_BCNT1_I32_B32(Wave& w, const Instruction& i) {
  WriteNonZero32(w, i, static_cast<uint32_t>(std::popcount(Source32(w, i, 0))));
}
void exec_S_BCNT1_I32_B64(Wave& w, const Instruction& i) {
  WriteNonZero32(w, i, static_cast<uint32_t>(std::popcount(Source64(w, i, 0))));
}

void exec_S_FF0_I32_B32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, FirstOne(~Source32(w, i, 0)));
}
void exec_S_FF0_I32_B64(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, FirstOne(~Source64(w, i, 0)));
}
void exec_S_FF1_I32_B32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, FirstOne(Source32(w, i, 0)));
}
void exec_S_FF1_I32_B64(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, FirstOne(Source64(w, i, 0)));
}
void exec_S_FLBIT_I32_B32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, LeadingZeros(Source32(w, i, 0)));
}
void exec_S_FLBIT_I32_B64(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, LeadingZeros(Source64(w, i, 0)));
}
void exec_S_FLBIT_I32(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, SignBits(Source32(w, i, 0)));
}
void exec_S_FLBIT_I32_I64(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, SignBits(Source64(w, i, 0)));
}

void exec_S_SEXT_I32_I8(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, static_cast<uint32_t>(static_cast<int8_t>(Source32(w, i, 0))));
}
void exec_S_SEXT_I32_I16(Wave& w, const Instruction& i) {
  WriteScalar32(w, i.dst, static_cast<uint32_t>(static_cast<int16_t>(Source32(w, i, 0))));
}

void exec_S_BITSET0_B32(Wave& w, const Instruction& i) {
  const uint32_t bit = uint32_t{1} << (Source32(w, i, 0) & 31);
  WriteScalar32(w, i.dst, ReadScalar32(w, i.dst) & ~bit);
}
void exec_S_BITSET0_B64(Wave& w, const Instruction& i) {
  const uint64_t bit = uint64_t{1} << (Source32(w, i, 0) & 63);
  WriteScalar64(w, i.dst, ReadScalar64(w, i.dst) & ~bit);
}
void exec_S_BITSET1_B32(Wave& w, const Instruction& i) {
  const uint32_t bit = uint32_t{1} << (Source32(w, i, 0) & 31);
  WriteScalar32(w, i.dst, ReadScalar32(w, i.dst) | bit);
}
void exec_S_BITSET1_B64(Wave& w, const Instruction& i) {
  const uint64_t bit = uint64_t{1} << (Source32(w, i, 0) & 63);
  WriteScalar64(w, i.dst, ReadScalar64(w, i.dst) | bit);
}

// PC values are byte addresses; next_pc is the address of the following instruction.
void exec_S_GETPC_B64(Wave& w, const Instruction& i) { WriteScalar64(w, i.dst, w.next_pc); }
void exec_S_SETPC_B64(Wave& w, const Instruction& i) { w.next_pc = Source64(w, i, 0); }
void exec_S_SWAPPC_B64(Wave& w, const Instruction& i) {
  const uint64_t target = Source64(w, i, 0);
  WriteScalar64(w, i.dst, w.next_pc);
  w.next_pc = target;
}

void exec_S_AND_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return s0 & exec; });
}
void exec_S_OR_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return s0 | exec; });
}
void exec_S_XOR_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return s0 ^ exec; });
}
void exec_S_ANDN2_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return s0 & ~exec; });
}
void exec_S_ORN2_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return s0 | ~exec; });
}
void exec_S_NAND_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return ~(s0 & exec); });
}
void exec_S_NOR_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return ~(s0 | exec); });
}
void exec_S_XNOR_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return ~(s0 ^ exec); });
}
void exec_S_ANDN1_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return ~s0 & exec; });
}
void exec_S_ORN1_SAVEEXEC_B64(Wave& w, const Instruction& i) {
  SaveExec(w, i, [](uint64_t s0, uint64_t exec) { return ~s0 | exec; });
}
void exec_S_ANDN1_WREXEC_B64(Wave& w, const Instruction& i) {
  WriteBothExec(w, i, [](uint64_t s0, uint64_t exec) { return ~s0 & exec; });
}
void exec_S_ANDN2_WREXEC_B64(Wave& w, const Instruction& i) {
  WriteBothExec(w, i, [](uint64_t s0, uint64_t exec) { return s0 & ~exec; });
}

void exec_S_MOVRELS_B32(Wave& w, const Instruction& i) {
  Operand source;
  if (RelativeOperand(w, i.src[0], source)) WriteScalar32(w, i.dst, ReadScalar32(w, source));
}
void exec_S_MOVRELS_B64(Wave& w, const Instruction& i) {
  Operand source;
  if (RelativeOperand(w, i.src[0], source)) WriteScalar64(w, i.dst, ReadScalar64(w, source));
}
void exec_S_MOVRELD_B32(Wave& w, const Instruction& i) {
  Operand destination;
  if (RelativeOperand(w, i.dst, destination)) WriteScalar32(w, destination, Source32(w, i, 0));
}
void exec_S_MOVRELD_B64(Wave& w, const Instruction& i) {
  Operand destination;
  if (RelativeOperand(w, i.dst, destination)) WriteScalar64(w, destination, Source64(w, i, 0));
}

// The most negative value has no positive counterpart and stays (SCC = 1).
void exec_S_ABS_I32(Wave& w, const Instruction& i) {
  const uint32_t value = Source32(w, i, 0);
  WriteNonZero32(w, i, static_cast<int32_t>(value) < 0 ? 0 - value : value);
}

void exec_S_SET_GPR_IDX_IDX(Wave& w, const Instruction& i) {
  const uint32_t index = Source32(w, i, 0) & 0xFF;
  w.state.sgpr[frontend::kCodeM0] = (w.state.m0() & ~uint32_t{0xFF}) | index;
}

void exec_S_BITREPLICATE_B64_B32(Wave& w, const Instruction& i) {
  const uint32_t value = Source32(w, i, 0);
  uint64_t result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= uint64_t{value >> bit & 1} * 3 << (bit * 2);
  WriteScalar64(w, i.dst, result);
}

}  // namespace gcnjit::runtime
