// Checks that IR is well formed: what every consumer may rely on.
#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace gcnjit::ir {

// One message for each thing that is wrong; empty if the function is well formed.
std::vector<std::string> Verify(const Function& function);

// How many data operands an atomic takes, each of MemoryAccess::Dwords() dwords.
int AtomicOperands(AtomicOp atomic);
// Dwords that a load or an atomic produces; 0 for other operations.
int ResultDwords(const Inst& inst);

}  // namespace gcnjit::ir
