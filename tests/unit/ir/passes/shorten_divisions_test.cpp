// Divisions of lanes by a scalar, as compilers write them, before and after they are shortened.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/ir/ir_machine.h"

namespace gcnjit::ir {
namespace {

struct Wanted {
  bool quotient = true;     // v1
  bool remainder = true;    // v2
  bool also_first = false;  // v3: the quotient before the last step, which nothing may change then
  bool also_guess = false;  // v4: the one before that
  uint32_t scale = 0x4F7FFFFE;
  FloatEnv env = {};
};

// v0 divided by s0.
Function Division(const Wanted& wanted) {
  Function function;
  function.blocks.resize(1);
  Block& block = function.blocks[0];
  block.begin = 0x1000;
  block.targets[0] = 0x1004;
  Builder b(function, block);
  const Value n = b.Emit(Op::kGetVgpr, Type::kV32, {}, 0);
  const Value d = b.Emit(Op::kGetSgpr, Type::kU32, {}, 0);
  const uint32_t env = wanted.env.bits;
  const Value number = b.Emit(Op::kU32ToF32, Type::kU32, {d}, 0, env);
  const Value inverse = b.Emit(Op::kFDiv, Type::kU32, {b.U32(0x3F800000), number}, 0, env);
  const Value scaled = b.Emit(Op::kFMul, Type::kU32, {inverse, b.U32(wanted.scale)}, 0, env);
  const Value z0 = b.Emit(Op::kF32ToU32, Type::kU32, {scaled}, 0, env);
  const Value minus_d = b.Emit(Op::kSub, Type::kU32, {b.U32(0), d});
  const Value rest = b.Emit(Op::kMul, Type::kU32, {minus_d, z0});
  const Value z = b.Emit(Op::kAdd, Type::kU32, {z0, b.Emit(Op::kMulHiU, Type::kU32, {z0, rest})});
  Value q = b.Emit(Op::kMulHiU, Type::kV32, {n, z});
  Value r = b.Emit(Op::kSub, Type::kV32, {n, b.Emit(Op::kMul, Type::kV32, {q, d})});
  const auto set = [&](Value v, int vgpr) { b.Emit(Op::kSetVgpr, Type::kVoid, {v}, vgpr); };
  if (wanted.also_guess) set(q, 4);
  for (int step = 0; step < 2; ++step) {
    const Value c = b.Emit(Op::kLeU, Type::kU64, {d, r});
    if (step == 1 && wanted.also_first) set(q, 3);
    if (wanted.quotient) {
      const Value more = b.Emit(Op::kAdd, Type::kV32, {q, b.U32(1)});
      q = b.Emit(Op::kSelect, Type::kV32, {c, more, q});
    }
    if (wanted.remainder || step == 0) {
      r = b.Emit(Op::kSelect, Type::kV32, {c, b.Emit(Op::kSub, Type::kV32, {r, d}), r});
    }
  }
  if (wanted.quotient) set(q, 1);
  if (wanted.remainder) set(r, 2);
  b.Emit(Op::kJump, Type::kVoid, {});
  return function;
}

bool IsShort(const Function& function) {
  return std::any_of(function.insts.begin(), function.insts.end(),
                     [](const Inst& inst) { return inst.op == Op::kF64ToU32; });
}

// Divisors of every size, and dividends at the multiples of each.
void Compare(const Wanted& wanted, bool is_shortened) {
  const Function before = Division(wanted);
  ASSERT_EQ(Verify(before), std::vector<std::string>{});
  Function after = before;
  ShortenDivisions(after);
  ASSERT_EQ(IsShort(after), is_shortened) << Print(after);
  RemoveDead(after);
  ASSERT_EQ(Verify(after), std::vector<std::string>{}) << Print(after);
  if (is_shortened) {
    ASSERT_LT(after.blocks[0].insts.size(), before.blocks[0].insts.size());
  }
  std::mt19937_64 random(11);
  std::vector<uint32_t> divisors = {0, 1, 2, 3, 5, 7, 1313044, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (int n = 0; n < 3000; ++n) {
    const int bits = n % 32;
    divisors.push_back(static_cast<uint32_t>(random()) >> bits);
    divisors.push_back((uint32_t{1} << bits) + static_cast<uint32_t>(random() % 3) - 1);
  }
  for (const uint32_t d : divisors) {
    IrMachine machine;
    machine.sgpr[0] = d;
    for (int lane = 0; lane < kLanes; ++lane) {
      auto n = static_cast<uint32_t>(random());
      if (lane % 4 != 0 && d != 0) n = n / d * d + static_cast<uint32_t>(lane % 4) - 2;
      if (lane < 4) n = 0u - static_cast<uint32_t>(lane);
      machine.vgpr[0][lane] = n;
    }
    IrMachine expected = machine;
    expected.Run(before);
    machine.Run(after);
    ASSERT_EQ(machine.vgpr, expected.vgpr) << "by " << d << '\n' << Print(after);
    for (int lane = 0; lane < kLanes && d != 0; ++lane) {
      const uint32_t n = machine.vgpr[0][lane];
      ASSERT_EQ(machine.vgpr[1][lane], wanted.quotient ? n / d : 0) << n << " / " << d;
      ASSERT_EQ(machine.vgpr[2][lane], wanted.remainder ? n % d : 0) << n << " % " << d;
    }
  }
}

TEST(ShortenDivisions, GivesTheSame) {
  Compare({}, true);
  Compare({.remainder = false}, true);
  Compare({.quotient = false}, true);
}

TEST(ShortenDivisions, NotIfStepsAreWanted) {
  Compare({.also_first = true}, false);
  Compare({.also_guess = true}, false);
}

// Floats that flush denormals meet none here.
TEST(ShortenDivisions, InTheEnvironmentOfCompilers) {
  Compare({.env = {FloatEnv::kFlushInputs | FloatEnv::kFlushResults}}, true);
  const FloatEnv upward = {2 << FloatEnv::kRoundShift};
  Function function = Division({.env = upward});
  ShortenDivisions(function);
  EXPECT_FALSE(IsShort(function));
  function = Division({.scale = 0x4F800000});
  ShortenDivisions(function);
  EXPECT_FALSE(IsShort(function));
}

}  // namespace
}  // namespace gcnjit::ir
