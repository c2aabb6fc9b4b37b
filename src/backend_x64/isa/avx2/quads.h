// Elements of 16 bytes: one instruction moves each (runtime/interpreter/element.h), and 4 x 4
// dwords of each half of the lanes are transposed.
#pragma once

#include <array>
#include <functional>

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend::avx2 {

// Where a lane's element goes; asked for in ascending order.
using AddressOf = std::function<x86::Mem(int lane)>;

// As AccessCode's moves.
class QuadCode {
 public:
  QuadCode(x86::Assembler& assembler, int32_t offset, bool quadwords = false)
      : a(assembler), offset_(offset), quadwords_(quadwords) {}

  // Are dwords of both halves wanted? Then they have to come from one load.
  static bool IsWanted(const ir::MemoryAccess& access, const int (&result)[4]);
  void LoadRun(int mask, const int (&result)[4]);
  void Gather(int mask, const int (&result)[4]);
  void Broadcast(int mask, const int (&result)[4]);
  void Store(const int (&data)[4], bool all, const AddressOf& address);

 private:
  static std::array<int, 4> RegistersFor(const int (&result)[4]);
  void Split(int mask, const int (&result)[4]);
  void FillOffsets(int mask, const asmjit::Label& none);
  x86::Mem Lane(int lane) const {
    constexpr int kBytes = 16;
    return x86::ptr(x86::rax, offset_ + lane * kBytes);
  }

  x86::Assembler& a;
  const int32_t offset_;
  const bool quadwords_;  // results
};

}  // namespace gcnjit::backend::avx2
