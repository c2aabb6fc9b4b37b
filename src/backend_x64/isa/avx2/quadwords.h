// Results of loads as quadwords (ir/rewrite/quadword_loads.h): a pair of registers has the two
// components of a v64, in the order of lanes that registers.h states.
#pragma once

#include <asmjit/x86.h>

namespace gcnjit::backend::avx2 {

// Results that are dwords become components. Changes scratch 0.
void JoinDwords(asmjit::x86::Assembler& a, const int (&result)[4]);

// A component in the lanes of `mask`, 0 in the others; -1: all lanes. `to` is neither of the other
// registers where there is a mask.
void MoveComponent(asmjit::x86::Assembler& a, int component, int to, int from, int mask);

}  // namespace gcnjit::backend::avx2
