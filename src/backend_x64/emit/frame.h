// The memory of a region's frame: slots of 8 bytes for scalars and masks, temps of a wave's dwords
// for lanes.
#pragma once

#include <cstdint>
#include <map>

#include "backend_x64/emit/slot_pool.h"

namespace gcnjit::backend {

struct Frame {
  SlotPool slots;
  SlotPool temps;
  std::map<int64_t, int> common_slots;  // of ir::Op::kSetCommon, by its number

  int CommonSlot(int64_t number) {
    const auto [slot, is_new] = common_slots.try_emplace(number, 0);
    if (is_new) slot->second = slots.Take();
    return slot->second;
  }
};

}  // namespace gcnjit::backend
