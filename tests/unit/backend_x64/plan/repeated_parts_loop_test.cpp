// Loops that carry lane values which are alike in parts of a slice, and random blocks of these
// and others.

#include "tests/unit/backend_x64/repeating_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

// VGPRs that are in the way, so that others are not resident: before them or after them.
void Occupy(RepeatingBlock& x, int count) {
  for (int n = 10; n < 10 + count; ++n) x.SetLast(n, x.b.Add(x.Vgpr(n), x.Vgpr(6)));
}
template <typename F>
void InTheWay(F build) {
  for (const int count : {0, 3, 8, 19}) {
    for (const bool first : {false, true}) {
      RepeatingBlock x;
      if (first) Occupy(x, count);
      build(x);
      if (!first) Occupy(x, count);
      ExpectTheSame(x.FinishLoop(), /*is_loop=*/true);
    }
  }
}

TEST(RepeatedParts, AreComputedOnceInLoops) {
  for (const bool carried : {false, true}) {
    ExpectShared(
        true,
        [&](RepeatingBlock& x) {
          if (carried) x.SetLast(0, x.b.Add(x.Vgpr(0), x.Sgpr(4)));
          x.SetLast(6, x.b.Add(x.Vgpr(6), x.b.Mul(x.Vgpr(0), x.Vgpr(3))));
        },
        /*is_loop=*/true);
  }
}

// As the upper half of an address that is counted up does.
TEST(RepeatedParts, DependOnMasksInLoops) {
  for (const int vgpr : {3, 6}) {
    ExpectShared(
        vgpr == 3,
        [&](RepeatingBlock& x) {
          const Value mask = x.b.Compare(Op::kLtU, x.Vgpr(vgpr), x.Vgpr(4));
          x.SetLast(7, x.b.Mul(x.Vgpr(0), x.b.Select(mask, x.Vgpr(1), x.Vgpr(5))));
        },
        /*is_loop=*/true);
  }
  // A mask that the loop leaves in SGPRs has all its bits.
  ExpectShared(
      false,
      [&](RepeatingBlock& x) {
        const Value mask = x.b.Compare(Op::kLtU, x.Vgpr(3), x.Vgpr(4));
        x.b.Emit(Op::kSetSgpr64, Type::kVoid, {mask}, 20);
        x.SetLast(7, x.b.Mul(x.Vgpr(0), x.b.Select(mask, x.Vgpr(1), x.Vgpr(5))));
      },
      /*is_loop=*/true);
}

// Also where one mask is made after another, which other masks are part by part.
TEST(RepeatedParts, MasksAreMadeOnceInLoops) {
  RepeatingBlock x;
  const Value one = x.b.Compare(Op::kLtU, x.Vgpr(3), x.Vgpr(4));
  const Value other = x.b.Compare(Op::kLtU, x.Vgpr(4), x.Vgpr(5));
  x.SetLast(6, x.b.Select(one, x.Vgpr(6), x.Vgpr(7)));
  x.SetLast(7, x.b.Select(other, x.Vgpr(6), x.Vgpr(7)));
  const ir::Function& function = x.FinishLoop();
  for (const HostIsa isa : HostIsas()) {
    const bool wide = isa == HostIsa::kAvx512;
    CompiledBlock compiled(function, isa, {}, /*listing=*/true,
                           ShapesOf(wide ? LaneBits{15, 15} : LaneBits{7, 7}));
    EXPECT_EQ(CountOf(compiled.listing(), wide ? "vpcmpud" : "vpmaxud"), 2) << compiled.listing();
  }
}

TEST(RepeatedParts, MasksInLoops) {
  InTheWay([](RepeatingBlock& x) {
    const Value low = x.b.Add(x.Vgpr(0), x.b.U32(0x40000000));
    x.SetLast(0, low);
    const Value carry = x.b.Compare(Op::kLtU, low, x.b.U32(0x40000000));
    x.SetLast(1, x.b.Add(x.Vgpr(1), x.b.Select(carry, x.b.U32(1), x.b.U32(0))));
    // Of both kinds: what is and-ed with the carry is not the same in all parts.
    const Value both = x.b.And(carry, x.b.Compare(Op::kLtU, x.Vgpr(6), x.Vgpr(4)));
    x.SetLast(6, x.b.Select(both, x.Vgpr(1), x.b.Add(x.Vgpr(6), x.Vgpr(3))));
    x.SetLast(7, x.b.Select(carry, x.Vgpr(6), x.Vgpr(7)));
  });
}

TEST(RepeatedParts, CountedUpInLoops) {
  InTheWay([](RepeatingBlock& x) {
    x.SetLast(0, x.b.Add(x.Vgpr(0), x.Sgpr(4)));
    x.SetLast(1, x.b.Add(x.Vgpr(1), x.b.U32(7)));
    // Not carried: v3 is read only.
    const Value product = x.b.Mul(x.Vgpr(0), x.Vgpr(3));
    x.SetLast(6, x.b.Add(x.Vgpr(6), product));
    x.SetLast(7, product);
    x.SetLast(8, x.Vgpr(1));
  });
}

TEST(RepeatedParts, ExchangedInLoops) {
  InTheWay([](RepeatingBlock& x) {
    x.SetLast(0, x.Vgpr(1));
    x.SetLast(1, x.Vgpr(0));
    x.SetLast(6, x.b.Add(x.Vgpr(6), x.Vgpr(0)));
  });
  InTheWay([](RepeatingBlock& x) {
    x.SetLast(0, x.Vgpr(1));
    x.SetLast(1, x.Vgpr(2));
    x.SetLast(2, x.Vgpr(0));
    x.SetLast(6, x.b.Add(x.Vgpr(6), x.Vgpr(1)));
  });
}

// A VGPR takes the old value of another one, which changes, too.
TEST(RepeatedParts, HandedOnInLoops) {
  InTheWay([](RepeatingBlock& x) {
    x.SetLast(0, x.b.Add(x.Vgpr(0), x.Sgpr(4)));
    x.SetLast(1, x.Vgpr(0));
    x.SetLast(2, x.Vgpr(1));
    x.SetLast(7, x.Vgpr(2));
    x.SetLast(8, x.Vgpr(7));
    x.SetLast(9, x.Vgpr(3));
  });
}

// The next value repeats itself, but not for its arguments; and the other way round.
TEST(RepeatedParts, MadeOfOthersInLoops) {
  for (const uint32_t lane_bits : {7u, 15u, 31u, 0x37u, 0x2Fu}) {
    InTheWay([&](RepeatingBlock& x) {
      const Value place = x.b.And(x.b.LaneId(), x.b.U32(lane_bits));
      x.SetLast(5, x.b.Add(x.b.Shl(place, 2), x.Sgpr(4)));
      x.SetLast(6, x.b.Add(x.Vgpr(6), x.Vgpr(5)));
      x.SetLast(7, x.b.Mul(x.Vgpr(5), x.Vgpr(3)));
      x.SetLast(8, x.Vgpr(7));
    });
  }
}

TEST(RepeatedParts, LoadedInLoops) {
  InTheWay([](RepeatingBlock& x) {
    x.SetLast(0, x.b.Add(x.Vgpr(0), x.b.U32(24)));
    const Value global = x.Load(x.Address(x.Vgpr(0)), x.All(), 8)[1];
    const Value indexed = x.LoadIndexed(x.Index(x.Vgpr(0)), x.All())[0];
    const Value lds = x.LoadLds(x.b.And(x.Vgpr(0), x.b.U32(0x3FC)), x.All())[0];
    const Value masked =
        x.LoadIndexed(x.Index(x.Vgpr(3)), x.b.Compare(Op::kLtU, x.Vgpr(0), x.Vgpr(4)))[0];
    x.SetLast(7, x.b.Add(x.Vgpr(7), x.b.Mul(global, indexed)));
    x.SetLast(8, x.b.Add(x.Vgpr(8), lds));
    x.SetLast(9, x.b.Xor(x.Vgpr(9), masked));
  });
}

TEST(RepeatedParts, LoopsThatLanesLeave) {
  for (const int count : {0, 8, 19}) {
    RepeatingBlock x;
    const Value product = x.b.Mul(x.Vgpr(0), x.Vgpr(3));
    const auto set = [&](int n, Value v) { x.SetLast(n, x.b.Select(x.Pair(126), v, x.Vgpr(n))); };
    set(1, x.b.Add(x.Vgpr(1), x.Sgpr(4)));
    set(6, x.b.Add(x.Vgpr(6), product));
    set(7, x.Vgpr(2));
    for (int n = 10; n < 10 + count; ++n) set(n, x.b.Add(x.Vgpr(n), x.Vgpr(3)));
    ExpectTheSame(x.FinishUntilNoLane(), /*is_loop=*/true);
  }
}

// ---- Random blocks

class RandomMix {
 public:
  RandomMix(uint64_t seed, bool is_loop) : random_(seed), is_loop_(is_loop) {
    // In any order, so that others are resident.
    for (int n = 0; n < 9; ++n) lanes_.push_back(x_.Vgpr(Below(9)));
    masks_ = {x_.All(), x_.Pair(20), x_.Pair(126), b_.U64(0x123456789ABCDEF0)};
    wide_.push_back(b_.Zext(Any(lanes_)));
    const int size = 5 + Below(70);
    for (int n = 0; n < size; ++n) Step();
  }
  const Function& Finish() {
    if (!is_loop_) {
      for (int n = 0; n < 16; ++n) Write(n, Any(lanes_));
      b_.Emit(Op::kSetSgpr64, Type::kVoid, {Any(masks_)}, 30);
      return x_.Finish();
    }
    for (int n = 0; n < 16; ++n) {
      if (Below(3) == 0) continue;
      if (n < 3 && Below(2) == 0) {
        x_.SetLast(n, x_.Vgpr(Below(3)));
      } else if (n < kRepeating && Below(4) != 0) {
        x_.SetLast(n, b_.Add(x_.Vgpr(n), x_.Sgpr(4)));
      } else {
        x_.SetLast(n, Any(lanes_));
      }
    }
    return x_.FinishLoop();
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  Value Any(const std::vector<Value>& values) {
    const auto size = static_cast<int>(values.size());
    return values[static_cast<size_t>(Below(2) == 0 ? size - 1 - Below(std::min(size, 4))
                                                    : Below(size))];
  }
  Value Mask() { return Below(2) == 0 ? Below(2) == 0 ? x_.All() : x_.Pair(126) : Any(masks_); }
  void Keep(const std::vector<Value>& values) {
    for (const Value v : values) {
      if (Below(4) != 0) lanes_.push_back(v);
    }
  }
  void Write(int n, Value v) {
    if (written_[n] || is_loop_) return;
    written_[n] = true;
    x_.Vgpr(n);  // no read may follow
    x_.Set(n, v);
  }
  void Step() {
    constexpr uint8_t kSizes[] = {4, 4, 8, 12, 16};
    const uint8_t bytes = kSizes[Below(5)];
    switch (Below(is_loop_ ? 14 : 19)) {
      case 0:
      case 1: return lanes_.push_back(b_.Add(Any(lanes_), Any(lanes_)));
      case 2: return lanes_.push_back(b_.Mul(Any(lanes_), Any(lanes_)));
      case 3: return lanes_.push_back(b_.Shl(Any(lanes_), Any(lanes_)));
      case 4:
        return lanes_.push_back(
            b_.Float(Op::kFFma, {}, 32, {Any(lanes_), Any(lanes_), Any(lanes_)}));
      case 5:
        return wide_.push_back(b_.Emit(Op::kMulWideU, Type::kV64, {Any(lanes_), Any(lanes_)}));
      case 6: return wide_.push_back(b_.Emit(Op::kAdd, Type::kV64, {Any(wide_), Any(wide_)}));
      case 7: return wide_.push_back(b_.Pack(Any(lanes_), Any(lanes_)));
      case 8: return lanes_.push_back(Below(2) == 0 ? b_.Low(Any(wide_)) : b_.High(Any(wide_)));
      case 9: return masks_.push_back(b_.Emit(Op::kLtU, Type::kU64, {Any(lanes_), Any(lanes_)}));
      case 10: return masks_.push_back(b_.And(Any(masks_), Any(masks_)));
      case 11: return lanes_.push_back(b_.Select(Mask(), Any(lanes_), Any(lanes_)));
      case 12: return Keep(x_.LoadLds(b_.And(Any(lanes_), b_.U32(0x3F0)), Mask(), bytes));
      case 13:
        return Keep(Below(2) == 0 ? x_.Load(x_.Address(Any(lanes_)), Mask(), bytes)
                                  : x_.LoadIndexed(x_.Index(Any(lanes_)), Mask(), bytes));
      case 14: return x_.Store(x_.Index(Any(lanes_)), Mask(), Any(lanes_));
      case 15: return x_.StoreLds(b_.And(Any(lanes_), b_.U32(0x3FC)), Mask(), Any(lanes_));
      case 16: {
        ir::LanePattern pattern;
        for (uint8_t& lane : pattern) lane = static_cast<uint8_t>(Below(ir::kLanes));
        return lanes_.push_back(
            b_.Emit(Op::kPermute, Type::kV32, {Any(lanes_)}, b_.Pattern(pattern)));
      }
      default: return Write(Below(16), Any(lanes_));
    }
  }
  std::mt19937_64 random_;
  const bool is_loop_;
  RepeatingBlock x_;
  Builder& b_ = x_.b;
  std::vector<Value> lanes_, wide_, masks_;
  bool written_[16] = {};
};

TEST(RepeatedParts, AmongRandomOperations) {
  const uint64_t count = RandomBlocks(300);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    RandomMix mix(seed, /*is_loop=*/false);
    ExpectTheSame(mix.Finish());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(RepeatedParts, AmongRandomOperationsInLoops) {
  const uint64_t count = RandomBlocks(300);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    RandomMix mix(seed, /*is_loop=*/true);
    ExpectTheSame(mix.Finish(), /*is_loop=*/true);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gcnjit::backend
