// What waves were seen to do, by the instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "profile/instruction_class.h"

namespace gcnjit::profile {

// By how many cache lines an access touches: 1, 2, up to 4, 8, 16, 32, 64, and more.
inline constexpr size_t kLineBuckets = 8;
// By how many lanes are active: none, up to 8, 16, ... 64.
inline constexpr size_t kLaneBuckets = 9;

// Accesses of waves to memory outside LDS, scalar ones left out.
struct LineCounts {
  uint64_t accesses = 0;
  uint64_t bytes = 0;  // asked for, by all lanes
  uint64_t lines = 0;
  uint64_t least_lines = 0;
  std::array<uint64_t, kLineBuckets> by_lines = {};

  LineCounts& operator+=(const LineCounts& other);
};

struct BankCounts {
  uint64_t accesses = 0;
  uint64_t passes = 0;
  uint64_t least_passes = 0;

  BankCounts& operator+=(const BankCounts& other);
};

// Of one instruction, by all waves together.
struct CodeCounts {
  InstructionClass kind = InstructionClass::kOther;
  uint8_t bytes = 0;           // of the instruction
  bool is_decoded = false;     // it can be executed at all
  bool ends_block = false;     // a branch, a barrier, an end
  bool is_target = false;      // a wave has come to it by a jump
  uint32_t flops = 0;          // a lane, each time
  uint32_t bytes_read = 0;     // likewise; a wave, of scalar loads
  uint32_t bytes_written = 0;  // likewise
  uint64_t executed = 0;       // by waves
  uint64_t active_lanes = 0;   // that EXEC enabled, summed
  std::array<uint64_t, kLaneBuckets> by_lanes = {};
  LineCounts lines;
  BankCounts banks;

  // How often what is counted for a lane was done.
  uint64_t Times() const { return IsVector(kind) ? active_lanes : executed; }
};

// By guest address.
using CountsByPc = std::map<uint64_t, CodeCounts>;

// Instructions that follow each other, and that waves only come to at the first.
struct BlockCounts {
  uint64_t pc = 0;
  uint64_t executed = 0;             // by waves
  uint64_t instructions = 0;         // that it has
  uint64_t vector_instructions = 0;  // executed
  uint64_t active_lanes = 0;         // of those, summed
};
std::vector<BlockCounts> BlocksOf(const CountsByPc& counts);

// All instructions together.
struct CountTotals {
  ClassCounts by_class = {};
  uint64_t instructions = 0;         // executed
  uint64_t vector_instructions = 0;  // of these
  uint64_t active_lanes = 0;         // of those, summed
  std::array<uint64_t, kLaneBuckets> by_lanes = {};
  uint64_t flops = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  LineCounts lines;
  BankCounts banks;
};
CountTotals TotalsOf(const CountsByPc& counts);

}  // namespace gcnjit::profile
