// Executes a block of IR, lane by lane and operation by operation, exactly as opcodes.def says. It
// is the oracle of the passes and of the lifter's tests: plain rather than fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "ir/function.h"

namespace gcnjit::ir {

// What the block works on. Pointers may be null if the block does not touch what they point to.
struct EvaluatorState {
  uint32_t* sgpr = nullptr;  // 128, by operand code
  uint32_t* scc = nullptr;
  uint32_t* mode = nullptr;
  uint32_t (*vgpr)[kLanes] = nullptr;
  uint64_t code_base = 0;
  uint64_t* common = nullptr;  // by number
  std::byte* lds = nullptr;
  uint32_t lds_bytes = 0;
  // Guest memory. Copies `bytes` from (or to, if is_write) the address; false is a fault. An atomic
  // is a read followed by a write.
  std::function<bool(uint64_t address, void* data, uint32_t bytes, bool is_write)> memory;
  // Space::kFlat, where scratch depends on the lane. If empty, flat addresses go to `memory` too.
  std::function<bool(int lane, uint64_t address, void* data, uint32_t bytes, bool is_write)> flat;
  // What an atomic of Space::kFlat is at an address: in LDS MODE says what becomes of denormals. If
  // empty, it is the same everywhere.
  std::function<MemoryAccess(MemoryAccess access, uint64_t address)> flat_atomic;
};

struct EvaluatorFault {
  int lane = -1;  // -1: a scalar load
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool is_write = false;
  bool misaligned = false;  // of an atomic
  uint16_t guest = 0;       // index into Block::guest_pcs
};

struct EvaluatorResult {
  Op terminator = Op::kExit;
  ExitReason reason = ExitReason::kNext;  // kFault if `fault` is set
  uint64_t next_pc = 0;
  std::optional<EvaluatorFault> fault;
  uint64_t skipped = 0;  // guest instructions of the block that do not count as executed
};

// The block must have passed the verifier. After a fault the state is what the instructions before
// the faulting lane's access have left.
EvaluatorResult Evaluate(const Function& function, const Block& block, const EvaluatorState& state);

}  // namespace gcnjit::ir
