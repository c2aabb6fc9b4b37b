// What a person changes in a run: a register, LDS or memory. A change belongs to its place:
// whenever the run comes there, from either side, it is made again, so that the way back and
// forwards stays repeatable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "debug/machine.h"
#include "debug/registers.h"

namespace gcnjit::debug {

struct Change {
  enum class Kind : uint8_t { kRegister, kLds, kMemory };
  Kind kind = Kind::kRegister;
  WaveName wave;         // whose register it is, or whose group's LDS
  RegisterName reg;      // of kRegister
  int lane = 0;          // of a vector register
  uint64_t address = 0;  // of kLds, in bytes; of kMemory, a guest address
  // What is there afterwards: of a register 4 bytes for each of its 32 bits; of LDS and memory as
  // many as are changed, not none.
  std::vector<std::byte> bytes;
};

}  // namespace gcnjit::debug
