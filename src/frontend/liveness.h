// Which registers may still be read, and of which VGPRs the inactive lanes may.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/cfg.h"
#include "frontend/register_access.h"

namespace gcnjit::frontend {

// What holds at one place in the code.
struct LivePoint {
  // Registers whose value may still be read. A VGPR: in lanes that are active here.
  RegisterSet live;
  // VGPRs of which lanes that are inactive here may still be read. Always a subset of live.vgprs.
  VgprSet wide;

  bool operator==(const LivePoint& other) const = default;
};

// What is observed after s_endpgm, and how the graph is entered.
struct LiveAtEnd {
  RegisterSet live;  // nothing in production; everything where final states are compared
  VgprSet wide;
  // MODE's GPR_IDX_EN or VSKIP may be set at the entry.
  bool any_mode_at_entry = false;
};

// Of the graph as it is when this is made.
class Liveness {
 public:
  using Point = LivePoint;

  Liveness(const ControlFlowGraph& graph, Generation generation, const LiveAtEnd& at_end);

  const Point& AtBegin(uint32_t block) const { return at_begin_[block]; }
  const Point& AtEnd(uint32_t block) const { return at_end_[block]; }
  // Element i: the point after instruction i of the block.
  std::vector<Point> AfterEach(uint32_t block) const;
  // Accesses of the block's instructions as the analysis took them: AccessOf, or AccessOfAnyMode
  // where MODE's GPR_IDX_EN or VSKIP may be set.
  const std::vector<RegisterAccess>& Accesses(uint32_t block) const { return accesses_[block]; }

 private:
  std::vector<std::vector<RegisterAccess>> accesses_;
  std::vector<Point> at_begin_;
  std::vector<Point> at_end_;
};

}  // namespace gcnjit::frontend
