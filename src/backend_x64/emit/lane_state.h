// The registers of a lane that a loop's iterations are done for by themselves: read before the
// first one, carried from one to the next, and written back when the lane has left the loop.
#pragma once

#include <asmjit/x86.h>

#include <optional>
#include <vector>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/lane_pointers.h"
#include "backend_x64/emit/lane_values.h"
#include "backend_x64/emit/saved_scalars.h"
#include "backend_x64/plan/stragglers.h"

namespace gcnjit::backend {

class LaneState {
 public:
  // Registers of the function.
  struct Places {
    x86::Gp state;  // the wave's
    x86::Gp slots;  // the region's
    x86::Gp lane;   // its number in the wave
  };

  LaneState(x86::Compiler& cc, const BlockParts& parts, const Stragglers& plan, LaneValues& values,
            const Places& places);

  void Load();
  // When an iteration's operations are done: all that CarryOn and WriteBack want, before code goes
  // one way or the other.
  void TakeResults();
  void CarryOn();
  void WriteBack();
  // Of a lane that will go on: the wave's only one.
  void WriteForLater();
  void Save(const SavedScalars& last);

 private:
  // A value where it is written back, or carried on.
  struct Result {
    std::optional<x86::Xmm> xmm = {};
    std::optional<x86::Gp> gp = {};
    std::optional<bool> bit = {};
  };

  const ir::Inst& Of(ir::Value v) const { return b_.block.function[v]; }
  const StateLayout& layout() const { return b_.region.options.layout; }
  x86::Mem Sgpr(int64_t sgpr, uint32_t size) const;
  x86::Mem Vgpr(int64_t vgpr) const;
  bool IsExec(ir::Value read) const;
  bool IsMask(ir::Value read) const;
  bool IsInXmm(ir::Value read) const;

  void LoadRegister(ir::Value read);
  void LoadScalar(ir::Value read, const x86::Mem& from, bool wide);
  Result NextOf(const Stragglers::Get& get);
  Result ResultOf(ir::Value v, bool is_mask, bool as_float);
  x86::Gp Joined(const Stragglers::Get& get);
  bool IsToChange(const Result& result) const;
  void WriteVgprs();
  void WriteKept();
  void WriteInAllLanes(int64_t vgpr, const x86::Gp& value);
  void WriteMasks();

  x86::Compiler& cc_;
  const BlockParts& b_;
  const Stragglers& plan_;
  LaneValues& values_;
  const Places places_;
  const x86::Gp vgprs_;  // the lane's part of v0 in the state
  LanePointers pointers_;
  std::vector<Result> carried_, write_vgprs_, write_masks_, write_scalars_;
  std::vector<x86::Gp> kept_;
};

}  // namespace gcnjit::backend
