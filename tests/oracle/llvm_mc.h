// llvm-mc as an oracle: an external process that disassembles and assembles thousands of
// instructions at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "encoding/skeleton.h"

namespace gcnjit::oracle {

using encoding::Words;

struct Disassembled {
  bool crashed = false;  // llvm-mc itself died on these words: no verdict
  bool accepted = false;
  int size = 0;  // bytes
  std::string text;
};

struct Assembled {
  bool accepted = false;
  std::vector<uint8_t> bytes;
  std::string error;
};

// Name of the llvm-mc program: $GCNJIT_LLVM_MC, else llvm-mc-15.
std::string LlvmMcProgram();
// Of a newer one, which knows later targets: $GCNJIT_NEWER_LLVM_MC, else llvm-mc-19.
std::string NewerLlvmMcProgram();
bool LlvmMcAvailable();

// What llvm-mc makes of the instruction at each sample's first word. Throws std::runtime_error if
// the program cannot be run or its output makes no sense.
std::vector<Disassembled> LlvmDisassemble(const std::string& target,
                                          std::span<const Words> samples);

// Each line of assembly on its own.
std::vector<Assembled> LlvmAssemble(const std::string& target,
                                    const std::vector<std::string>& lines);

}  // namespace gcnjit::oracle
