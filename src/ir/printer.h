// IR as text, which the parser reads back:
//
//   pattern 0 = 1 0 3 2 ... -                       (64 lanes; '-': none)
//   block 0x1000 instructions=2
//   guest 0 0x1000                                  index and address of a guest instruction
//     %1 = get_vgpr.v32 v3
//     %2 = get_sgpr64.u64 s126
//     %3 = ffma.v32 %1, %1, 1.0 {rn, daz, ftz}
//     %4 = load.v32 %1, %3, %2 {bytes=8, flat, offset=16}
//     %5 = part.v32 %4 {dword=1}
//     set_vgpr v3, %5
//   guest 1 0x1008
//     branch true, 0x1010, 0x1020
//
// Constants stand where they are used: 5, 0x3f800000 and 1.0 are u32, 5:u64 is a u64, true and
// false are u1. Everything after ';' is a comment.
#pragma once

#include <functional>
#include <string>

#include "ir/function.h"

namespace gcnjit::ir {

// The comment at the end of a guest instruction's line: its disassembly, for instance.
using GuestComment = std::function<std::string(uint64_t pc)>;

std::string Print(const Function& function, const GuestComment& comment = {});
std::string PrintBlock(const Function& function, const Block& block,
                       const GuestComment& comment = {});
// The line that says to which guest instruction (by its index in the block) the following lines
// belong; without a line's end.
std::string GuestLine(const Block& block, size_t guest, const GuestComment& comment);
// One instruction, without a line's end.
std::string PrintInst(const Function& function, const Block& block, Value value);

}  // namespace gcnjit::ir
