// Scalars of a block that may be computed before anything else of it: what guards are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// Moves what later waves compute of such scalars to before the first operation that writes memory:
// guards stand there.
void HoistEarlyScalars(ir::Function& alone);

class EarlyScalars {
 public:
  // The function has one block.
  explicit EarlyScalars(const ir::Function& function);

  const std::vector<uint8_t>& is_early() const { return is_early_; }  // by value id
  // In the block; of a value of it.
  size_t PlaceOf(ir::Value v) const { return place_of_[v.id]; }
  // Place of the first operation that writes memory, and one more; the block's end: there is none.
  size_t first_write() const { return first_write_; }

 private:
  bool IsEarly(const ir::Inst& inst, bool has_written) const;

  std::vector<uint8_t> is_early_;
  std::vector<size_t> place_of_;
  size_t first_write_ = 0;
};

}  // namespace gcnjit::backend
