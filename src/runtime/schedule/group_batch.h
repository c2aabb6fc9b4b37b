// Consecutive work-groups of a grid that a host thread has taken, and what they have cost.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gcnjit/launch.h"

namespace gcnjit::runtime {

class GroupBatch {
 public:
  // Groups [first, first + count) of a grid of `groups`, counted with x fastest.
  GroupBatch(const Dim3& groups, uint64_t first, uint64_t count)
      : groups_(groups),
        group_{static_cast<uint32_t>(first % groups.x),
               static_cast<uint32_t>(first / groups.x % groups.y),
               static_cast<uint32_t>(first / groups.x / groups.y)},
        left_(count) {}

  // The group whose turn it is; those that have not run to their end, it included.
  const Dim3& group() const { return group_; }
  uint64_t left() const { return left_; }
  // The group after it.
  Dim3 Next() const {
    Dim3 next = group_;
    if (++next.x != groups_.x) return next;
    next.x = 0;
    if (++next.y != groups_.y) return next;
    next.y = 0;
    ++next.z;
    return next;
  }
  // The group has run to its end, and its waves have executed so many instructions.
  void Advance(uint64_t instructions) {
    group_ = Next();
    --left_;
    instructions_ += instructions;
    least_ = std::min(least_, instructions);
    most_ = std::max(most_, instructions);
  }

  // `count` groups have run to their end, and more follow in the grid's row.
  void AdvanceInRow(uint32_t count, uint64_t instructions, uint64_t least, uint64_t most) {
    group_.x += count;
    left_ -= count;
    instructions_ += instructions;
    least_ = std::min(least_, least);
    most_ = std::max(most_, most);
  }
  // Groups after the one whose turn it is, in its row of the grid.
  uint64_t LeftInRow() const { return std::min<uint64_t>(left_, groups_.x - group_.x) - 1; }

  // Of all groups that have run to their end; of the one with the fewest, the most.
  uint64_t instructions() const { return instructions_; }
  uint64_t least() const { return least_; }
  uint64_t most() const { return most_; }

 private:
  const Dim3 groups_;
  Dim3 group_;
  uint64_t left_;
  uint64_t instructions_ = 0;
  uint64_t least_ = UINT64_MAX;
  uint64_t most_ = 0;
};

}  // namespace gcnjit::runtime
