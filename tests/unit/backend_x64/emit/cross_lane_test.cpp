// Permutations of lanes, in slices and between them.
#include <gtest/gtest.h>

#include <random>

#include "ir/builder.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr uint64_t kWholeWave = ~uint64_t{0};

ir::Block OneBlock() {
  ir::Block block;
  block.begin = 0x100;
  block.guest_pcs = {0x100};
  block.instruction_count = 1;
  block.targets[0] = 0x104;
  return block;
}

// Patterns of all kinds that the host has instructions for, and of none.
ir::LanePattern PatternOf(std::mt19937& random) {
  const auto kind = random() % 8;
  const auto number = static_cast<int>(random() % 64);
  ir::LanePattern pattern;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    int from = lane;
    switch (kind) {
      case 0: from = (lane + number) % 64; break;
      case 1: from = lane + number < 64 ? lane + number : ir::kNoLane; break;
      case 2: from = lane ^ number; break;
      case 3: from = lane ^ (number & 3); break;
      case 4: from = lane >= number ? lane - number : ir::kNoLane; break;
      case 5: from = static_cast<int>(random() % 64); break;
      case 6: from = (number & ~15) + static_cast<int>(random() % 16); break;
      case 7: from = random() % 3 == 0 ? ir::kNoLane : lane; break;
    }
    pattern[static_cast<size_t>(lane)] = static_cast<uint8_t>(from);
  }
  return pattern;
}

struct RandomPermutes {
  ir::Function function = {};
  Machine machine = {};

  explicit RandomPermutes(uint32_t seed) {
    std::mt19937 random(seed);
    ir::Block block = OneBlock();
    Builder b(function, block);
    std::vector<Value> values;
    for (int n = 0; n < 4; ++n) values.push_back(b.Emit(Op::kGetVgpr, Type::kV32, {}, n));
    const Value address = values[3];
    // More than the registers hold of whole waves: slices are narrower then.
    std::vector<Value> live;
    if (seed % 3 == 0) {
      const uint32_t count = 8 + static_cast<uint32_t>(random() % 30);
      for (uint32_t n = 0; n < count; ++n) {
        live.push_back(b.Mul(values[n % 3], b.U32(2 * n + 3)));
      }
    }
    const auto pick = [&] { return values[random() % values.size()]; };
    // As in the step of a reduction, of which the first lanes go on.
    for (auto steps = 1 + random() % 8; steps != 0; --steps) {
      const Value source = random() % 4 == 0 ? pick() : values.back();
      const Value moved = b.Emit(Op::kPermute, Type::kV32, {source}, b.Pattern(PatternOf(random)));
      values.push_back(random() % 6 == 0 ? moved : b.Add(moved, source));
      if (random() % 5 == 0) {
        values.push_back(b.Select(b.U64(kWholeWave >> random() % 64), values.back(), pick()));
      }
      if (random() % 3 == 0) {
        b.Emit(Op::kStoreLds, Type::kVoid,
               {address, b.U64(kWholeWave >> random() % 64), b.U32(~0u), values.back()},
               static_cast<int64_t>(random() % 64) * 4, ir::MemoryAccess{}.Pack());
      }
    }
    if (random() % 2 == 0) {
      b.Emit(Op::kSetSgpr, Type::kVoid,
             {b.Emit(Op::kReadLane, Type::kU32, {values.back(), b.U32(random() % 64)})}, 9);
    }
    // Registers whose old values have been permuted, too.
    for (int n = 0; n < 3; ++n) {
      if (random() % 2 == 0) b.Emit(Op::kSetVgpr, Type::kVoid, {pick()}, n);
    }
    Value all = values.back();
    for (const Value v : live) all = b.Xor(b.Add(all, b.U32(5)), v);
    b.Emit(Op::kSetVgpr, Type::kVoid, {all}, 20);
    b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kNext));
    function.blocks.push_back(std::move(block));
    FillRandom(random, machine.vgpr);
    for (uint32_t lane = 0; lane < 64; ++lane) machine.vgpr[3][lane] = lane * 4;
  }
};

TEST(CrossLane, IsWhatTheEvaluatorSays) {
  for (const HostIsa isa : {HostIsa::kAvx2, HostIsa::kAvx512}) {
    if (!HostHas(isa)) continue;
    for (uint32_t seed = 1; seed <= 1500; ++seed) {
      const RandomPermutes test(seed);
      // With and without knowing that addresses count up.
      ir::VgprShape known;
      known.vgpr = 3;
      known.run = ir::kLanes;
      for (uint32_t lane = 0; lane < 64; ++lane) known.offsets[lane] = lane * 4;
      CompiledBlock code(test.function, isa, {}, /*listing=*/false,
                         seed % 2 == 0 ? std::vector<ir::VgprShape>{} : std::vector{known});
      const Outcome expected = RunEvaluator(test.function, test.machine);
      const std::string difference = Difference(code.Run(test.machine), expected);
      ASSERT_EQ(difference, "") << NameOf(isa) << ", seed " << seed;
    }
  }
}

// Without a way through memory.
TEST(CrossLane, StaysInRegistersWhereASliceIsTheWave) {
  if (!HostHas(HostIsa::kAvx512)) GTEST_SKIP() << "this host has no AVX-512";
  ir::Function function;
  ir::Block block = OneBlock();
  Builder b(function, block);
  Value v = b.Emit(Op::kGetVgpr, Type::kV32, {}, 0);
  for (const int step : {32, 16, 8, 4, 2, 1}) {
    ir::LanePattern pattern;
    for (int lane = 0; lane < 64; ++lane) {
      pattern[static_cast<size_t>(lane)] = static_cast<uint8_t>(lane ^ step);
    }
    v = b.Add(v, b.Emit(Op::kPermute, Type::kV32, {v}, b.Pattern(pattern)));
  }
  b.Emit(Op::kSetVgpr, Type::kVoid, {v}, 1);
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kNext));
  function.blocks.push_back(std::move(block));
  CompiledBlock code(function, HostIsa::kAvx512, {}, /*listing=*/true);
  EXPECT_EQ(code.listing().find("stage 1"), std::string::npos) << code.listing();
}

}  // namespace
}  // namespace gcnjit::backend
