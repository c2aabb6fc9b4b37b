// VOP3P: two f32 operations a lane, on pairs of registers; moves of two dwords (CDNA 2).
//
// Sources: gem5 vega/insts/vop3p.cc, after the CDNA3 manual; LLVM, SIInstrInfo::copyPhysReg and the
// operands that it selects. Of a scalar pair either dword can be chosen. LLVM takes the low dword
// of constants for both results, but for 0: -x of two floats is their sum with 0, all negated
// (SIInstructions.td). No source says what the high dword of others is.
#include <immintrin.h>

#include "runtime/interpreter/float_bits.h"
#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/signalling_nans.h"

namespace gcnjit::runtime {
namespace {

bool BitOf(int field, int n) { return ((field >> n) & 1) != 0; }

// The low or the high dword of source n.
void ReadDword(Wave& w, const Instruction& i, int n, bool high, uint32_t (&to)[kLanes]) {
  const Operand& operand = i.src[n];
  if (operand.kind == OperandKind::kVector) {
    const uint32_t* from = w.state.vgpr[VgprIndex(w, operand, n) + (high ? 1 : 0)];
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = from[lane];
    return;
  }
  if (operand.kind == OperandKind::kConstant && high && operand.value != 0) {
    return w.RaiseUnsupported("the high dword of a constant; it is not known what that is");
  }
  const auto value = static_cast<uint32_t>(ReadScalar64(w, operand) >> (high ? 32 : 0));
  for (uint32_t& lane : to) lane = value;
}

// Source n of the low (part 0) or the high result.
void ReadPart(Wave& w, const Instruction& i, int n, int part, float (&to)[kLanes]) {
  using F = Format<float>;
  alignas(64) uint32_t dwords[kLanes] = {};
  ReadDword(w, i, n, BitOf(part == 0 ? i.op_sel : i.op_sel_hi, n), dwords);
  const uint32_t flip = BitOf(part == 0 ? i.neg : i.neg_hi, n) ? F::kSign : 0;
  for (int lane = 0; lane < kLanes; ++lane) to[lane] = F::From(dwords[lane] ^ flip);
}

template <typename T>
void WriteParts(Wave& w, const Instruction& i, T (&parts)[2][kLanes]) {
  if (w.event == WaveEvent::kFault) return;
  Instruction to = i;
  to.dst.type = i.row().dst == frontend::OperandType::P32F ? frontend::OperandType::F32
                                                           : frontend::OperandType::B32;
  for (int part = 0; part < 2; ++part) {
    to.dst.index = static_cast<uint16_t>(i.dst.index + part);
    WriteLanes<T>(w, to, parts[part]);
  }
}

// Results of MODE.IEEE off have the quiet bits of their operands.
void KeepPartNans(int sources, const float (&operands)[3][kLanes], float (&results)[kLanes]) {
  using F = Format<float>;
  for (int lane = 0; lane < kLanes; ++lane) {
    KeptNan<float> kept = {F::Of(results[lane])};
    for (int n = 0; n < sources; ++n) kept.Offer(F::Of(operands[n][lane]));
    results[lane] = F::From(kept.result);
  }
}

// f of the sources of a lane, kSources of them.
template <int kSources, typename F>
void MapParts(Wave& w, const Instruction& i, F f) {
  alignas(64) float sources[3][kLanes] = {};
  alignas(64) float results[2][kLanes];
  for (int part = 0; part < 2; ++part) {
    for (int n = 0; n < kSources; ++n) ReadPart(w, i, n, part, sources[n]);
    for (int lane = 0; lane < kLanes; ++lane) {
      results[part][lane] = f(sources[0][lane], sources[1][lane], sources[2][lane]);
    }
    if (!IsIeee(w)) KeepPartNans(kSources, sources, results[part]);
  }
  WriteParts(w, i, results);
}

float Fused(float a, float b, float c) {
  const __m128 sum = _mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c));
  return FirstNan(a, b, c, _mm_cvtss_f32(sum));
}

}  // namespace

void exec_V_PK_FMA_F32(Wave& w, const Instruction& i) { MapParts<3>(w, i, Fused); }
void exec_V_PK_MUL_F32(Wave& w, const Instruction& i) {
  MapParts<2>(w, i, [](float a, float b, float) { return FirstNan(a, b, a * b); });
}
void exec_V_PK_ADD_F32(Wave& w, const Instruction& i) {
  MapParts<2>(w, i, [](float a, float b, float) { return FirstNan(a, b, a + b); });
}

// The low result is of source 0, the high one of source 1; OP_SEL_HI means nothing.
void exec_V_PK_MOV_B32(Wave& w, const Instruction& i) {
  alignas(64) uint32_t results[2][kLanes] = {};
  for (int n = 0; n < 2; ++n) ReadDword(w, i, n, BitOf(i.op_sel, n), results[n]);
  WriteParts(w, i, results);
}

}  // namespace gcnjit::runtime
