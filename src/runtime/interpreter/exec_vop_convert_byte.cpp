// Conversions between f32 and 8-bit floats (CDNA 3). Sources: CDNA3 ISA as tinygrad quotes it
// (which byte or word, that the rest of the destination stays, rounding to nearest even whatever
// MODE says); ROCm's HIP headers (hip_fp8: the order of a pair, NaN for what is too large).
#include "runtime/interpreter/float8.h"
#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

template <typename F>
void ToF32(Wave& w, const Instruction& i) {
  MapLanes1<float, uint32_t>(w, i, [](uint32_t byte) { return FromByte<F>(byte); });
}

// Two bytes to a pair of registers.
template <typename F>
void PairToF32(Wave& w, const Instruction& i) {
  alignas(64) uint32_t buffer[kLanes];
  alignas(64) float parts[2][kLanes];
  const uint32_t* word = ReadLanes<uint32_t>(w, i, 0, buffer);
  for (int lane = 0; lane < kLanes; ++lane) {
    parts[0][lane] = FromByte<F>(word[lane]);
    parts[1][lane] = FromByte<F>(word[lane] >> 8);
  }
  Instruction to = i;
  to.dst.type = frontend::OperandType::F32;
  for (int part = 0; part < 2; ++part) {
    to.dst.index = static_cast<uint16_t>(i.dst.index + part);
    WriteLanes<float>(w, to, parts[part]);
  }
}

// To a half of the destination, whose other half stays.
template <typename F>
void PairFromF32(Wave& w, const Instruction& i) {
  if (SaturatesHalf(w)) {
    return w.RaiseUnsupported(
        "conversion to 8-bit floats under MODE.FP16_OVFL; it is not known whether it saturates");
  }
  alignas(64) float a_buffer[kLanes];
  alignas(64) float b_buffer[kLanes];
  alignas(64) uint32_t result[kLanes];
  const float* a = ReadLanes<float>(w, i, 0, a_buffer);
  const float* b = ReadLanes<float>(w, i, 1, b_buffer);
  const uint32_t* old = DstLanes<uint32_t>(w, i);
  const int shift = (i.op_sel & 8) != 0 ? 16 : 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t pair = ToByte<F>(a[lane]) | ToByte<F>(b[lane]) << 8;
    result[lane] = (old[lane] & ~(0xFFFFu << shift)) | pair << shift;
  }
  WriteLanes<uint32_t>(w, i, result);
}

}  // namespace

void exec_V_CVT_F32_FP8(Wave& w, const Instruction& i) { ToF32<Fp8>(w, i); }
void exec_V_CVT_F32_BF8(Wave& w, const Instruction& i) { ToF32<Bf8>(w, i); }
void exec_V_CVT_PK_F32_FP8(Wave& w, const Instruction& i) { PairToF32<Fp8>(w, i); }
void exec_V_CVT_PK_F32_BF8(Wave& w, const Instruction& i) { PairToF32<Bf8>(w, i); }
void exec_V_CVT_PK_FP8_F32(Wave& w, const Instruction& i) { PairFromF32<Fp8>(w, i); }
void exec_V_CVT_PK_BF8_F32(Wave& w, const Instruction& i) { PairFromF32<Bf8>(w, i); }

}  // namespace gcnjit::runtime
