// How many registers image instructions take, as far as their encoding tells.
#pragma once

#include "isa/instruction.h"

namespace gcnjit::frontend {

bool ImageSamples(const OpcodeRow& row);  // has a sampler
bool ImageHasD16(const OpcodeRow& row);   // can move 16-bit data

// The address depends on the resource's dimensions, which the encoding does not tell: the least
// number of registers that there can be.
int LeastImageAddressRegisters(const OpcodeRow& row);

// Data registers by dmask, d16 and tfe.
int ImageDataRegisters(const Instruction& instruction, Generation generation);

}  // namespace gcnjit::frontend
