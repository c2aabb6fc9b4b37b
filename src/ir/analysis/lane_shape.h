// How the lanes of a value relate to each other, as far as it is known when code is compiled.
//
// Lanes are taken in aligned runs of 64, 32, ... lanes. The lanes of a run share an unknown base,
// from which each is a known offset away:
//
//   value(lane) = base(lane / run) + offsets[lane]      modulo 2^32, of 64-bit values 2^64
//
// So in a work-group of 16 x 16, v0 is run 64 with the offsets 0, 1, .. 15, 0, 1, ..; and v1 is run
// 64 with the offsets 0 (16 times), 1 (16 times), .. What is loaded from anywhere is run 1.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/types.h"

namespace gcnjit::ir {

struct LaneShape {
  uint8_t run = 1;       // 0: no lane has been seen yet; 1: nothing is known of the lanes
  uint8_t zeros = 0;     // low bits of every base that are zeros: the width if the base is 0
  uint32_t offsets = 0;  // in LanePatterns; the first lane of every run has offset 0

  static constexpr LaneShape Unseen() { return {0, 0, 0}; }
  bool IsUnseen() const { return run == 0; }
  friend bool operator==(LaneShape, LaneShape) = default;
};

// The offsets of all shapes of a region, each kept once.
class LanePatterns {
 public:
  using Offsets = std::array<uint64_t, kLanes>;
  struct Pattern {
    Offsets offsets = {};
    uint64_t most = 0;         // the largest one, as an unsigned number
    uint64_t bits = 0;         // of all of them
    uint8_t uniform = kLanes;  // lanes of an aligned run that are all alike
  };
  static constexpr uint32_t kUniform = 0;  // all offsets are 0

  LanePatterns() : patterns_(1) {}
  uint32_t Intern(const Offsets& offsets);
  const Pattern& operator[](uint32_t id) const { return patterns_[id]; }

  // The same value seen in runs that are not longer than `run`.
  LaneShape InRuns(LaneShape shape, uint8_t run, bool is_64);
  // What holds of either value.
  LaneShape Meet(LaneShape a, LaneShape b, bool is_64);
  // Of the low halves of 64-bit values.
  LaneShape LowHalf(LaneShape shape) {
    const auto zeros = static_cast<uint8_t>(shape.zeros < 32 ? shape.zeros : 32);
    if (shape.offsets == kUniform) return {shape.run, zeros, kUniform};
    return Make(shape.run, zeros, patterns_[shape.offsets].offsets, false);
  }
  // Lanes of an aligned run that all have one value.
  uint8_t UniformRun(LaneShape shape) const;
  // The base's bits and the offsets' bits are different ones, so that adding does not carry.
  bool IsDisjoint(LaneShape shape) const {
    return shape.zeros >= 64 || patterns_[shape.offsets].most >> shape.zeros == 0;
  }
  // Of offsets that need not begin with 0.
  LaneShape Make(uint8_t run, uint8_t zeros, Offsets offsets, bool is_64);
  // The same where all offsets are one number: that is most values.
  static LaneShape MakeUniform(uint8_t run, uint8_t zeros, uint64_t offset, bool is_64);

 private:
  std::vector<Pattern> patterns_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

}  // namespace gcnjit::ir
