// Quadwords of lanes, and their dwords. Results of loads as quadwords
// (ir/rewrite/quadword_loads.h): a pair of registers has the two components of a v64, of 8 lanes
// each.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend::avx512 {

// Half of the quadwords that registers `low` and `high` have the dwords of.
void JoinPairs(RegionAssembler& region, uint32_t half, int low, int high, int to);

// Results that are dwords become components. Changes scratch 0 and 1.
void JoinDwords(RegionAssembler& region, const int (&result)[4]);

// A component in the lanes of `mask`, 0 in the others; -1: all lanes. `from` is a register or
// memory. Changes mask scratch 0.
void MoveComponent(x86::Assembler& a, int component, int to, const asmjit::Operand& from, int mask);

}  // namespace gcnjit::backend::avx512
