// The states in which the sweep executes an instruction: its operands hold special values, or
// addresses where it takes addresses.
#pragma once

#include <cstdint>

#include "differential/machine.h"
#include "differential/program.h"
#include "differential/random.h"
#include "differential/registers.h"
#include "isa/instruction.h"

namespace gcnjit::differential {

class SweepState {
 public:
  SweepState(const Machine& machine, const Program& program,
             const frontend::Instruction& instruction);

  // How many waves it takes for all combinations of special values.
  uint64_t Combinations() const;
  // Wave `n` of them: from Combinations() on, random values.
  void Fill(uint64_t n, Random& random);
  const InitialState& initial() const { return initial_; }

 private:
  void FillOperands(uint64_t n, Random& random);
  void FillMemoryOperands(Random& random);
  void FillImage(Random& random);
  void PutValue(const frontend::Operand& operand, int lane, uint64_t value);
  void PutScalarAddress(const frontend::Operand& operand, bool resource, Random& random);
  // Of MUBUF with 64-bit addresses: the base in its resource, sometimes a negative one, and
  // sometimes bits that do not count.
  uint64_t SplitBase(Random& random);
  void PutLaneAddresses(const frontend::Operand& operand, Random& random);
  void PutLdsAddresses(const frontend::Operand& operand, Random& random);

  const Machine& machine_;
  const frontend::Instruction& instruction_;
  InitialState initial_;
  uint32_t registers_[128];  // SGPRs before any operand was put there
};

}  // namespace gcnjit::differential
