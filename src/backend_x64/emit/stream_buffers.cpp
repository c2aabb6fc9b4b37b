#include "backend_x64/emit/stream_buffers.h"

namespace gcnjit::backend {

using ir::Value;

void StreamBuffers::Take() {
  for (const Value load : at_.block.plan.loop->streams) {
    Stream stream = {load, region_.frame.temps.Take(StreamBuffer::kIterations)};
    for (int n = 0; n < 2 * at_.parts; ++n) stream.slots.push_back(region_.frame.slots.Take());
    streams_.push_back(std::move(stream));
  }
}

void StreamBuffers::Clear() {
  for (const Stream& stream : streams_) {
    for (int part = 0; part < at_.parts; ++part) {
      region_.a.mov(Slot(stream, 2 * part, 8), StreamBuffer::kEnd);
    }
  }
}

void StreamBuffers::Free() {
  for (const Stream& stream : streams_) {
    region_.frame.temps.Free(stream.temps, StreamBuffer::kIterations);
    for (const int slot : stream.slots) region_.frame.slots.Free(slot);
  }
  streams_.clear();
}

x86::Mem StreamBuffers::Slot(const Stream& stream, int number, uint32_t size) const {
  x86::Mem memory = memory_.Slot(stream.slots[static_cast<size_t>(number)]);
  memory.setSize(size);
  return memory;
}

std::optional<StreamBuffer> StreamBuffers::Of(Value load, int part) const {
  for (const Stream& stream : streams_) {
    if (!(stream.load == load)) continue;
    return StreamBuffer{memory_.Temp(stream.temps, part), Slot(stream, 2 * part, 8),
                        Slot(stream, 2 * part + 1, 4), region_.a.newLabel(), AccessBit(load)};
  }
  return std::nullopt;
}

uint32_t StreamBuffers::AccessBit(Value load) const {
  if (!at_.block.plan.loop->stores) return 0;
  uint32_t bit = 1;
  for (const Value v : at_.block.source.insts) {
    if (v == load) break;
    const ir::Op op = at_.block.function[v].op;
    if (op == ir::Op::kLoad || op == ir::Op::kStore) bit <<= 1;
  }
  return bit;
}

void EmitStreamCheck(RegionAssembler& region, const StreamBuffer& stream,
                     const asmjit::Label& other) {
  x86::Assembler& a = region.a;
  a.bind(stream.read);
  a.mov(x86::rax, stream.next);
  a.cmp(x86::rax, StreamBuffer::kEnd);
  a.jae(other);
}

void EmitStreamStep(RegionAssembler& region, const StreamBuffer& stream) {
  region.a.add(stream.next, StreamBuffer::kBytesOfIteration);
}

}  // namespace gcnjit::backend
