// Which registers generated programs use for what, and the state that they start from.
#pragma once

#include <cstdint>

#include "differential/machine.h"
#include "differential/program.h"
#include "differential/random.h"

namespace gcnjit::differential {

// SGPRs. Generated instructions write the pool, VCC, sometimes EXEC, M0 and the high ones; what the
// program needs for itself (addresses, counters) is only read.
enum Sgpr : uint32_t {
  kForkStack = 0,  // s[0:3]: where the first s_cbranch_*_fork saves the other path
  kPool = 4,       // s[4:15]
  kPoolEnd = 16,
  kDataBase = 16,      // s[16:17]: data()
  kDataMiddle = 18,    // s[18:19]: in the middle of the data, for negative offsets
  kBuffer = 20,        // s[20:23]: resource without stride
  kStructured = 24,    // s[24:27]: with a stride
  kLoopCounters = 28,  // s28, s29
  kReturn = 30,        // s[30:31]
  kWidePool = 32,      // s[32:47]: loads of 8 and 16 dwords, and others
  kWidePoolEnd = 48,
  kSavedExec = 48,  // s[48:55]
  kSavedExecEnd = 56,
  kSmallOffset = 56,     // s56: a multiple of 16 below 512
  kZero = 57,            // s57
  kScratchAddress = 58,  // s[58:59]: scratch()
  kSwizzled = 60,        // s[60:63]: scratch, as code objects describe it
  kFormatted = 64,       // s[64:67]: any format and component selects
  kFreeAddress = 68,     // s[68:71]: base 0, for 64-bit addresses from VGPRs (gfx6-7)
  kScratchOffset = 72,   // s72: a multiple of 4 below kScratchPerLane
  kImage = 76,           // s[76:83]: a linear image, see random_images.h
  kSampler = 84,         // s[84:87]
  kDepthImage = 88,      // s[88:95]: one that can be compared
  kRandom = 96,          // the rest, and s[73:75]: random contents
};

// VGPRs: a pool from v0 up, and above it addresses and offsets of each lane, only read.
inline constexpr uint32_t kPinnedVgprs = 11;
struct VgprPlan {
  uint32_t count;
  constexpr uint32_t pool() const { return count - kPinnedVgprs; }
  uint32_t linear_address() const { return count - 2; }  // pair: data() + up to 16 a lane
  uint32_t random_address() const { return count - 4; }  // pair: anywhere in the data
  uint32_t linear_offset() const { return count - 5; }   // up to 16 a lane, or the same in all
  uint32_t random_offset() const { return count - 6; }   // multiples of 4 below 2,048
  uint32_t shared_address() const { return count - 8; }  // pair: flat address in LDS or scratch
  // For loops, which write them:
  uint32_t walking_address() const { return count - 10; }  // pair: linear_address() at the start
  uint32_t lane_counter() const { return count - 11; }
};

// A buffer's data and number format. Most fit a store of `components` (0: any), and most are among
// those that loads and stores know.
struct BufferFormat {
  uint32_t data;
  uint32_t number;
};
BufferFormat RandomBufferFormat(Random& random, int components);
uint32_t ComponentsOfFormat(uint32_t data_format);

// What a program starts from: registers, memory, LDS and GDS, all from the program's seed. `round`
// counts the states of one program.
struct InitialState {
  runtime::WaveState wave;
  std::vector<std::byte> memory;
  std::vector<std::byte> lds;
};
void FillInitialState(const Machine& machine, const Program& program, uint32_t round,
                      InitialState& state);

}  // namespace gcnjit::differential
