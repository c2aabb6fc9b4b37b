// Adding instructions to a function.
#pragma once

#include "ir/function.h"

namespace gcnjit::ir {

// Adds an instruction, to no block. That may move all others: a reference to one of them is of no
// use any more. With AddressSanitizer they are moved each time, so that it finds such references.
Value Append(Function& function, Inst inst);

}  // namespace gcnjit::ir
