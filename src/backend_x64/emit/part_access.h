// One part of a memory access: its operands in registers, and where its code goes on.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/emit/stream_buffer.h"
#include "ir/types.h"

namespace gcnjit::backend {

// 64-bit numbers of lanes, in memory, to which a loop has added `sum`.
struct CountedLanes {
  asmjit::x86::Mem low, high, sum;
};

// Of the lanes. Registers; -1: there is none.
struct PartAddress {
  int low = -1;
  int high = -1;
  std::optional<asmjit::x86::Mem> pointer = {};  // instead of these: all lanes' address
  std::optional<CountedLanes> counted = {};      // what the registers get where they are wanted
  int32_t imm = 0;                               // added to it
};

struct AccessExits {
  asmjit::Label slow;       // out of line, to the runtime
  asmjit::Label scattered;  // out of line: the addresses are not consecutive
  asmjit::Label partial;    // out of line: not all lanes of a run are active
  asmjit::Label done;       // the next operation
  asmjit::Label abort;      // the next slice, after a fault
};

struct PartAccess {
  SiteId site;
  ir::MemoryAccess access;
  bool is_store = false;
  int part = 0;
  bool environment = false;  // MXCSR is not the block's
  PartAddress address = {};
  // Registers; -1: there is none.
  int mask = -1;       // -1: all lanes
  int last_lane = -1;  // of the active ones; -1: it is not known
  int data[4] = {-1, -1, -1, -1};
  int result[4] = {-1, -1, -1, -1};
  std::optional<StreamBuffer> stream = {};
  AccessExits exits = {};
};

}  // namespace gcnjit::backend
