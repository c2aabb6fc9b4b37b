// Why rows have no lift_* function.
#pragma once

#include "isa/opcode_table.h"

namespace gcnjit::frontend {

// nullptr if the row is lifted. A row that is refused when executed has that reason.
const char* WhyNotLifted(Opcode opcode);

}  // namespace gcnjit::frontend
