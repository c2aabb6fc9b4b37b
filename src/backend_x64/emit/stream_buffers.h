// Elements that the lanes of a loop's streams (plan/streams.h) will read in the iterations to
// come: where lanes would be gathered, kIterations elements of each are read at once, and turned
// round into a temp for each iteration.
#pragma once

#include <asmjit/x86.h>

#include <optional>
#include <vector>

#include "backend_x64/emit/cursor.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/emit/stream_buffer.h"
#include "backend_x64/emit/value_memory.h"

namespace gcnjit::backend {

class StreamBuffers {
 public:
  StreamBuffers(RegionAssembler& region, const Cursor& at, ValueMemory& memory)
      : region_(region), at_(at), memory_(memory) {}

  // Before the loop.
  void Take();
  // Before a slice's first iteration: there is nothing.
  void Clear();
  // After the loop.
  void Free();

  // None: it is no stream.
  std::optional<StreamBuffer> Of(ir::Value load, int part) const;

 private:
  struct Stream {
    ir::Value load;
    int temps = 0;                // the first
    std::vector<int> slots = {};  // of StreamBuffer::next and high, of each part
  };

  x86::Mem Slot(const Stream& stream, int number, uint32_t size) const;
  // StreamBuffer::access
  uint32_t AccessBit(ir::Value load) const;

  RegionAssembler& region_;
  const Cursor& at_;
  ValueMemory& memory_;
  std::vector<Stream> streams_;
};

// Goes on with rax being what `next` holds if an iteration's elements are there; else to `other`.
void EmitStreamCheck(RegionAssembler& region, const StreamBuffer& stream,
                     const asmjit::Label& other);
// After each iteration's load.
void EmitStreamStep(RegionAssembler& region, const StreamBuffer& stream);

}  // namespace gcnjit::backend
