// The memory instructions of compiled code: what the runtime has to know to do one in its place.
#pragma once

#include <cstdint>

#include "ir/types.h"

namespace gcnjit::backend {

// Where the EXEC that an instruction was executed with is found.
struct ExecSource {
  enum class Kind : uint8_t { kState, kSgprs, kSlot, kConstant };
  Kind kind = Kind::kState;  // EXEC itself
  uint32_t number = 0;       // of the pair's first SGPR, or of the slot
  uint64_t constant = 0;
};

// A memory instruction of the compiled code, by its number among the region's; that is also the
// number of its MemoryWindow.
struct SiteId {
  uint32_t index = 0;
};

// Where in its block a memory instruction is.
struct SitePlace {
  uint32_t wave = 0;   // so many after RelayState::wave, where one block is all of a group
  uint32_t order = 0;  // among the IR's operations: the first fault in program order counts
  // Guest instructions of the block, and of these the ones up to this one, itself included.
  uint32_t block_instructions = 0;
  uint32_t position = 0;
  uint32_t loop_iterations = 0;  // LoopCount::left of a slice that begins; 0: no loop
};

// Of a scalar load, maybe one of several that are done at once.
struct ScalarLoadPlace {
  uint32_t dword = 0;  // where its dwords go, from AccessTransfer::scalar_data on
  uint32_t bytes = 0;  // of the one whose window is for all: how many all are, from its address on
};

struct MemorySite {
  uint64_t pc = 0;
  ir::MemoryAccess access;
  bool is_store = false;
  bool is_atomic = false;
  bool is_lds = false;
  bool is_swizzled = false;  // see AccessBlock::kPlaceData
  // A load of a loop whose store is done when the loop is over: LoopCount::store_begin.
  bool is_before_store = false;
  int32_t imm = 0;  // added to the address
  ExecSource exec;
  uint32_t index = 0;  // of itself and of its MemoryWindow, among the region's
  SitePlace place;
  ScalarLoadPlace scalar;
};

}  // namespace gcnjit::backend
