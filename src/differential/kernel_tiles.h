// What work-items of a group do together in LDS, in kernels that are launched: each writes its
// place, and after a barrier reads others'.
#pragma once

#include <cstdint>

#include "differential/kernel_writer.h"

namespace gcnjit::differential {

class KernelTiles {
 public:
  explicit KernelTiles(KernelWriter& writer)
      : w_(writer), p_(writer.pointers()), random_(writer.random()) {}

  // LDS that the kernel's groups get: seldom less than what they access.
  void Begin();
  void Add();

 private:
  using Opcode = frontend::Opcode;

  void Tile();
  void TileLoop();
  void Tree();
  void TreeStep(Source distance, uint32_t items);
  void Bins();

  void WriteOwn();
  // A VGPR with the address of another work-item's place.
  void OtherPlace(uint32_t vgpr);
  void ReadOthers(uint32_t count);
  void Barrier() { w_.Add(w_.assembler().Sopp(Opcode::S_BARRIER)); }
  void Wait() { w_.Add(w_.assembler().Sopp(Opcode::S_WAITCNT, 0)); }

  KernelWriter& w_;
  KernelPointers& p_;
  Random& random_;
  uint32_t pitch_ = 0;  // bytes from one work-item's place to the next one's
};

}  // namespace gcnjit::differential
