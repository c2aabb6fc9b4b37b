// SGPR pairs that have no lane in common with EXEC. Compilers collect the lanes that have left a
// loop in such a pair, which says no more of a lane that EXEC still has than EXEC does.
#pragma once

#include <bitset>

#include "ir/function.h"

namespace gcnjit::ir {

// By the number of the pair's first SGPR; never of pairs that overlap EXEC.
using SgprPairs = std::bitset<128>;

// Of a block's end, given those of its begin.
SgprPairs ApartMasksAtEnd(const Function& function, const Block& block, SgprPairs at_begin);

// What is left where something has written an SGPR.
void ForgetApartMasks(size_t written_sgpr, SgprPairs& apart);

}  // namespace gcnjit::ir
