// Loads of one lane: from guest memory within their windows, and from LDS. What the lane's mask
// does not have gets 0.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <vector>

#include "backend_x64/emit/lane_values.h"

namespace gcnjit::backend {

class LaneLoads {
 public:
  // What the code finds in registers, and where it goes with an access that is not in its window,
  // or is beyond LDS: no value is wanted there.
  struct Places {
    x86::Gp context;  // RegionContext
    x86::Gp windows;  // RegionTables::windows
    asmjit::Label miss;
  };
  // Code that may be interrupted (fault_table.h).
  struct Guarded {
    asmjit::Label begin, end;
    SiteId site;
  };

  LaneLoads(x86::Compiler& cc, const BlockContext& block, LaneValues& values, const Places& places)
      : cc_(cc), block_(block), values_(values), places_(places) {}

  void Emit(ir::Value load, SiteId site);
  void EmitLds(ir::Value load);
  const std::vector<Guarded>& guarded() const { return guarded_; }

 private:
  using Dwords = std::array<x86::Gp, 4>;

  Dwords NewDwords(ir::Value load, const ir::MemoryAccess& access);
  void Clear(const Dwords& dwords, const ir::MemoryAccess& access);
  x86::Gp AddressOf(const ir::Inst& inst);
  void EmitMove(const Dwords& to, const ir::MemoryAccess& access, const x86::Gp& address);

  x86::Compiler& cc_;
  const BlockContext& block_;
  LaneValues& values_;
  const Places places_;
  std::vector<Guarded> guarded_;
};

}  // namespace gcnjit::backend
