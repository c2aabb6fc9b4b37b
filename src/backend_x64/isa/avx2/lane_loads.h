// Loads of a register's 8 lanes from 8 places, one by one. Of pairs of dwords, and of places that
// are known, they take less time than gathers.
#pragma once

#include "backend_x64/isa/avx2/quads.h"

namespace gcnjit::backend::avx2 {

// Both change scratch 2.
void LoadDwords(x86::Assembler& a, int to, const AddressOf& address);
// Each lane's aligned 8 bytes in one piece. `quadwords`: to the registers of a v64; else one gets
// the first dwords, the other the second ones.
void LoadPairs(x86::Assembler& a, int even, int odd, bool quadwords, const AddressOf& address);

// [rax + displacement] and the offsets that scratch 0 holds. It has its halves changed over after
// lane 4; changes rcx and rdx.
class OffsetLanes {
 public:
  OffsetLanes(x86::Assembler& assembler, int32_t displacement)
      : a(assembler), displacement_(displacement) {}

  x86::Mem operator()(int lane) const;

 private:
  x86::Assembler& a;
  const int32_t displacement_;
};

}  // namespace gcnjit::backend::avx2
