// What a loop over the slices of a wave begins and ends with.
#pragma once

#include <optional>

#include "backend_x64/emit/block_parts.h"

namespace gcnjit::backend {

// Before the first slice: jumps to the label that is returned if the stage is not wanted at all.
// None: it is always wanted.
std::optional<asmjit::Label> EmitSkipOfStage(BlockParts& b, const Stage& stage);

// Jumps, from a slice without an active lane, to the label that is returned. None: the stage has
// one slice only, or leaves none out.
std::optional<asmjit::Label> EmitSkipOfEmpty(BlockParts& b, const Stage& stage);
// Binds that label to code which makes the masks of such a slice and goes on at Cursor::next_slice.
void EmitIdleMasks(BlockParts& b, const Stage& stage, const asmjit::Label& left_out);

// On to the next slice, at `loop`, if there is one.
void EmitNextSlice(BlockParts& b, const asmjit::Label& loop);

// Leaves the region, or goes on at `to`, if an access of the stage has faulted.
void EmitFaultCheck(BlockParts& b, const Stage& stage);
void EmitFaultCheck(BlockParts& b, const Stage& stage, const asmjit::Label& to);

}  // namespace gcnjit::backend
