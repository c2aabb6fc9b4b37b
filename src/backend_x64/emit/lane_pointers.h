// Addresses in pairs of VGPRs that grow from one iteration of a lane to the next
// (Stragglers::Pointer): each is in one register.
#pragma once

#include <asmjit/x86.h>

#include <utility>
#include <vector>

#include "backend_x64/emit/lane_values.h"
#include "backend_x64/plan/stragglers.h"
#include "ir/function.h"

namespace gcnjit::backend {

class LanePointers {
 public:
  LanePointers(x86::Compiler& cc, const ir::Function& function, const Stragglers& plan,
               LaneValues& values)
      : cc_(cc), function_(function), plan_(plan), values_(values) {}

  // Of a read or a write of half of one; nullptr: it is none.
  const Stragglers::Pointer* With(ir::Value v) const;
  // To be called for all of them in turn, with where their halves are.
  void Load(const Stragglers::Pointer& pointer, const x86::Mem& low_half,
            const x86::Mem& high_half);
  // Finds what all are in the next iteration.
  void Add();
  // Makes them that.
  void CarryOn();
  // Of where the next iteration's address is, what a VGPR has.
  x86::Gp HalfOf(const Stragglers::Pointer& pointer, int64_t vgpr);

 private:
  const ir::Inst& Of(ir::Value v) const { return function_[v]; }

  x86::Compiler& cc_;
  const ir::Function& function_;
  const Stragglers& plan_;
  LaneValues& values_;
  std::vector<std::pair<x86::Gp, x86::Gp>> registers_;  // now, and after the iteration
};

}  // namespace gcnjit::backend
