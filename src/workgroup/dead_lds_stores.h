// Which stores to LDS no load of the block reads, if the block runs to the work-group's end: LDS
// ends with the group.
#pragma once

#include <bitset>
#include <memory>
#include <vector>

#include "ir/function.h"
#include "workgroup/constant_lanes.h"

namespace gcnjit::workgroup {

class DeadLdsStores {
 public:
  // A memory operation, in the order of execution: `emitted` in the block, and what is known of
  // the values of `inst`. `is_inside`: LdsForwarding::IsInside.
  void Follow(const ir::Inst& inst, const ConstantLanes& values, bool is_inside, ir::Value emitted);

  std::vector<ir::Value> UnreadStores() const;

 private:
  static constexpr uint32_t kBytes = 64 * 1024;
  using Bytes = std::bitset<kBytes>;

  struct Use {
    ir::Value store;               // none: a load
    std::unique_ptr<Bytes> bytes;  // of all lanes; nullptr: not known
  };

  std::vector<Use> uses_;
};

}  // namespace gcnjit::workgroup
