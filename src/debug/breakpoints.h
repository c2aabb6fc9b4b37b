// Where a run is to stop: at instructions, and where a work-item's wave is about to execute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "debug/machine.h"

namespace gcnjit::debug {

// A work-item by its global id, without offset.
using WorkItem = std::array<uint64_t, 3>;

// Where it is executed. Nothing: the grid does not have it.
struct ItemPlace {
  WaveName wave;
  int lane = 0;
};
std::optional<ItemPlace> PlaceOf(const runtime::LaunchState& launch, const WorkItem& item);
// Of a lane that has one.
std::optional<WorkItem> ItemOf(const runtime::LaunchState& launch, const WaveName& wave, int lane);

struct Breakpoint {
  int number = 0;
  std::string text;  // as it was asked for
  // Instructions that have it. None: it is where a wave begins.
  std::vector<uint64_t> pcs;
  // Only for the wave of this work-item, and while EXEC has its lane.
  std::optional<WorkItem> item;
  bool is_enabled = true;
  uint64_t hits = 0;
};

class Breakpoints {
 public:
  explicit Breakpoints(const runtime::LaunchState& launch) : launch_(launch) {}

  // Gives it a number.
  const Breakpoint& Add(Breakpoint breakpoint);
  // False: there is none of that number.
  bool Remove(int number);
  bool Enable(int number, bool enabled);
  void Clear();
  const std::vector<Breakpoint>& all() const { return all_; }

  // Numbers of those that the machine stands at; empty: none. It has not ended.
  std::vector<int> At(const Machine& machine) const;
  // The run has stopped at these.
  void Count(const std::vector<int>& numbers);

 private:
  bool Holds(const Breakpoint& breakpoint, const Machine& machine, uint64_t pc,
             uint64_t last_pc) const;
  void Index();

  const runtime::LaunchState& launch_;
  std::vector<Breakpoint> all_;
  std::unordered_set<uint64_t> pcs_;  // of all that are enabled
  bool some_begin_ = false;           // some of these have no instructions
  int next_ = 1;
};

}  // namespace gcnjit::debug
