// A generated kernel while it grows: instructions in units, of which each can be left out as a
// whole.
#pragma once

#include <cstdint>

#include "differential/assembler.h"
#include "differential/instruction_maker.h"
#include "differential/kernel_registers.h"
#include "differential/memory_assembler.h"
#include "differential/program.h"
#include "differential/random.h"

namespace gcnjit::differential {

class KernelCode {
 public:
  using Opcode = frontend::Opcode;

  KernelCode(Program& program, Random& random);

  Random& random() { return random_; }
  const Assembler& assembler() const { return assembler_; }
  const MemoryAssembler& memory() const { return memory_; }
  Program& program() { return program_; }
  const Program& program() const { return program_; }

  // What is added from now on is one more unit; returns the one before, for SetUnit.
  int BeginUnit();
  void SetUnit(int unit) { unit_ = unit; }

  int Add(Item item);
  int here() const { return static_cast<int>(program_.items.size()); }
  int Branch(Opcode opcode) { return Add(assembler_.Sopp(opcode)); }
  void Target(int branch, int target);
  void TargetHere(int branch) { Target(branch, here()); }

  void Move(uint32_t vgpr, Source source);
  void AddTo(uint32_t vgpr, Source source);
  void Multiply(uint32_t vgpr, Source factor, uint32_t vgpr1);
  void Scalar(Opcode opcode, uint32_t sgpr, Source a, Source b);
  // A sum changes with v[value].
  void Combine(uint32_t value);
  // Vector instructions that change sums, any that compilers may place there.
  void RandomVectors(uint32_t count);
  uint32_t RandomSum() { return kSums + random_.Below(kSumCount); }

 private:
  Program& program_;
  Random& random_;
  const Assembler assembler_;
  const MemoryAssembler memory_;
  InstructionMaker maker_;
  int unit_ = 0;
  int units_ = 0;
};

}  // namespace gcnjit::differential
