// The most host registers that the lane values of a stage take at once.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/plan/stages.h"

namespace gcnjit::backend {

struct Pressure {
  int vectors = 0;
  int masks = 0;

  bool FitsIn(const RegisterCounts& registers) const;
};

// In slices of so many parts. `is_fused`: by value id, as StagePlan has it.
Pressure PressureOf(const ir::Function& function, const StagePlan& plan, const Stage& stage,
                    const std::vector<uint8_t>& is_fused, const std::vector<uint8_t>& part_bits,
                    int parts);

}  // namespace gcnjit::backend
