// Whether runs of consecutive elements are in memory that may be accessed.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

namespace gcnjit::backend {

// On to `fail` unless the run of elements at rax, and others from `lowest` (not above 0) to
// `highest` (not below 0) bytes behind it, are within a window (MemoryWindow). `is_wide`: they have
// up to 64 elements each, otherwise up to 16. Changes rcx and rdx.
void EmitRunWindowCheck(asmjit::x86::Assembler& a, uint32_t window, bool is_wide, int32_t lowest,
                        int32_t highest, const asmjit::Label& fail);

}  // namespace gcnjit::backend
