// Where the values of a block are while it is emitted: in host registers, in memory, or nowhere
// yet. Registers are given out in one pass over the block's operations, in the order in which they
// are emitted: code within a stage has no branches that matter (slow paths are out of line and
// leave every register alone), so the value that is used again last is the best one to give up.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/plan/stages.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Uses of each value by position in the order of emission.
class UseLists {
 public:
  static constexpr int32_t kNever = INT32_MAX;

  UseLists(const ir::Function& function, const StagePlan& plan);

  // The first use after `position`; kNever if there is none.
  int32_t NextAfter(ir::Value v, int32_t position) const;
  bool IsUsedAfter(ir::Value v, int32_t position) const { return last_[v.id] > position; }
  int32_t PositionOf(ir::Value v) const { return position_of_[v.id]; }
  // First position of what follows the lane operations of `stage`.
  int32_t EndOfStage(int stage) const { return stage_end_[stage]; }
  bool HasLaneUse(ir::Value v) const { return has_lane_use_[v.id] != 0; }

 private:
  std::vector<int32_t> position_of_;
  std::vector<uint32_t> begin_;  // by value id, into uses_
  std::vector<int32_t> uses_;
  std::vector<int32_t> last_;  // use by value id; -1: there is none
  std::vector<int32_t> stage_end_;
  std::vector<uint8_t> has_lane_use_;
};

// A set of like registers and which unit each holds. A unit is what one register can hold: part
// `part` of component `component` of a value.
struct Unit {
  ir::Value value;
  uint8_t component = 0;
  uint8_t part = 0;
  friend bool operator==(Unit, Unit) = default;
};

class RegisterPool {
 public:
  explicit RegisterPool(uint32_t available) : available_(available) {}

  void Reset() {
    used_ = 0;
    pinned_ = 0;
  }
  // A free register, or -1.
  int TryTake() {
    const uint32_t free = available_ & ~used_;
    if (free == 0) return -1;
    const int reg = __builtin_ctz(free);
    used_ |= 1u << reg;
    return reg;
  }
  // Register `reg`, if it is free.
  bool TryTake(int reg) {
    if (((available_ & ~used_) >> reg & 1) == 0) return false;
    used_ |= 1u << reg;
    return true;
  }
  void Free(int reg) {
    used_ &= ~(1u << reg);
    pinned_ &= ~(1u << reg);
  }
  void SetUnit(int reg, Unit unit) { units_[reg] = unit; }
  Unit UnitOf(int reg) const { return units_[reg]; }
  void Pin(int reg) { pinned_ |= 1u << reg; }
  void UnpinAll() { pinned_ = 0; }
  // Registers that may be given up.
  uint32_t Evictable() const { return used_ & ~pinned_; }
  uint32_t used() const { return used_; }

 private:
  uint32_t available_;
  uint32_t used_ = 0;
  uint32_t pinned_ = 0;
  Unit units_[32];
};

// Numbered places in memory, reused once free.
class SlotPool {
 public:
  int Take(int count = 1) {
    if (count == 1 && !free_.empty()) {
      const int slot = free_.back();
      free_.pop_back();
      return slot;
    }
    const int slot = size_;
    size_ += count;
    return slot;
  }
  void Free(int slot) { free_.push_back(slot); }
  int size() const { return size_; }

 private:
  std::vector<int> free_;
  int size_ = 0;
};

}  // namespace gcnjit::backend
