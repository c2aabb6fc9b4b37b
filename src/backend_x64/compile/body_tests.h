// Tests of bodies that seldom have a lane (ir::Op::kSkipped, if it is worth a test): in group code,
// guards can say of many that they have none. Such are the long divisions of 64-bit numbers, which
// are for lanes where a high half is not 0.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// Is any left?
bool HasBodyTests(const ir::Function& alone);
// Makes compares by themselves of compares of several halves at once: a half is a scalar, or the
// high one of a sum, which is compared itself then.
void SplitBodyTests(ir::Function& alone);
// By value id: what such tests are made of, conditions (u1) and masks, if a compare of halves with
// 0 is among that. Of others it is not known that they seldom have a lane.
std::vector<uint8_t> FindBodyTests(const ir::Function& alone);
// Takes out bodies whose mask is known to be empty: they do not count as executed.
void RemoveEmptyBodies(ir::Function& alone);

}  // namespace gcnjit::backend
