// How far the results of the approximate functions may be from the exact ones. docs/approximate.md
// says how this was measured; tests/unit/frontend/arith/approximate_test.cpp measures it again.
#pragma once

#include "isa/opcode_table.h"

namespace gcnjit::frontend::arith {

struct Accuracy {
  double ulp = 0;         // largest error, in units in the last place
  const char* note = "";  // what there is to say about the bound
};

// nullptr: not an approximate function.
const Accuracy* AccuracyOf(Opcode opcode);

}  // namespace gcnjit::frontend::arith
