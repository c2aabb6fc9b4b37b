// Lanes as sums of a scalar and numbers that are known: ids of work-items, and what is computed
// from them by adding.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// Lanes that are a scalar, times a constant, and known numbers, modulo 2^32; or the sum without the
// constant, zero-extended, and a scalar of 64 bits. A scalar is a sum for all lanes of its wave.
struct LaneSum {
  ir::Value scalar;   // u32; none: 0
  int64_t least = 0;  // of what is added to it
  int64_t most = 0;
  int64_t scale = 1;  // positive
  bool is_wide = false;
  ir::Value base = {};  // u64; none: 0
};

class LaneSums {
 public:
  // A minimum or maximum of a sum and a scalar that is taken for the sum.
  struct Clamp {
    ir::Value clamped;
    ir::Value sum;
  };

  // `is_early`, by value id: scalars that may be a part of a sum.
  LaneSums(const ir::Function& function, const std::vector<uint8_t>& is_early)
      : function_(function), is_early_(is_early) {}

  // None: the lanes are no such sum. Numbers are within 2^30, so that sums in 64 bits are exact.
  std::optional<LaneSum> Of(ir::Value v) const;      // v32 or v64
  std::optional<LaneSum> Narrow(ir::Value v) const;  // v32
  // Of a u32 that is the same in all lanes: what it is, or that and a constant.
  std::optional<LaneSum> Uniform(ir::Value v) const;

  void Take(const Clamp& clamp) { clamps_.push_back(clamp); }
  const std::vector<Clamp>& clamps() const { return clamps_; }

 private:
  std::optional<LaneSum> Wide(ir::Value v) const;
  // Is it a multiple of lanes? Then they are `v`, and what is added from then on counts so often.
  bool TakeMultiple(ir::Value& v, LaneSum& sum) const;
  // Adds a scalar that lanes are added to; false: it cannot be a part of the sum.
  bool AddScalar(ir::Value v, LaneSum& sum) const;
  bool AddConstant(ir::Value v, LaneSum& sum) const;
  // A sum whose scalar and constants are there, and the lanes that are added to them.
  std::optional<LaneSum> WithEnds(LaneSum sum, ir::Value lanes) const;

  const ir::Function& function_;
  const std::vector<uint8_t>& is_early_;
  std::vector<Clamp> clamps_;
};

}  // namespace gcnjit::backend
