// Random masks of random masks: what is said of two of them against all ways in which bits can be
// set.
#include "ir/analysis/mask_logic.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/builder.h"

namespace gcnjit::ir {
namespace {

constexpr size_t kMostWords = 8;
using Bits = std::array<uint64_t, kMostWords>;  // one for each way of as many as 9 atoms

struct Mask {
  Value value;
  Bits bits;
};

class MaskLogicTest : public testing::Test {
 protected:
  void AddAtoms(size_t count) {
    ways_ = size_t{1} << count;
    for (size_t k = 0; k < count; ++k) {
      Mask mask{b_.Emit(Op::kGetSgpr64, Type::kU64, {}, static_cast<int64_t>(2 * k)), {}};
      for (size_t way = 0; way < ways_; ++way) {
        if ((way >> k & 1) != 0) mask.bits[way / 64] |= uint64_t{1} << way % 64;
      }
      masks_.push_back(mask);
    }
    masks_.push_back({b_.U64(0), {}});
    Mask all{b_.U64(~uint64_t{0}), {}};
    all.bits.fill(~uint64_t{0});
    masks_.push_back(all);
  }

  void AddRandom() {
    const Mask x = Any(), y = Any();
    constexpr Op kOps[] = {Op::kAnd, Op::kOr, Op::kXor, Op::kAndNot, Op::kNot};
    const Op op = kOps[random_() % std::size(kOps)];
    const auto bit = [op](uint64_t a, uint64_t c) {
      switch (op) {
        case Op::kAnd: return a & c;
        case Op::kOr: return a | c;
        case Op::kXor: return a ^ c;
        case Op::kAndNot: return a & ~c;
        default: return ~a;
      }
    };
    Mask mask{op == Op::kNot ? b_.Not(x.value) : b_.Binary(op, x.value, y.value), {}};
    for (size_t n = 0; n < kMostWords; ++n) mask.bits[n] = bit(x.bits[n], y.bits[n]);
    masks_.push_back(mask);
  }

  Mask Any() { return masks_[random_() % masks_.size()]; }

  // In all ways that there are?
  template <typename F>
  bool IsNever(const Mask& x, const Mask& y, F bit) const {
    for (size_t way = 0; way < ways_; ++way) {
      if ((bit(x.bits[way / 64], y.bits[way / 64]) >> way % 64 & 1) != 0) return false;
    }
    return true;
  }

  Block block_;
  Function function_;
  Builder b_{function_, block_};
  std::mt19937_64 random_{1};
  std::vector<Mask> masks_;
  size_t ways_ = 0;
};

TEST_F(MaskLogicTest, KnowsAllOfUpToSixAtoms) {
  for (size_t atoms = 1; atoms <= MaskLogic::kMostAtoms; ++atoms) {
    masks_.clear();
    AddAtoms(atoms);
    for (int n = 0; n < 200; ++n) AddRandom();
    MaskLogic logic(function_);
    for (int n = 0; n < 5000; ++n) {
      const Mask x = Any(), y = Any();
      ASSERT_EQ(logic.Implies(x.value, y.value),
                IsNever(x, y, [](uint64_t a, uint64_t c) { return a & ~c; }));
      ASSERT_EQ(logic.Excludes(x.value, y.value),
                IsNever(x, y, [](uint64_t a, uint64_t c) { return a & c; }));
      ASSERT_EQ(logic.Covers(x.value, y.value),
                IsNever(x, y, [](uint64_t a, uint64_t c) { return ~(a | c); }));
      ASSERT_EQ(logic.FormOf(x.value) == logic.FormOf(y.value),
                IsNever(x, y, [](uint64_t a, uint64_t c) { return a ^ c; }));
    }
  }
}

// Some is not known then, but nothing that is not so.
TEST_F(MaskLogicTest, SaysNothingWrongOfMoreAtoms) {
  AddAtoms(9);
  for (int n = 0; n < 400; ++n) AddRandom();
  MaskLogic logic(function_);
  int known = 0;
  for (int n = 0; n < 50000; ++n) {
    const Mask x = Any(), y = Any();
    if (logic.Implies(x.value, y.value)) {
      ++known;
      ASSERT_TRUE(IsNever(x, y, [](uint64_t a, uint64_t c) { return a & ~c; }));
    }
    if (logic.Excludes(x.value, y.value)) {
      ++known;
      ASSERT_TRUE(IsNever(x, y, [](uint64_t a, uint64_t c) { return a & c; }));
    }
    if (logic.Covers(x.value, y.value)) {
      ++known;
      ASSERT_TRUE(IsNever(x, y, [](uint64_t a, uint64_t c) { return ~(a | c); }));
    }
  }
  EXPECT_GT(known, 1000);
}

// A chain that is asked for from its end.
TEST_F(MaskLogicTest, DoesNotFollowChainsWithoutEnd) {
  AddAtoms(2);
  Value chain = masks_[0].value;
  for (int n = 0; n < 200'000; ++n) chain = b_.Xor(chain, masks_[1].value);
  MaskLogic logic(function_);
  EXPECT_TRUE(logic.Implies(chain, chain));
  EXPECT_FALSE(logic.Implies(chain, masks_[0].value));
}

}  // namespace
}  // namespace gcnjit::ir
