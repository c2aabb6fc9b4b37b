// Group code: a kernel once more, for all waves of a work-group together. Where the waves'
// work-item ids are known, so is which way each of them takes through `if (id < 64)` and its like,
// and with it which waves come to which barrier. So their blocks can be written one after another
// in the order in which the waves take turns: the first wave up to the first barrier, then the
// second, ..; then each up to the second barrier, the last wave first. No look-up is needed from
// one wave to the next, lane masks are constants, code that a wave runs without lanes is left out,
// and so are waves that only pass barriers. Where no branch depends on data, and the waves start
// alike, all of it is one block, whose values cross barriers and go from wave to wave.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "workgroup/wave_trace.h"

namespace gcnjit::workgroup {

// How the waves of a group start, one after the other.
struct GroupStart {
  uint64_t entry = 0;
  uint32_t lds_bytes = 0;       // there are at least so many
  bool has_same_sgprs = false;  // but for EXEC; and the same VGPRs, but for ids
  std::vector<WaveStart> waves;
};

struct GroupCode {
  // It may read LDS that it has not written.
  bool wants_zeroed_lds = true;
  // It is one block, in which guest instructions' addresses say whose they are (ir::WithWave), and
  // which is all that the function has: its other blocks are gone.
  bool is_one_block = false;
  // Waves may wait for each other: the order of their accesses may mean something to others.
  bool has_barriers = false;
};

// Appends the group's blocks to a lifted function, in the order in which they are to be executed.
// A wave's last block of all, or the one before a barrier, ends with kExit; after it, control goes
// on with the next block in the function, which is the next wave's. There is no group code, and
// nothing is changed, if the waves' ways are not known well enough (each may branch forwards only,
// and, but for a single wave, must come to the same barriers however it branches), or if it would
// not pay.
std::optional<GroupCode> AppendGroupCode(ir::Function& function, const GroupStart& start);

}  // namespace gcnjit::workgroup
