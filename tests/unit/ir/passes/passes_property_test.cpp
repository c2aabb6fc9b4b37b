// A function does the same before and after each pass, and after all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "ir/builder.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/ir/random_ir.h"

namespace gcnjit::ir {
namespace {

// GCNJIT_IR_FUNCTIONS: the long dose.
uint64_t Functions() {
  const char* text = std::getenv("GCNJIT_IR_FUNCTIONS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 4000;
}

struct Outcome {
  IrMachine machine;
  EvaluatorResult result;
};

Outcome RunOn(IrMachine machine, const Function& function) {
  Outcome outcome{std::move(machine), {}};
  outcome.result = outcome.machine.Run(function);
  return outcome;
}

std::string Difference(const Outcome& a, const Outcome& b) {
  if (a.result.fault.has_value() != b.result.fault.has_value()) return "a fault";
  if (a.result.fault && (a.result.fault->lane != b.result.fault->lane ||
                         a.result.fault->address != b.result.fault->address)) {
    return "the fault";
  }
  if (a.result.next_pc != b.result.next_pc) return "next_pc";
  if (a.machine.memory != b.machine.memory) return "memory";
  if (a.machine.lds != b.machine.lds) return "LDS";
  if (a.machine.scc != b.machine.scc) return "SCC";
  for (size_t n = 0; n < a.machine.sgpr.size(); ++n) {
    if (a.machine.sgpr[n] != b.machine.sgpr[n]) return "s" + std::to_string(n);
  }
  for (size_t n = 0; n < a.machine.vgpr.size(); ++n) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (a.machine.vgpr[n][lane] != b.machine.vgpr[n][lane]) {
        return "v" + std::to_string(n) + " of lane " + std::to_string(lane);
      }
    }
  }
  return {};
}

TEST(IrPasses, KeepWhatAFunctionDoes) {
  uint64_t executed = 0;
  for (uint64_t seed = 1; seed <= Functions(); ++seed) {
    std::mt19937_64 random(seed);
    Function function = RandomFunction(random, 5 + static_cast<int>(random() % 60));
    const std::string before = Print(function);
    ASSERT_EQ(Verify(function), std::vector<std::string>{}) << "seed " << seed << '\n' << before;
    std::vector<IrMachine> machines;
    std::vector<Outcome> expected;
    for (int n = 0; n < 3; ++n) {
      machines.push_back(RandomMachine(random));
      expected.push_back(RunOn(machines.back(), function));
    }
    std::string previous = before;
    Optimise(function, [&](std::string_view pass, PassMoment moment, const Function& now) {
      if (moment == PassMoment::kBefore || ::testing::Test::HasFailure()) return;
      const auto messages = Verify(now);
      EXPECT_EQ(messages, std::vector<std::string>{});
      if (!messages.empty()) return;
      for (size_t n = 0; n < machines.size(); ++n) {
        ++executed;
        const std::string difference = Difference(RunOn(machines[n], now), expected[n]);
        EXPECT_EQ(difference, "") << "seed " << seed << ", after " << pass << "\nbefore it:\n"
                                  << previous << "after it:\n"
                                  << Print(now);
        if (!difference.empty()) return;
      }
      previous = Print(now);
    });
    ASSERT_FALSE(HasFailure());
  }
  RecordProperty("executed", std::to_string(executed));
}

// Sums of all that has halves, of numbers whose halves are near those where a carry begins.
class WideSums {
 public:
  WideSums(std::mt19937_64& random, Function& function)
      : random_(random), b_(function, function.blocks[0]) {
    for (int n = 0; n < 4; ++n) vgprs_[n] = b_.Emit(Op::kGetVgpr, Type::kV32, {}, n);
    for (int n = 0; n < 4; ++n) sgprs_[n] = b_.Emit(Op::kGetSgpr, Type::kU32, {}, n);
    pair_ = b_.Emit(Op::kGetSgpr64, Type::kU64, {}, 4);
    Value a = Term();
    const int sums = 1 + static_cast<int>(random_() % 4);
    for (int n = 0; n < sums; ++n) {
      Value c = Term();
      if (random_() % 2 == 0) std::swap(a, c);
      const Value sum = b_.Emit(Op::kAdd, Type::kV64, {a, c});
      const Value low = b_.Emit(Op::kLow, Type::kV32, {sum});
      const Value high = b_.Emit(Op::kHigh, Type::kV32, {sum});
      const Value whole =
          random_() % 4 == 0 ? b_.Emit(Op::kLshr, Type::kV64, {sum, b_.U32(16)}) : sum;
      if (random_() % 4 != 0) b_.Emit(Op::kSetVgpr, Type::kVoid, {low}, 2 * n);
      if (random_() % 4 != 0) b_.Emit(Op::kSetVgpr, Type::kVoid, {high}, 2 * n + 1);
      a = random_() % 4 == 0 ? whole : b_.Emit(Op::kPack, Type::kV64, {low, high});
    }
    b_.Emit(Op::kJump, Type::kVoid, {});
    function.blocks[0].targets[0] = 4;
  }

  static uint32_t Near(std::mt19937_64& random) {
    constexpr uint32_t kNumbers[] = {0, 0x7FFFFFFF, 0xFFFFFFFF, 0x12345678};
    return kNumbers[random() % 4] + static_cast<uint32_t>(random() % 5) - 2;
  }

 private:
  Value Half() {
    switch (random_() % 5) {
      case 0: return sgprs_[random_() % 4];
      case 1: return b_.U32(Near(random_));
      case 2: return b_.U32(0);
      default: return vgprs_[random_() % 4];
    }
  }
  Value Term() {
    switch (random_() % 7) {
      case 0: return b_.U64(uint64_t{Near(random_)} << 32 | Near(random_));
      case 1: return b_.U64(Near(random_));
      case 2: return pair_;
      case 3: return b_.Emit(Op::kZext, Type::kV64, {Half()});
      case 4: return b_.Emit(Op::kSext, Type::kV64, {Half()});
      default: return b_.Emit(Op::kPack, Type::kV64, {Half(), Half()});
    }
  }

  std::mt19937_64& random_;
  Builder b_;
  Value vgprs_[4], sgprs_[4], pair_;
};

TEST(IrPasses, SplitSumsAreTheSame) {
  int split = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    std::mt19937_64 random(seed);
    Function function;
    function.blocks.resize(1);
    const WideSums sums(random, function);
    ASSERT_EQ(Verify(function), std::vector<std::string>{}) << Print(function);
    Function after = function;
    SplitWideAdds(after);
    ASSERT_EQ(Verify(after), std::vector<std::string>{}) << Print(function) << Print(after);
    split += after.insts.size() != function.insts.size();
    IrMachine machine;
    for (auto& vgpr : machine.vgpr) {
      for (uint32_t& lane : vgpr) lane = WideSums::Near(random);
    }
    for (uint32_t& sgpr : machine.sgpr) sgpr = WideSums::Near(random);
    ASSERT_EQ(Difference(RunOn(machine, after), RunOn(machine, function)), "")
        << "seed " << seed << '\n'
        << Print(function) << "after it:\n"
        << Print(after);
  }
  EXPECT_GT(split, 1000);
}

// Comparisons of what is made of squares, where it comes near to what is asked, however it rounds.
class Squares {
 public:
  Squares(std::mt19937_64& random, Function& function)
      : random_(random), b_(function, function.blocks[0]) {
    for (int n = 0; n < 4; ++n) vgprs_[n] = b_.Emit(Op::kGetVgpr, Type::kV32, {}, n);
    for (int n = 0; n < 4; ++n) {
      Value of = Term();
      for (uint64_t more = random_() % 4; more != 0; --more) of = More(of);
      Value than = b_.U32(Near(random_));
      if (random_() % 4 == 0) std::swap(of, than);
      const Value mask = b_.FCmp(static_cast<int>(random_() % 16), Env(), of, than);
      b_.Emit(Op::kSetSgpr64, Type::kVoid, {mask}, n * 2);
    }
    b_.Emit(Op::kJump, Type::kVoid, {});
    function.blocks[0].targets[0] = 4;
  }

  // Patterns of floats next to those at which something begins.
  static uint32_t Near(std::mt19937_64& random) {
    constexpr uint32_t kNumbers[] = {0,          0x00400000, 0x00800000, 0x3C23D70A, 0x3F800000,
                                     0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x1FBFFFFF, 0x20000000};
    const uint32_t number = kNumbers[random() % std::size(kNumbers)];
    const uint32_t near = number + static_cast<uint32_t>(random() % 3) - (number != 0 ? 1 : 0);
    return random() % 3 == 0 ? near | 0x80000000 : near;
  }

 private:
  Value Lanes() { return vgprs_[random_() % 4]; }
  FloatEnv Env() {
    constexpr uint16_t kBits[] = {0, FloatEnv::kFlushInputs, FloatEnv::kFlushResults,
                                  FloatEnv::kFlushInputs | FloatEnv::kFlushResults};
    return {static_cast<uint16_t>(kBits[random_() % 4] | random_() % 4 << FloatEnv::kRoundShift)};
  }
  Value Term() {
    const Value v = Lanes();
    switch (random_() % 4) {
      case 0: return b_.U32(Near(random_));
      case 1: return b_.Emit(Op::kAnd, Type::kV32, {v, b_.U32(0x7FFFFFFF)});
      default: return b_.Float(Op::kFMul, Env(), 32, {v, random_() % 8 == 0 ? Lanes() : v});
    }
  }
  Value More(Value of) {
    const Value v = Lanes();
    if (random_() % 2 == 0) return b_.Float(Op::kFFma, Env(), 32, {v, v, of});
    return b_.Float(Op::kFAdd, Env(), 32, {of, Term()});
  }

  std::mt19937_64& random_;
  Builder b_;
  Value vgprs_[4];
};

TEST(IrPasses, ComparisonsOfSquaresAreTheSame) {
  size_t folded = 0;
  for (uint64_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937_64 random(seed);
    Function function;
    function.blocks.resize(1);
    const Squares squares(random, function);
    ASSERT_EQ(Verify(function), std::vector<std::string>{}) << Print(function);
    Function after = function;
    FoldInstructions(after);
    RemoveDead(after);
    const auto compares = [](const Function& of) {
      return std::ranges::count_if(of.blocks[0].insts,
                                   [&](Value v) { return of[v].op == Op::kFCmp; });
    };
    folded += compares(after) != compares(function);
    IrMachine machine;
    for (auto& vgpr : machine.vgpr) {
      for (uint32_t& lane : vgpr) lane = Squares::Near(random);
    }
    ASSERT_EQ(Difference(RunOn(machine, after), RunOn(machine, function)), "")
        << "seed " << seed << '\n'
        << Print(function) << "after it:\n"
        << Print(after);
  }
  EXPECT_GT(folded, 500u);
}

// What guests can write to keep a pass busy: one chain as long as a region, whose every link is
// used once, or twice by the next one.
TEST(IrPasses, GetToTheEndOfLongChains) {
  constexpr int kLinks = 20'000;
  for (const Op op : {Op::kAdd, Op::kXor, Op::kAnd, Op::kOr}) {
    for (const bool twice : {false, true}) {
      Function function;
      function.blocks.resize(1);
      Builder b(function, function.blocks[0]);
      const Value terms[] = {b.Emit(Op::kGetVgpr, Type::kV32, {}, 0),
                             b.Emit(Op::kGetVgpr, Type::kV32, {}, 1)};
      Value v = terms[0];
      for (int n = 0; n < kLinks; ++n) {
        Value term = terms[twice ? 0 : n % 2];
        if (twice) term = b.Emit(Op::kAndNot, Type::kV32, {term, v});
        v = b.Emit(op, Type::kV32, {v, term});
      }
      b.Emit(Op::kSetVgpr, Type::kVoid, {v}, 2);
      b.Emit(Op::kJump, Type::kVoid, {});
      function.blocks[0].targets[0] = 4;
      BalanceAdds(function);
      FuseBitwise(function);
      EXPECT_EQ(Verify(function), std::vector<std::string>{});
    }
  }
}

TEST(IrPasses, AreLinear) {
  // The best of several runs, in CPU time: others use the machine too.
  const auto microseconds_per_instruction = [](int size) {
    double best = 1e9;
    for (int n = 0; n < 3; ++n) {
      std::mt19937_64 random(7);
      Function function = RandomFunction(random, size);
      const auto count = static_cast<double>(function.blocks[0].insts.size());
      const std::clock_t begin = std::clock();
      Optimise(function);
      const double microseconds = 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      best = std::min(best, microseconds / count);
    }
    return best;
  };
  const double small = microseconds_per_instruction(2'000);
  const double large = microseconds_per_instruction(64'000);
  RecordProperty("microseconds_per_instruction", std::to_string(large));
  // 32 times the size: quadratic work would take 32 times as long an instruction.
  EXPECT_LT(large, 8 * small);
}

}  // namespace
}  // namespace gcnjit::ir
