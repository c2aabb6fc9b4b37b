#include "backend_x64/plan/matrix_chains.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::MatrixProduct;

namespace {

bool Overlap(int a, int a_count, int b, int b_count) { return a < b + b_count && b < a + a_count; }

// Does the second one access what the first one writes?
bool IsBefore(const MatrixProduct& first, const MatrixProduct& second) {
  const int count = first.shape.ResultRegisters();
  const int second_count = second.shape.ResultRegisters();
  return Overlap(first.d, count, second.d, second_count) ||
         Overlap(first.d, count, second.c, second_count);
}

// May the two change places?
bool AreIndependent(const MatrixProduct& a, const MatrixProduct& b) {
  return !IsBefore(a, b) && !IsBefore(b, a);
}

bool Continues(const MatrixChain& chain, const MatrixProduct& next) {
  const MatrixProduct& last = chain.back().product;
  return chain.size() < kMostChainSteps && next.shape == last.shape && next.c == last.d &&
         next.d == last.d;
}

}  // namespace

MatrixStep MatrixStep::Of(const ir::Inst& inst) {
  MatrixStep step;
  step.product = MatrixProduct::Of(inst);
  const int count = inst.argument_count / 2;
  for (int n = 0; n < count; ++n) {
    step.a[static_cast<size_t>(n)] = inst.args[n];
    step.b[static_cast<size_t>(n)] = inst.args[count + n];
  }
  return step;
}

bool OverlapsInPart(const MatrixProduct& product) {
  const int count = product.shape.ResultRegisters();
  return product.c != product.d && Overlap(product.c, count, product.d, count);
}

std::vector<MatrixChain> FindMatrixChains(std::span<const MatrixStep> steps) {
  std::vector<MatrixChain> chains;
  std::vector<MatrixStep> rest(steps.begin(), steps.end());
  while (!rest.empty()) {
    MatrixChain chain = {rest.front()};
    std::vector<MatrixStep> passed;  // what comes after the chain, though it was before the next
    for (size_t n = 1; n < rest.size(); ++n) {
      const MatrixStep& next = rest[n];
      const bool may_pass = std::all_of(passed.begin(), passed.end(), [&](const auto& other) {
        return AreIndependent(other.product, next.product);
      });
      if (may_pass && Continues(chain, next.product)) {
        chain.push_back(next);
      } else {
        passed.push_back(next);
      }
    }
    chains.push_back(std::move(chain));
    rest = std::move(passed);
  }
  return chains;
}

}  // namespace gcnjit::backend
