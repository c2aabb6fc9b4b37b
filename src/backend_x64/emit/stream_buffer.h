// What is known of a stream's next iterations (stream_buffers.h), of one part of the slice.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "ir/types.h"

namespace gcnjit::backend {

struct StreamBuffer {
  static constexpr int kIterations = 8;
  static constexpr int kBytesOfIteration = ir::kLanes * 4;
  static constexpr int32_t kEnd = kIterations * kBytesOfIteration;

  asmjit::x86::Mem elements;  // of the first iteration
  // 8 bytes: from there to those of this iteration; from kEnd on: none is there.
  asmjit::x86::Mem next;
  asmjit::x86::Mem high;  // 4 bytes: of all addresses
  asmjit::Label read;     // takes them
  uint32_t access = 0;    // of a loop that stores: its bit in LoopCount::loads_of_stored
  // Of the indexed form: the register of the lanes' indices. Those of the later iterations do not
  // wrap around if these are not above `most_index`. -1: there is none.
  int index = -1;
  uint32_t most_index = 0;

  void SetIndex(int reg, const ir::MemoryAccess& access) {
    index = reg;
    most_index =
        (access.index_signed ? INT32_MAX : UINT32_MAX) - (kIterations - 1) * access.IndexStep();
  }

  // Of the routine that fills it (RegionAssembler::routines): with all lanes at one place, or not.
  static uint64_t KeyOf(const ir::MemoryAccess& access, bool one_place) {
    return 0x100u | access.bytes | (access.sign_extend ? 0x80u : 0) | (one_place ? 0x40u : 0);
  }
};

}  // namespace gcnjit::backend
