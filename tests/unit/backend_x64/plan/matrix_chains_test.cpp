// Chains of random steps leave what the steps leave one after the other.
#include "backend_x64/plan/matrix_chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ir/evaluator_matrix.h"

namespace gcnjit::backend {
namespace {

using ir::MatrixElement;

constexpr int kSums = 16;
constexpr int kSources = 8;
using AccumulatorRegisters = uint32_t[ir::kLanes];

// Wrapping sums of bytes and chains of rounded ones: both notice what is left out, and floats the
// order.
MatrixStep RandomStep(std::mt19937& random, int sums, bool has_floats) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<uint32_t>(end));
  };
  MatrixStep step;
  step.product.shape = (below(8) != 0) == has_floats
                           ? ir::MatrixShape{4, 4, 1, 16, MatrixElement::kF32}
                           : ir::MatrixShape{16, 16, 16, 1, MatrixElement::kI8};
  step.a[0].id = static_cast<uint32_t>(below(kSources));
  step.b[0].id = static_cast<uint32_t>(below(kSources));
  step.product.d = step.product.c = static_cast<uint16_t>(below(sums) * 3);
  if (below(8) == 0) step.product.c = static_cast<uint16_t>(below(kSums - 3));
  return step;
}

std::vector<uint32_t> Multiply(const std::vector<MatrixStep>& steps) {
  std::mt19937 random(3);
  std::vector<uint32_t> lanes(static_cast<size_t>((kSums + kSources) * ir::kLanes));
  for (uint32_t& lane : lanes) lane = 0x3F800000 + (static_cast<uint32_t>(random()) & 0xFFFFFF);
  const auto registers = reinterpret_cast<AccumulatorRegisters*>(lanes.data());
  const AccumulatorRegisters* const sources = registers + kSums;
  for (const MatrixStep& step : steps) {
    ir::EvaluateMatrix(step.product, sources + step.a[0].id, sources + step.b[0].id, registers);
  }
  return lanes;
}

TEST(MatrixChains, GiveWhatTheStepsGive) {
  std::mt19937 random(1);
  size_t longest = 0;
  size_t reordered = 0;
  for (int n = 0; n < 2000; ++n) {
    std::vector<MatrixStep> steps(2 + random() % 9);
    const int sums = 1 + static_cast<int>(random() % 4);
    for (MatrixStep& step : steps) step = RandomStep(random, sums, n % 2 == 0);
    std::vector<MatrixStep> in_chains;
    for (const MatrixChain& chain : FindMatrixChains(steps)) {
      longest = std::max(longest, chain.size());
      for (size_t at = 1; at < chain.size(); ++at) {
        ASSERT_EQ(chain[at].product.c, chain[at - 1].product.d);
        ASSERT_EQ(chain[at].product.d, chain[at - 1].product.d);
        ASSERT_TRUE(chain[at].product.shape == chain[0].product.shape);
      }
      in_chains.insert(in_chains.end(), chain.begin(), chain.end());
    }
    ASSERT_EQ(in_chains.size(), steps.size());
    for (size_t at = 0; at < steps.size(); ++at) {
      reordered += steps[at].product.d != in_chains[at].product.d ? 1 : 0;
    }
    ASSERT_EQ(Multiply(steps), Multiply(in_chains)) << n;
  }
  EXPECT_GT(longest, 4u);
  EXPECT_GT(reordered, 500u);
}

// Two sums by turns, as unrolled loops have them, are two chains; and no chain is longer than what
// fits into a cache.
TEST(MatrixChains, PassEachOther) {
  std::vector<MatrixStep> steps;
  for (uint32_t n = 0; n < 4; ++n) {
    for (const uint16_t sum : {uint16_t{64}, uint16_t{128}}) {
      steps.push_back({{sum, sum, {32, 32, 2, 1, MatrixElement::kF32}}, {{{n}}}, {{{8 + n}}}});
    }
  }
  std::vector<MatrixChain> chains = FindMatrixChains(steps);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0].size(), 4u);
  steps.assign(2 * kMostChainSteps, steps[0]);
  chains = FindMatrixChains(steps);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0].size(), kMostChainSteps);
}

}  // namespace
}  // namespace gcnjit::backend
