// DPP: where each lane takes src0 from, and which lanes are written. Sources: Vega manual,
// "DPP_CTRL enumerations"; CLRX GcnSdwaDpp; row_bcast: gem5 inst_util.hh.
#include "frontend/lift/modifiers.h"

namespace gcnjit::frontend {
namespace {

constexpr int kRow = 16;

// False for a reserved control.
bool PatternOf(uint32_t ctrl, ir::LanePattern& pattern) {
  const int count = static_cast<int>(ctrl & 15);
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const int in_row = lane % kRow;
    const int row = lane - in_row;
    int source = -1;
    if (ctrl < 0x100) {  // quad_perm: two bits a lane of the quad
      source = lane / 4 * 4 + static_cast<int>(ctrl >> (lane % 4 * 2) & 3);
    } else if (ctrl > 0x100 && ctrl < 0x110) {  // row_shl
      if (in_row + count < kRow) source = lane + count;
    } else if (ctrl > 0x110 && ctrl < 0x120) {  // row_shr
      if (in_row - count >= 0) source = lane - count;
    } else if (ctrl > 0x120 && ctrl < 0x130) {  // row_ror
      source = row + (in_row + kRow - count) % kRow;
    } else if (ctrl >= 0x150 && ctrl < 0x160) {  // row_newbcast
      source = row + count;
    } else if (ctrl == 0x130) {  // wave_shl
      if (lane != ir::kLanes - 1) source = lane + 1;
    } else if (ctrl == 0x134) {  // wave_rol
      source = (lane + 1) % ir::kLanes;
    } else if (ctrl == 0x138) {  // wave_shr
      source = lane - 1;
    } else if (ctrl == 0x13C) {  // wave_ror
      source = (lane + ir::kLanes - 1) % ir::kLanes;
    } else if (ctrl == 0x140) {  // row_mirror
      source = row + kRow - 1 - in_row;
    } else if (ctrl == 0x141) {  // row_half_mirror
      source = lane / 8 * 8 + 7 - lane % 8;
    } else if (ctrl == 0x142) {  // row_bcast:15
      source = row - 1;
    } else if (ctrl == 0x143) {  // row_bcast:31
      if (lane > 31) source = 31;
    } else {
      return false;
    }
    pattern[static_cast<size_t>(lane)] = source < 0 ? ir::kNoLane : static_cast<uint8_t>(source);
  }
  return true;
}

// Lanes that have a source which EXEC does not mask out.
Value ValidLanes(Lifter& l, const ir::LanePattern& pattern) {
  return l.b.Emit(Op::kPermuteMask, ir::Type::kU64, {l.Exec()}, l.b.Pattern(pattern));
}

// Lanes of the rows and banks (quads of a row) that are enabled.
uint64_t EnabledLanes(const Dpp& dpp) {
  uint64_t lanes = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const bool row = (dpp.row_mask >> (lane / kRow) & 1) != 0;
    const bool bank = (dpp.bank_mask >> (lane % kRow / 4) & 1) != 0;
    if (row && bank) lanes |= uint64_t{1} << lane;
  }
  return lanes;
}

}  // namespace

Value PermuteDpp(Lifter& l, const Dpp& dpp, Value v) {
  ir::LanePattern pattern;
  if (!PatternOf(dpp.ctrl, pattern)) {
    l.Refuse("reserved DPP control");
    return l.b.U32(0);
  }
  const Value permuted = l.b.Emit(Op::kPermute, ir::Type::kV32, {v}, l.b.Pattern(pattern));
  // With BOUND_CTRL lanes without a valid source are written too: they read 0.
  return dpp.bound_ctrl ? l.b.Select(ValidLanes(l, pattern), permuted, l.b.U32(0)) : permuted;
}

Value WrittenLanes(Lifter& l, const Instruction& i) {
  const Value exec = l.Exec();
  if (i.encoding != Encoding::kDpp) return exec;
  const Value enabled = l.b.And(exec, l.b.U64(EnabledLanes(i.dpp)));
  ir::LanePattern pattern;
  if (i.dpp.bound_ctrl || !PatternOf(i.dpp.ctrl, pattern)) return enabled;
  return l.b.And(enabled, ValidLanes(l, pattern));
}

}  // namespace gcnjit::frontend
