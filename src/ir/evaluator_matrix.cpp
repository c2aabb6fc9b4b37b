#include "ir/evaluator_matrix.h"

#include <cstring>
#include <vector>

#include "ir/evaluator_float.h"

namespace gcnjit::ir {
namespace {

constexpr FloatEnv kEnv = {};

uint32_t Add(uint32_t a, uint32_t b) { return FloatOps<uint32_t>::Add(kEnv, a, b); }
uint32_t Fma(uint32_t a, uint32_t b, uint32_t c) { return FloatOps<uint32_t>::Fma(kEnv, a, b, c); }

// An element of A or B: a float's bits, or an integer.
uint32_t ElementAt(const uint32_t (*registers)[kLanes], MatrixElement element, MatrixPlace place) {
  const int bits = BitsOf(element);
  const int bit = place.item * bits;
  const uint32_t at = registers[bit / 32][place.lane] >> (bit % 32);
  switch (element) {
    case MatrixElement::kF16: return F16ToF32(at & 0xFFFF);
    case MatrixElement::kBf16: return at << 16;
    case MatrixElement::kI8: return static_cast<uint32_t>(static_cast<int8_t>(at));
    default: return at;
  }
}

uint32_t Sum(MatrixElement element, const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
             uint32_t sum) {
  const auto product = [&](size_t n) { return Fma(a[n], b[n], 0); };
  for (size_t n = 0; n < a.size();) {
    switch (element) {
      case MatrixElement::kF16:
        sum = Add(sum, Add(Add(product(n), product(n + 1)), Add(product(n + 2), product(n + 3))));
        n += 4;
        break;
      case MatrixElement::kBf16:
        sum = Add(sum, Add(product(n), product(n + 1)));
        n += 2;
        break;
      case MatrixElement::kI8: sum += a[n] * b[n], ++n; break;
      default: sum = Fma(a[n], b[n], sum), ++n; break;
    }
  }
  return sum;
}

}  // namespace

void EvaluateMatrix(const MatrixProduct& product, const uint32_t (*a)[kLanes],
                    const uint32_t (*b)[kLanes], uint32_t (*vgpr)[kLanes]) {
  const MatrixShape& shape = product.shape;
  std::vector<uint32_t> result(static_cast<size_t>(shape.ResultRegisters()) * kLanes);
  std::vector<uint32_t> of_row(shape.k);
  std::vector<uint32_t> of_column(shape.k);
  for (int block = 0; block < shape.blocks; ++block) {
    const int block_of_a = MatrixShape::BroadcastBlock(block, product.cbsz, product.abid);
    for (int row = 0; row < shape.m; ++row) {
      for (int column = 0; column < shape.n; ++column) {
        for (int k = 0; k < shape.k; ++k) {
          MatrixPlace of_b = shape.OfB(block, k, column);
          of_b.lane = MatrixShape::PermutedLane(of_b.lane, product.blgp);
          of_row[static_cast<size_t>(k)] =
              ElementAt(a, shape.element, shape.OfA(block_of_a, row, k));
          of_column[static_cast<size_t>(k)] = ElementAt(b, shape.element, of_b);
        }
        const MatrixPlace to = shape.OfC(block, row, column);
        result[static_cast<size_t>(to.item * kLanes + to.lane)] =
            Sum(shape.element, of_row, of_column, vgpr[product.c + to.item][to.lane]);
      }
    }
  }
  std::memcpy(vgpr[product.d], result.data(), result.size() * sizeof result[0]);
}

}  // namespace gcnjit::ir
