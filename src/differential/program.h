// A generated program: instructions that can be dropped one by one while the branches stay valid.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "encoding/skeleton.h"
#include "isa/processor.h"
#include "isa/vector_registers.h"

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
  bool fixed = false;  // never dropped by itself: the program's end, or a part of a unit
  int unit = 0;        // items that make sense together and can be dropped together; 0: none
  bool dropped = false;
};

// The work-group that the program's wave belongs to, for code that relies on work-item ids.
struct ProgramGroup {
  std::array<uint32_t, 3> size = {64, 1, 1};
  uint32_t id_vgprs = 1;  // that hold ids, from v0; 0: code is compiled for groups of any shape
  uint32_t wave = 0;      // which of the group's
  uint32_t ids_percent =
      60;  // of the states start with ids in those VGPRs, the others with anything
};

// One dword of a kernel's arguments that is no random one: from `least` to `most`, and any of the
// bits of `any_bits`, which are above these.
struct RowArgument {
  uint32_t dword = 0;
  uint32_t least = 0;
  uint32_t most = 0;
  uint32_t any_bits = 0;
};

// A launch of the program, whose groups have ids along x, y and z in the SGPRs after the address of
// the kernel's arguments. These are what SGPRs hold in InitialState, from s0 on, but for
// `arguments`.
struct ProgramRows {
  std::array<uint32_t, 3> groups = {0, 1, 1};         // 0: no launch, but a wave
  std::array<uint32_t, 3> missing_items = {0, 0, 0};  // at the grid's end along each axis
  uint32_t fixed_bytes = 0;  // of the arguments: LaunchState::fixed_kernarg_bytes
  uint32_t lds_bytes = 0;
  // No work-item accesses what another one writes, but for atomics that commute, and LDS between
  // barriers: the order of groups and the number of host threads mean nothing.
  bool is_orderly = false;
  std::vector<RowArgument> arguments = {};

  explicit operator bool() const { return groups[0] != 0; }
};
inline constexpr uint32_t kRowArgumentBytes = 384;

struct Program {
  frontend::Generation generation = frontend::Generation::kGfx900;
  bool sram_ecc = false;  // as in frontend::Processor
  uint64_t seed = 0;
  uint32_t mode = 0;        // WaveState::mode at the start
  uint32_t vgpr_count = 0;  // and as many AccVGPRs, if the generation has any
  ProgramGroup group;
  ProgramRows rows;
  bool uses_memory = true;  // else memory and LDS are neither filled nor compared
  bool uses_gds = false;    // likewise
  std::vector<Item> items;

  frontend::Processor processor() const { return {generation, sram_ecc}; }
  frontend::VgprCounts vgprs() const {
    const auto count = static_cast<uint16_t>(vgpr_count);
    return {count, frontend::Has(generation, frontend::kAccVgprs) ? count : uint16_t{0}};
  }
  int LiveItems() const;
};

// The machine code. `offsets`, if wanted: where each item begins, in bytes.
std::vector<uint32_t> Assemble(const Program& program, std::vector<uint32_t>* offsets = nullptr);

// One line an instruction: address, words, text.
std::string Listing(const Program& program, uint64_t address);

}  // namespace gcnjit::differential
