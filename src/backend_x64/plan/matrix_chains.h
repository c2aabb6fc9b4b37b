// Products of matrices that are done together: a chain adds to the same registers again and again,
// which stay in host registers meanwhile.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ir/matrix.h"

namespace gcnjit::backend {

// The dwords of an operand.
using MatrixSource = std::array<ir::Value, 2>;

struct MatrixStep {
  ir::MatrixProduct product;
  MatrixSource a, b;

  // Of a kMatrix.
  static MatrixStep Of(const ir::Inst& inst);
};

// Of steps with the same shape, in order; each but the first has the results of the one before as
// its C, and as its D.
using MatrixChain = std::vector<MatrixStep>;

// What a chain reads has to fit into the first-level cache.
inline constexpr size_t kMostChainSteps = 8;

// In an order that gives the same as that of `steps`.
std::vector<MatrixChain> FindMatrixChains(std::span<const MatrixStep> steps);

// Do C and D, of so many registers each, have registers in common without being the same?
bool OverlapsInPart(const ir::MatrixProduct& product);

}  // namespace gcnjit::backend
