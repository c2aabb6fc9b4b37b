// The frame of generated kernels that are launched: arguments, ids, what is stored at the end. Each
// work-item reads what no work-item writes, and writes what is its own, so that a launch leaves the
// same in whatever order it runs.
#pragma once

#include <cstdint>

#include "differential/kernel_code.h"
#include "differential/kernel_pointers.h"

namespace gcnjit::differential {

class KernelWriter : public KernelCode {
 public:
  KernelWriter(Program& program, Random& random);

  // Chooses the ranges of the program's arguments, loads them, and makes ids of what the kernel
  // starts with. `most_trips`: of a loop and of one within it.
  void Begin(uint32_t most_trips, uint32_t most_inner_trips);
  // Stores what is in kSums. s_endpgm.
  void End();

  KernelPointers& pointers() { return pointers_; }
  uint32_t group_items() const;
  uint32_t grid_items() const;
  // Dwords of output that each work-item has, and how many lie from one to the next.
  uint32_t own_dwords() const { return kOutputBytes / 4 / grid_items(); }
  uint32_t own_step() const { return is_by_column_ ? grid_items() : 1; }
  uint32_t most_trips(uint32_t depth) const { return depth == 0 ? most_trips_ : most_inner_trips_; }

 private:
  void DrawArguments();
  void LoadArguments();
  void MakeIds();
  void PlaceOutput();

  const bool is_by_column_;
  const bool wraps_;
  KernelPointers pointers_;
  uint32_t most_trips_ = 0;
  uint32_t most_inner_trips_ = 0;
};

}  // namespace gcnjit::differential
