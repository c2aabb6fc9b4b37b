// Where runs of consecutive elements are, and whether that is memory that may be accessed.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "ir/types.h"

namespace gcnjit::backend {

// rax: base + (ext(eax) << shift) + imm, where eax is an index from which others are up to `last`
// away modulo 2^32. On to `fail` if, extended, the last one would have wrapped around.
void EmitIndexAddress(asmjit::x86::Assembler& a, const ir::MemoryAccess& access,
                      const asmjit::x86::Mem& base, int32_t imm, int32_t last,
                      const asmjit::Label& fail);

// On to `fail` unless the run of elements at rax, and others from `lowest` (not above 0) to
// `highest` (not below 0) bytes after it, are within a window (MemoryWindow). `is_wide`: they have
// up to 64 elements each, otherwise up to 16. Changes rcx and rdx.
void EmitWindowCheck(asmjit::x86::Assembler& a, uint32_t window, bool is_wide, int32_t lowest,
                     int32_t highest, const asmjit::Label& fail);

// Likewise of single elements at rax and `last` bytes after it, with what lies between them.
void EmitElementsCheck(asmjit::x86::Assembler& a, uint32_t window, int32_t last,
                       const asmjit::Label& fail);

}  // namespace gcnjit::backend
