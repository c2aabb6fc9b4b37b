// Which registers may still be read, and of which VGPRs the inactive lanes may.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/flow/cfg.h"
#include "frontend/flow/mask_flow.h"
#include "frontend/flow/register_access.h"

namespace gcnjit::frontend {

// What holds at one place in the code.
struct LivePoint {
  // Registers whose value may still be read. A VGPR: in lanes that are active here.
  RegisterSet live;
  // VGPRs of which lanes that are inactive here may still be read. Always a subset of live.vgprs.
  VgprSet wide;
  // Which of these: any lanes, and those of a mask that EXEC grows by later (FollowedMasks).
  VgprSet wide_anywhere = {};
  std::array<VgprSet, FollowedMasks::kMost> wide_in_mask = {};

  bool operator==(const LivePoint& other) const = default;
};

// What is observed after s_endpgm, and how the graph is entered.
struct LiveAtEnd {
  RegisterSet live;  // nothing in production; everything where final states are compared
  VgprSet wide;
  // MODE's GPR_IDX_EN or VSKIP may be set at the entry.
  bool any_mode_at_entry = false;
};

// Of the graph as it is when this is made; it has to stay.
class Liveness {
 public:
  using Point = LivePoint;

  Liveness(const ControlFlowGraph& graph, Generation generation, const LiveAtEnd& at_end);
  Liveness(ControlFlowGraph&& graph, Generation generation, const LiveAtEnd& at_end) = delete;

  size_t InstructionsOf(uint32_t block) const { return graph_.blocks[block].instructions.size(); }
  const Point& AtBegin(uint32_t block) const { return at_begin_[block]; }
  const Point& AtEnd(uint32_t block) const { return at_end_[block]; }
  // Accesses of a block's instruction as the analysis takes them: AccessOf, or AccessOfAnyMode
  // where MODE's GPR_IDX_EN or VSKIP may be set. Worked out anew each time, which is quicker than
  // to keep them: they are larger than the instructions.
  RegisterAccess Access(uint32_t block, size_t instruction) const;

 private:
  // What a block makes of a register's states: dead, live, live and wide in any lanes, and so in
  // those of a mask. It may have several of them.
  struct Sum {
    LivePoint of_dead;
    LivePoint of_live;
    LivePoint of_wide;
    std::vector<LivePoint> of_wide_in_mask = {};

    LivePoint Apply(const LivePoint& end) const;
  };

  friend class PointsAfter;

  Sum SumOf(uint32_t block) const;
  Point BeginOf(uint32_t block, Point point) const;
  void StepBack(uint32_t block, size_t instruction, Point& point) const;

  const ControlFlowGraph& graph_;
  const Generation generation_;
  // By block: whether MODE may hold one of the two before each instruction. Empty: before none.
  std::vector<std::vector<bool>> any_mode_;
  FollowedMasks masks_;
  std::vector<Point> at_begin_;
  std::vector<Point> at_end_;
};

// The points after each of a block's instructions, a stretch of them at a time: all would take more
// memory than whatever else there is of the instructions.
class PointsAfter {
 public:
  PointsAfter(const Liveness& liveness, uint32_t block);

  // After instruction n. Quick if those before it are asked for first. Stays until the next call.
  const LivePoint& operator[](size_t n);

 private:
  static constexpr size_t kStretch = 64;

  const Liveness& liveness_;
  const uint32_t block_;
  std::vector<LivePoint> at_stretch_ends_;
  std::vector<LivePoint> points_;  // of the stretch that begins with instruction begin_
  size_t begin_ = 0;
};

}  // namespace gcnjit::frontend
