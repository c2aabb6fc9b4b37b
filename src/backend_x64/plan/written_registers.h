// What compiled code changes of a wave's registers.
#pragma once

#include <bitset>

#include "ir/analysis/live_registers.h"
#include "ir/function.h"

namespace gcnjit::backend {

struct WrittenRegisters {
  std::bitset<ir::kVgprs> vgprs;
  std::bitset<128> sgprs;  // by operand code
  bool operator==(const WrittenRegisters& other) const = default;
};

// Those that one block of the function changes.
WrittenRegisters WritesOf(const ir::Function& function, const ir::Block& block);

// Registers whose place in the wave's state may be written by the code of the function's blocks,
// either of group code or of all others; the others keep what they held, also if the guest's code
// has written them for a while. SCC, MODE and the program counter are not in it.
WrittenRegisters WritesOf(const ir::Function& function, bool of_group_code);

// Registers that the waves of group code may read before they write them.
ir::LiveRegisters ReadFirstByGroupCode(const ir::Function& function);

}  // namespace gcnjit::backend
