#include "backend_x64/plan/scalar_sums.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/builder.h"

namespace gcnjit::backend {
namespace {

using ir::Op;
using ir::Type;
using ir::Value;

class ScalarSumsTest : public ::testing::Test {
 protected:
  ScalarSumsTest() : builder_(function_, function_.blocks.emplace_back()) {}

  Value Sgpr(int n) { return b().Emit(Op::kGetSgpr, Type::kU32, {}, n); }
  ir::Builder& b() { return builder_; }
  // "steps rest", or "unknown".
  std::string Between(Value from, Value to, Value step) {
    ScalarSums sums(function_);
    const auto distance = sums.Between(from, to, step);
    if (!distance) return "unknown";
    return std::to_string(distance->steps) + " " + std::to_string(distance->rest);
  }
  Value StepBetween(Value from, Value to) { return ScalarSums(function_).StepBetween(from, to); }

  ir::Function function_;
  ir::Builder builder_;
};

TEST_F(ScalarSumsTest, RowsOfAPlane) {
  const Value x = Sgpr(0), y = Sgpr(1), pitch = Sgpr(2);
  const auto row = [&](uint32_t number, uint32_t column) {
    return b().Add(b().Add(b().Mul(b().Add(y, b().U32(number)), pitch), x), b().U32(column));
  };
  EXPECT_EQ(Between(row(0, 0), row(4, 0), pitch), "4 0");
  EXPECT_EQ(Between(row(4, 0), row(0, 0), pitch), "-4 0");
  EXPECT_EQ(Between(row(4, 9), row(7, 2), pitch), "3 -7");
  EXPECT_EQ(Between(row(0xffffffff, 0), row(0, 0xffffffff), pitch), "1 -1");
  EXPECT_EQ(Between(row(3, 5), row(3, 5), pitch), "0 0");
  EXPECT_EQ(Between(row(3, 5), row(3, 6), {}), "0 1");
  EXPECT_EQ(Between(row(3, 5), row(4, 5), {}), "unknown");
  EXPECT_EQ(StepBetween(row(3, 5), row(4, 6)), pitch);
  EXPECT_EQ(StepBetween(row(3, 5), row(3, 6)), Value{});
}

TEST_F(ScalarSumsTest, AllOperations) {
  const Value x = Sgpr(0), y = Sgpr(1), z = Sgpr(2);
  EXPECT_EQ(Between(b().Sub(x, y), b().Add(x, y), y), "2 0");
  EXPECT_EQ(Between(x, b().Add(b().Shl(y, 3), x), y), "8 0");
  EXPECT_EQ(Between(x, b().Add(b().Shl(y, z), x), y), "unknown");
  EXPECT_EQ(Between(x, b().Xor(x, y), y), "unknown");
  EXPECT_EQ(Between(b().Mul(x, y), b().Mul(y, x), z), "0 0");
  // (x + 1) * (y + 2) - x * y - 2 * x = y + 2
  const Value both = b().Mul(b().Add(x, b().U32(1)), b().Add(y, b().U32(2)));
  EXPECT_EQ(Between(b().Add(b().Mul(x, y), b().Shl(x, 1)), both, y), "1 2");
  EXPECT_EQ(StepBetween(b().Mul(x, y), both), Value{});
}

// Steps of several, of minus one, and of a sum.
TEST_F(ScalarSumsTest, Steps) {
  const Value x = Sgpr(0), y = Sgpr(1);
  const Value three = b().Mul(x, b().U32(3));
  EXPECT_EQ(Between(y, b().Add(y, b().Mul(x, b().U32(6))), three), "2 0");
  EXPECT_EQ(Between(y, b().Add(y, b().Mul(x, b().U32(7))), three), "unknown");
  const Value minus = b().Sub(b().U32(0), x);
  EXPECT_EQ(Between(y, b().Add(y, b().Mul(x, b().U32(5))), minus), "-5 0");
  EXPECT_EQ(Between(y, b().Add(y, b().Mul(x, b().U32(1u << 31))), minus), "-2147483648 0");
  const Value sum = b().Add(x, b().U32(10));
  EXPECT_EQ(Between(y, b().Add(y, b().Shl(x, 1)), sum), "2 -20");
  // A step that is a number is none of a product: all is rest.
  EXPECT_EQ(Between(y, b().Add(y, b().U32(64)), b().U32(8)), "0 64");
}

// What is too long or too deep counts for itself.
TEST_F(ScalarSumsTest, HaveLimits) {
  Value sum = Sgpr(0);
  for (int n = 1; n < 40; ++n) sum = b().Add(sum, Sgpr(n));
  EXPECT_EQ(Between(sum, b().Add(sum, b().U32(3)), Sgpr(50)), "0 3");
  Value product = Sgpr(0);
  for (int n = 1; n < 40; ++n) product = b().Mul(product, b().Add(Sgpr(n), b().U32(1)));
  EXPECT_EQ(Between(product, b().Sub(product, b().U32(3)), Sgpr(50)), "0 -3");
  Value deep = Sgpr(0);
  for (int n = 0; n < 100000; ++n) deep = b().Add(deep, deep);
  EXPECT_EQ(Between(deep, b().Add(deep, b().U32(1)), Sgpr(50)), "0 1");
}

}  // namespace
}  // namespace gcnjit::backend
