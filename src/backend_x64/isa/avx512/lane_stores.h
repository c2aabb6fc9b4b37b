// Stores of a part lane after lane, in ascending order, so that lanes may overlap in any way. Most
// of it is a routine, one in a region for each size of elements.
#pragma once

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend::avx512 {

class LaneStores {
 public:
  LaneStores(RegionAssembler& region, const ir::MemoryAccess& access)
      : region_(region), a(region.a), bytes_(access.bytes) {}

  // Elements of 4 bytes are scattered by one instruction, those of 16 in line (quads.cpp).
  bool HasSize() const { return bytes_ != 4 && bytes_ != 16; }
  // Makes sure that the region has the routine. Out-of-line code is too late for that.
  void Prepare();
  // The lanes of `mask` (-1: all), at rax and the offsets that a scratch register holds. Changes
  // the scratch registers, rcx, rdx, AccessBlock::low and AccessTransfer::scratch.
  void Emit(int mask, const int (&data)[4], int offsets);

 private:
  void EmitRoutine();
  template <typename F>
  void ForEachLane(const F& address);
  void NextQuarter();
  void StoreLane(int lane, const x86::Mem& to);

  RegionAssembler& region_;
  x86::Assembler& a;
  const uint32_t bytes_;
};

}  // namespace gcnjit::backend::avx512
