// Makes a failing program smaller.
#pragma once

#include "differential/compare.h"
#include "differential/program.h"

namespace gcnjit::differential {

// Drops instructions for as long as the engines still differ. The comparison is left with the
// outcome of the result.
Program Reduce(Comparison& comparison, Program program);

}  // namespace gcnjit::differential
