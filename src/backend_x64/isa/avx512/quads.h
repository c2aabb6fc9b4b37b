// Elements of 16 bytes: one instruction moves each (runtime/interpreter/element.h), alone or with
// its neighbours, and dwords are put in the order of the lanes.
#pragma once

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend::avx512 {

// As AccessCode's moves.
class QuadCode {
 public:
  explicit QuadCode(RegionAssembler& region) : a(region.a), constants_(region.constants) {}

  // Are dwords of both halves wanted? Then they have to come from one load.
  static bool IsWanted(const ir::MemoryAccess& access, const int (&result)[4]);
  void LoadRun(int mask, const int (&result)[4], const x86::Mem& at);
  void StoreRun(int mask, const int (&data)[4], const x86::Mem& at);
  void Gather(int mask, const int (&result)[4], int offsets);
  void Scatter(int mask, const int (&data)[4], int offsets);
  void Broadcast(int mask, const int (&result)[4]);

 private:
  void PrepareJoin();
  void Join(int quarter, const int (&data)[4], int to, int other);
  void StoreOne(int n, int from, const x86::Mem& to);
  void NextLanes(int reg);

  x86::Assembler& a;
  ConstantPool& constants_;
};

}  // namespace gcnjit::backend::avx512
