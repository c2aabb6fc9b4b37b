// Which of a work-group's LDS has been written before it is read, as far as addresses are known.
#pragma once

#include <bitset>

#include "ir/function.h"
#include "workgroup/constant_lanes.h"

namespace gcnjit::workgroup {

class LdsInitialised {
 public:
  // A block, in the order of execution, and what is known of its values. `is_certain`: it is
  // executed whatever data say.
  void Follow(const ir::Function& function, const ir::Block& block, const ConstantLanes& values,
              bool is_certain);

  // Has a byte been read, or may it have been, that no store of the group has written?
  bool reads_unwritten() const { return reads_unwritten_; }

 private:
  static constexpr uint32_t kBytes = 64 * 1024;

  std::bitset<kBytes> written_;
  bool reads_unwritten_ = false;
};

}  // namespace gcnjit::workgroup
