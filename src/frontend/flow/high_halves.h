// Masks of lanes whose numbers need more than 32 bits. Compilers make two divisions of one of 64
// bits: a long one for these lanes, of which there are hardly any, and a short one. They compare a
// pair of VGPRs with 0: the low half is 0, the high one has the high halves of both numbers, by
// v_or_b32, or of one, where the other is known to be 0. The 0 may stand in an earlier block.
#pragma once

#include <span>

#include "frontend/flow/cfg.h"

namespace gcnjit::frontend {

// Is the last mask that the code computes in vector instructions one of these?
bool AsksForHighHalves(std::span<const DecodedInstruction> code);

}  // namespace gcnjit::frontend
