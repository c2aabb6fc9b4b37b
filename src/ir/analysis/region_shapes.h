// Lane shapes in a whole region: what is known of the VGPRs where it is entered, followed along its
// blocks, which meet in the wave's state.
//
// The shapes at a block's begin hold when it is entered from another block of the region, also by
// way of a barrier. Before a block is entered otherwise (from the interpreter, after a jump to an
// address that was computed), RegionShapes::Hold has to check them.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "ir/analysis/apart_masks.h"
#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

inline constexpr int kSgprs = 128;  // by operand code, EXEC among them

struct VgprShape {
  int vgpr = 0;
  uint8_t run = 1;
  uint8_t zeros = 0;
  std::array<uint32_t, kLanes> offsets = {};
};

inline constexpr size_t kRegisters = kSgprs + kVgprs;  // SGPRs, then VGPRs

// A register with a constant, a VGPR in all lanes.
struct RegisterConstant {
  uint16_t number = 0;  // among kRegisters
  uint32_t value = 0;
  friend bool operator==(const RegisterConstant&, const RegisterConstant&) = default;
};

// An instruction between two blocks that the interpreter executes.
struct InterpretedStep {
  uint64_t pc = 0;
  uint64_t next = 0;  // the next instruction's; not if it is a branch
  std::bitset<kVgprs> written;
  std::bitset<kSgprs> written_sgprs;
};

struct ShapeAssumptions {
  // Nothing is assumed anywhere: each block is on its own and may be entered from anywhere.
  bool blocks_apart = true;
  std::vector<uint64_t> entries;             // the blocks where at_entry holds
  std::vector<VgprShape> at_entry;           // of other VGPRs nothing is known
  bool has_full_exec = false;                // EXEC has all lanes there
  std::vector<InterpretedStep> interpreted;  // by ascending pc
};

struct RegionShapes {
  LanePatterns patterns;
  std::vector<LaneShape> of_value;  // by value id
  // What a block's code relies on, its successors' included; by Function::blocks.
  struct Entry {
    uint16_t vgpr;
    LaneShape shape;
  };
  std::vector<std::vector<Entry>> at_begin;
  // Likewise: SGPRs all of whose bits are ones. Nearly always they are parts of lane masks: EXEC,
  // and what keeps it while it is narrower.
  std::vector<std::bitset<kSgprs>> ones_at_begin;
  // Likewise: SGPR pairs that have no lane in common with EXEC.
  std::vector<SgprPairs> apart_at_begin;
  // Likewise: registers whose values the code has as constants (region_constants.h).
  std::vector<std::vector<RegisterConstant>> constants_at_begin;

  // Forgets everything but what is known at the begins of the first `count` blocks.
  void KeepBegins(size_t count);
  // Does the block's code rely on anything?
  bool Expects(size_t block) const {
    return !at_begin[block].empty() || ones_at_begin[block].any() || apart_at_begin[block].any() ||
           !constants_at_begin[block].empty();
  }
  // Are the registers of a wave as the block's code expects them?
  bool Hold(size_t block, const uint32_t (*vgprs)[kLanes], const uint32_t* sgprs) const;
};

RegionShapes FindLaneShapes(const Function& function, const ShapeAssumptions& assumptions);

}  // namespace gcnjit::ir
