// Decoded instructions as text, in the syntax of LLVM's AMDGPU assembler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "isa/generation.h"
#include "isa/instruction.h"

namespace gcnjit::frontend {

// The instruction as `llvm-mc -disassemble` prints it, e.g. "v_add_f32_e32 v1, s1, v129". Branches
// show the encoded dword count, as there.
std::string Disassemble(Generation generation, const Instruction& instruction);

// The same; the target of a direct branch at address `pc` follows as a comment: " // 0x1234".
std::string Disassemble(Generation generation, const Instruction& instruction, uint64_t pc);

// The same for what LLVM's syntax can say; else `.long` and the instruction's words, with a comment
// that says what they do: fields that the instruction ignores hold something
// (isa/ignored_fields.h), or VOP3's neg and abs change the sign bit of a source that is no float.
std::string DisassembleWords(Generation generation, std::span<const uint32_t> words,
                             const Instruction& instruction, uint64_t pc);

// Whether neg or abs of VOP3 change the sign bit of a source that is no float.
bool ChangesIntegerSigns(const Instruction& instruction);

// Where a direct branch (s_branch, s_cbranch_*, s_cbranch_i_fork, s_call_b64) at `pc` goes.
std::optional<uint64_t> BranchTarget(const Instruction& instruction, uint64_t pc);

}  // namespace gcnjit::frontend
