// What a loop over the slices of a wave ends with.
#pragma once

#include "backend_x64/emit/block_parts.h"

namespace gcnjit::backend {

// On to the next slice, at `loop`, if there is one.
void EmitNextSlice(BlockParts& b, const asmjit::Label& loop);

// Leaves the region, or goes on at `to`, if an access of the stage has faulted.
void EmitFaultCheck(BlockParts& b, const Stage& stage);
void EmitFaultCheck(BlockParts& b, const Stage& stage, const asmjit::Label& to);

}  // namespace gcnjit::backend
