// Where lanes come back: the SGPR pairs that EXEC grows by, and what becomes of the masks in them.
// For liveness (liveness.h), which asks whose lanes may still be read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/flow/cfg.h"
#include "frontend/flow/register_access.h"

namespace gcnjit::frontend {

// Pairs that are followed, of those by which EXEC grows somewhere in the graph.
class FollowedMasks {
 public:
  static constexpr size_t kMost = 6;

  FollowedMasks() = default;
  explicit FollowedMasks(const ControlFlowGraph& graph);

  size_t count() const { return pairs_.size(); }
  int pair(size_t mask) const { return pairs_[mask]; }
  int Find(int pair) const;  // -1: it is not followed
  const SgprSet& sgprs() const { return sgprs_; }

 private:
  std::vector<int> pairs_;
  SgprSet sgprs_;  // all of theirs
};

// Sets of followed masks: a bit each.
using MaskSet = uint8_t;

// What an instruction does, in terms of the values before it.
struct MaskFlow {
  bool is_nothing = false;  // then the rest says nothing
  // Lanes that it adds to EXEC are in these masks, or, if `grows_anywhere`, may be any.
  MaskSet grows_by = 0;
  bool grows_anywhere = false;
  // By mask: lanes of its new value that EXEC does not have are in these masks, or may be any.
  std::array<MaskSet, FollowedMasks::kMost> comes_from = {};
  MaskSet comes_from_anywhere = 0;
};

MaskFlow MaskFlowOf(const Instruction& inst, const RegisterAccess& access,
                    const FollowedMasks& masks);

}  // namespace gcnjit::frontend
