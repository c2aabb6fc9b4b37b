// Moves between registers and elements in memory, once it is known that they may be accessed. Used
// in line and out of line, so that it knows registers only. An element's aligned 8 and 16 bytes are
// moved in one piece, see runtime/interpreter/element.h.
#pragma once

#include <array>
#include <utility>

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

// Indices for vpermi2d: 0..15 are the first register's dwords, 16..31 the second one's.
template <typename F>
ConstantPool::Vector Indices(const F& index) {
  ConstantPool::Vector v;
  for (uint32_t lane = 0; lane < v.size(); ++lane) v[lane] = index(lane);
  return v;
}

// Scratch registers other than `offsets`.
inline std::pair<int, int> OthersThan(int offsets) {
  return {offsets == kT0 ? kT1 : kT0, offsets == kT2 ? kT1 : kT2};
}

// Changes the scratch registers, rcx and rdx. `mask` -1: all lanes. Of quadwords, results are pairs
// of components.
class AccessCode {
 public:
  explicit AccessCode(RegionAssembler& region)
      : region_(region), a(region.a), constants_(region.constants) {}

  // Consecutive elements.
  void LoadRun(const ir::MemoryAccess& access, int mask, const int (&result)[4],
               const x86::Mem& at);
  void StoreRun(const ir::MemoryAccess& access, int mask, const int (&data)[4], const x86::Mem& at);
  // The lower 8 lanes have a run, or an element, at `low`, the upper ones at `high`
  // (half_runs.cpp). Of elements that IsOfHalves.
  static bool IsOfHalves(const ir::MemoryAccess& access) { return access.bytes <= 8; }
  void LoadHalfRuns(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                    const x86::Mem& low, const x86::Mem& high);
  void StoreHalfRuns(const ir::MemoryAccess& access, int mask, const int (&data)[4],
                     const x86::Mem& low, const x86::Mem& high);
  void BroadcastHalves(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                       const x86::Mem& low, const x86::Mem& high);
  // Of a run of dwords the first 1, 2, 4 or 8; when loaded, the others become 0.
  void LoadFirst(int lanes, int result, const x86::Mem& at);
  void StoreFirst(int lanes, int data, const x86::Mem& at);
  // One element for all lanes, at rax. Changes none of rcx and rdx.
  void Broadcast(const ir::MemoryAccess& access, int mask, const int (&result)[4]);
  // At rax and the offsets, below 2^31, that a scratch register holds. What overlaps is stored in
  // ascending order of the lanes. LaneStores has been prepared.
  void Gather(const ir::MemoryAccess& access, int mask, const int (&result)[4], int offsets);
  void Scatter(const ir::MemoryAccess& access, int mask, const int (&data)[4], int offsets);
  // A dword of which the access means the first bytes.
  void NarrowTo(const ir::MemoryAccess& access, int reg);

 private:
  void SplitPairs(int mask, int x, int y, int even, int odd);
  void SwapHalves(int reg);
  void CopyHalf(int mask, uint32_t half);
  void GatherDwords(const ir::MemoryAccess& access, int mask, const int (&result)[4], int offsets);
  void BroadcastDwords(const ir::MemoryAccess& access, int mask, const int (&result)[4]);
  void LoadLongRun(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                   const x86::Mem& at);
  void StoreTriples(int mask, const int (&data)[4], const x86::Mem& at);
  void StorePairs(int mask, const int (&data)[4], const x86::Mem& at);
  void LoadTwo(uint32_t dwords, int mask, std::array<uint32_t, 2> numbers, const int (&result)[4],
               const x86::Mem& at);

  RegionAssembler& region_;
  x86::Assembler& a;
  ConstantPool& constants_;
};

}  // namespace gcnjit::backend::avx512
