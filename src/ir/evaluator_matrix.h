// What kMatrix does.
#pragma once

#include <cstdint>

#include "ir/matrix.h"

namespace gcnjit::ir {

// `a`, `b`: the dwords of these operands.
void EvaluateMatrix(const MatrixProduct& product, const uint32_t (*a)[kLanes],
                    const uint32_t (*b)[kLanes], uint32_t (*vgpr)[kLanes]);

}  // namespace gcnjit::ir
