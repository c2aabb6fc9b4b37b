// Stores of a wave's elements one by one, of which some are not to be stored: what both
// instruction sets do alike. Whether a lane stores could not be predicted where lanes are in
// disorder, so those that do not store to a place that nothing reads.
#pragma once

#include <asmjit/x86.h>

namespace gcnjit::backend {

// Makes that place. Changes rcx, and AccessTransfer::scratch from kNowhere on.
void EmitNowhere(asmjit::x86::Assembler& a);
inline constexpr int kNowhere = 8;

// Where bit `lane` of edx has the element stored: at `to`, or nowhere. In rcx.
asmjit::x86::Mem StoredAt(asmjit::x86::Assembler& a, int lane, const asmjit::x86::Mem& to);

}  // namespace gcnjit::backend
