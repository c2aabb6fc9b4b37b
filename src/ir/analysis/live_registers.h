// Registers of the wave's state that blocks may still read.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>

#include "ir/function.h"

namespace gcnjit::ir {

struct LiveRegisters {
  std::bitset<kVgprs> vgprs;
  std::bitset<128> sgprs;  // by operand code
  bool scc = false;

  LiveRegisters& operator|=(const LiveRegisters& other);
  // From after the operation to before it; false: it writes a register that is not read later.
  bool Follow(const Inst& inst);
};

// At the begin of blocks that lead forwards only, when they are asked for from the last one on.
class ForwardLiveness {
 public:
  LiveRegisters AtEnd(const Block& block) const;
  void SetAtBegin(const Block& block, const LiveRegisters& live) { at_begin_[block.begin] = live; }

 private:
  std::unordered_map<uint64_t, LiveRegisters> at_begin_;
};

}  // namespace gcnjit::ir
