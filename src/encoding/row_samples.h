// For every row and encoding: words that show each operand class and each modifier once.
#pragma once

#include <vector>

#include "encoding/skeleton.h"
#include "isa/opcode_table.h"

namespace gcnjit::encoding {

// All samples of a row on a generation that has it. Samples that ask for what the row does not have
// (an f64 constant in a VGPR-only field, say) are among them: the decoder refuses those.
std::vector<Words> RowSamples(frontend::Generation generation, const frontend::OpcodeRow& row);

}  // namespace gcnjit::encoding
