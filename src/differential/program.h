// A generated program: instructions that can be dropped one by one while the branches stay valid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encoding/skeleton.h"
#include "frontend/isa/generation.h"

namespace gcnjit::differential {

struct Item {
  enum class Fixup : uint8_t {
    kNone,
    kBranch,   // SIMM16 of the first word: dwords from the next instruction to `target`
    kAddress,  // the literal: bytes from the end of item `origin` to `target`
  };
  encoding::Words words = {};
  int size = 1;  // in dwords
  Fixup fixup = Fixup::kNone;
  int target = 0;  // index of an item; a dropped one stands for the next that is not
  int origin = 0;
  bool fixed = false;  // never dropped: the program's end
  bool dropped = false;
};

struct Program {
  frontend::Generation generation = frontend::Generation::kGfx900;
  uint64_t seed = 0;
  uint32_t mode = 0;  // WaveState::mode at the start
  uint32_t vgpr_count = 0;
  bool uses_memory = true;  // else memory and LDS are neither filled nor compared
  bool uses_gds = false;    // likewise
  std::vector<Item> items;

  int LiveItems() const;
};

// The machine code. `offsets`, if wanted: where each item begins, in bytes.
std::vector<uint32_t> Assemble(const Program& program, std::vector<uint32_t>* offsets = nullptr);

// One line an instruction: address, words, text.
std::string Listing(const Program& program, uint64_t address);

}  // namespace gcnjit::differential
