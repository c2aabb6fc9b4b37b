// Moves: plain, conditional, between lanes and scalar registers, and by a register number in M0.
#include <bit>

#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

using LaneRow = uint32_t[kLanes];

LaneRow& Row(Wave& w, const Operand& operand, int n) {
  return w.state.vgpr[VgprIndex(w, operand, n)];
}

}  // namespace

void exec_V_NOP(Wave&, const Instruction&) {}

// Clears the exception flags of the SIMD, which nothing can read here.
void exec_V_CLREXCP(Wave&, const Instruction&) {}

// neg and abs apply as if the source were an f32 (CDNA manual, V_MOV_B32; CLRX), so lanes are read
// as floats; their bits are copied.
void exec_V_MOV_B32(Wave& w, const Instruction& i) {
  MapLanes1<uint32_t, float>(w, i, [](float a) { return std::bit_cast<uint32_t>(a); });
}

void exec_V_MOV_B64(Wave& w, const Instruction& i) {
  MapLanes1<uint64_t, uint64_t>(w, i, [](uint64_t a) { return a; });
}

// dst = mask bit ? src1 : src0, with neg and abs as for v_mov_b32. The mask is src2.
void exec_V_CNDMASK_B32(Wave& w, const Instruction& i) {
  alignas(64) float a_buffer[kLanes];
  alignas(64) float b_buffer[kLanes];
  alignas(64) uint32_t chooses_b[kLanes];
  alignas(64) uint32_t d_buffer[kLanes];
  const float* a = ReadLanes<float>(w, i, 0, a_buffer);
  const float* b = ReadLanes<float>(w, i, 1, b_buffer);
  LanesOfMask(ReadLaneMask(w, i.src[2]), chooses_b);
  uint32_t* result = ResultLanes<uint32_t>(w, i, d_buffer);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto a_bits = std::bit_cast<uint32_t>(a[lane]);
    const auto b_bits = std::bit_cast<uint32_t>(b[lane]);
    result[lane] = (b_bits & chooses_b[lane]) | (a_bits & ~chooses_b[lane]);
  }
  FinishLanes<uint32_t>(w, i, result, d_buffer);
}

void exec_V_SWAP_B32(Wave& w, const Instruction& i) {
  LaneRow& dst = Row(w, i.dst, 3);
  LaneRow& src = Row(w, i.src[0], 0);
  if (w.event == WaveEvent::kFault) return;
  const uint64_t exec = w.exec();
  for (int lane = 0; lane < kLanes; ++lane) {
    if (((exec >> lane) & 1) != 0) std::swap(dst[lane], src[lane]);
  }
}

// ---- Lanes and scalars: EXEC does not mask these

namespace {

// One lane of a vector operand, or the value of a scalar one (LDS_DIRECT).
uint32_t ReadOneLane(Wave& w, const Instruction& i, int lane) {
  const Operand& operand = i.src[0];
  if (operand.kind != OperandKind::kVector) return ReadScalar32(w, operand);
  return Row(w, operand, 0)[lane];
}

}  // namespace

void exec_V_READFIRSTLANE_B32(Wave& w, const Instruction& i) {
  const uint64_t exec = w.exec();
  WriteScalar32(w, i.dst, ReadOneLane(w, i, exec == 0 ? 0 : std::countr_zero(exec)));
}

void exec_V_READLANE_B32(Wave& w, const Instruction& i) {
  const uint32_t lane = ReadScalar32(w, i.src[1]) & 63;
  WriteScalar32(w, i.dst, ReadOneLane(w, i, static_cast<int>(lane)));
}

void exec_V_WRITELANE_B32(Wave& w, const Instruction& i) {
  const uint32_t value = ReadScalar32(w, i.src[0]);
  const uint32_t lane = ReadScalar32(w, i.src[1]) & 63;
  LaneRow& dst = Row(w, i.dst, 3);
  if (w.event != WaveEvent::kFault) dst[lane] = value;
}

// ---- v_movrel*: register number + M0

namespace {

Operand Relative(const Wave& w, const Operand& operand) {
  Operand moved = operand;
  const uint32_t index = operand.index + w.state.m0();
  // Beyond the largest register file, VgprIndex refuses it.
  moved.index = static_cast<uint16_t>(index < 0x1000 ? index : 0x1000);
  return moved;
}

void MoveRelative(Wave& w, const Instruction& i, bool source, bool destination) {
  if (source && i.src[0].kind != OperandKind::kVector) {
    return w.RaiseUnsupported("v_movrels with a source that is not a VGPR");
  }
  Instruction moved = i;
  if (source) moved.src[0] = Relative(w, i.src[0]);
  if (destination) moved.dst = Relative(w, i.dst);
  exec_V_MOV_B32(w, moved);
}

}  // namespace

void exec_V_MOVRELD_B32(Wave& w, const Instruction& i) { MoveRelative(w, i, false, true); }
void exec_V_MOVRELS_B32(Wave& w, const Instruction& i) { MoveRelative(w, i, true, false); }
void exec_V_MOVRELSD_B32(Wave& w, const Instruction& i) { MoveRelative(w, i, true, true); }

}  // namespace gcnjit::runtime
