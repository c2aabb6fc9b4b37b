// Permutations of which only lanes are wanted that stay where they are.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/rewrite/identity_permutes.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::LanePattern;
using ir::Op;
using ir::Type;
using ir::Value;

using Make = std::function<void(Builder&)>;

constexpr int kOther = 6;  // VGPRs with other addresses

Value Vgpr(Builder& b, int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); }
Value Permute(Builder& b, Value source, const LanePattern& pattern) {
  return b.Emit(Op::kPermute, Type::kV32, {source}, b.Pattern(pattern));
}
// To the addresses that a pair of VGPRs has, of the lanes of a mask.
void Store(Builder& b, Value data, uint64_t mask, int address = 0) {
  const Value args[] = {Vgpr(b, address), Vgpr(b, address + 1), b.U64(mask), data};
  b.EmitList(Op::kStore, Type::kVoid, args, 4, 0, ir::MemoryAccess{.bytes = 4}.Pack());
}

// Lanes up to one stay, and those above come from the other end.
LanePattern StillUpTo(int last) {
  LanePattern pattern{};
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    pattern[static_cast<size_t>(lane)] = static_cast<uint8_t>(lane <= last ? lane : 63 - lane);
  }
  return pattern;
}
LanePattern With(LanePattern pattern, size_t lane, uint8_t source) {
  pattern[lane] = source;
  return pattern;
}

Function FunctionOf(const Make& make) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0};
  Builder b(function, function.blocks[0]);
  make(b);
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  return function;
}

Machine RandomMachine(std::mt19937_64& random) {
  Machine machine;
  for (auto& vgpr : machine.vgpr) {
    for (uint32_t& lane : vgpr) lane = static_cast<uint32_t>(random());
  }
  for (size_t lane = 0; lane < 2 * ir::kLanes; ++lane) {
    const uint64_t address = GuestPages::kBegin + random() % 1024 * 4;
    const int low = lane < ir::kLanes ? 0 : kOther;
    machine.vgpr[low][lane % ir::kLanes] = static_cast<uint32_t>(address);
    machine.vgpr[low + 1][lane % ir::kLanes] = static_cast<uint32_t>(address >> 32);
  }
  return machine;
}

int Permutes(const Function& function) {
  int count = 0;
  for (const Value v : function.blocks[0].insts) count += function[v].op == Op::kPermute ? 1 : 0;
  return count;
}

// So many permutations are left, and the block does what it did: made anew, and compiled.
void Leaves(int permutes, const Make& make,
            const std::function<void(std::vector<ir::LaneShape>&, const Function&)>& know = {}) {
  const Function before = FunctionOf(make);
  Function after = before;
  std::vector<ir::LaneShape> shapes(after.insts.size());
  if (know) know(shapes, before);
  RemoveIdentityPermutes(after, shapes);
  EXPECT_EQ(Permutes(after), permutes) << ir::Print(before);
  EXPECT_EQ(ir::Verify(after), std::vector<std::string>{}) << ir::Print(after);
  std::mt19937_64 random(1);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock compiled(before, isa);
    for (int n = 0; n < 8; ++n) {
      const Machine machine = RandomMachine(random);
      const Outcome expected = RunEvaluator(before, machine);
      EXPECT_EQ(Difference(RunEvaluator(after, machine), expected), "") << ir::Print(before);
      EXPECT_EQ(Difference(compiled.Run(machine), expected), "") << ir::Print(before);
    }
  }
}

constexpr uint64_t kHalf = 0xFFFFFFFF;

TEST(IdentityPermutes, AreRemovedWhereNobodySeesTheOthers) {
  const auto step = [](const LanePattern& pattern, uint64_t mask) {
    return [=](Builder& b) {
      const Value x = Vgpr(b, 2);
      Store(b, b.Add(x, Permute(b, Vgpr(b, 3), pattern)), mask);
    };
  };
  Leaves(0, step(StillUpTo(31), kHalf));
  Leaves(0, step(StillUpTo(31), 1));
  Leaves(0, step(StillUpTo(0), 1));
  Leaves(0, step(StillUpTo(63), ~uint64_t{0}));
  Leaves(0, step(With(StillUpTo(31), 32, ir::kNoLane), kHalf));
  Leaves(0, step(With(StillUpTo(31), 7, 8), kHalf & ~uint64_t{1 << 7}));
  Leaves(1, step(StillUpTo(31), kHalf << 1 | 1));
  Leaves(1, step(StillUpTo(30), kHalf));
  Leaves(1, step(With(StillUpTo(31), 7, 8), kHalf));
  Leaves(1, step(With(StillUpTo(31), 7, ir::kNoLane), kHalf));
  Leaves(1, step(With(StillUpTo(31), 0, 1), 1));
}

TEST(IdentityPermutes, StayWhereSomebodySeesAllLanes) {
  Leaves(1, [](Builder& b) {
    const Value moved = Permute(b, Vgpr(b, 3), StillUpTo(31));
    Store(b, moved, kHalf);
    b.Emit(Op::kSetVgpr, Type::kVoid, {moved}, 4);
  });
  Leaves(1, [](Builder& b) {
    const Value moved = Permute(b, Vgpr(b, 3), StillUpTo(31));
    const Value mask = b.Compare(Op::kLtU, moved, b.U32(1000));
    b.Emit(Op::kSetSgpr64, Type::kVoid, {mask}, 4);
  });
  Leaves(3, [](Builder& b) {  // by way of others
    const Value moved = Permute(b, Vgpr(b, 3), StillUpTo(31));
    Store(b, Permute(b, b.Add(moved, moved), StillUpTo(15)), kHalf);
    Store(b, Permute(b, moved, With(StillUpTo(31), 7, 40)), kHalf, kOther);
  });
}

TEST(IdentityPermutes, OfOneAnother) {
  Leaves(0, [](Builder& b) {
    const Value moved = Permute(b, Vgpr(b, 3), StillUpTo(31));
    Store(b, Permute(b, moved, StillUpTo(15)), 0xFFFF);
  });
  // What is wanted of the first one lies where the second one takes it from.
  Leaves(1, [](Builder& b) {
    const Value moved = Permute(b, Vgpr(b, 3), StillUpTo(31));
    Store(b, b.Add(moved, Permute(b, moved, With(StillUpTo(31), 0, 16))), 0xFFFF);
  });
  Leaves(2, [](Builder& b) {
    const Value moved = Permute(b, Vgpr(b, 3), StillUpTo(31));
    Store(b, Permute(b, moved, With(StillUpTo(31), 0, 32)), 0xFFFF);
  });
}

TEST(IdentityPermutes, StayIfMoreIsKnownOfThemOrTheSourceIsAScalar) {
  const Make one = [](Builder& b) { Store(b, Permute(b, Vgpr(b, 3), StillUpTo(31)), kHalf); };
  Leaves(1, one, [](std::vector<ir::LaneShape>& shapes, const Function& function) {
    for (const Value v : function.blocks[0].insts) {
      if (function[v].op == Op::kPermute) shapes[v.id].run = 2;
    }
  });
  Leaves(1, [](Builder& b) {
    Store(b, Permute(b, b.Emit(Op::kGetSgpr, Type::kU32, {}, 3), StillUpTo(31)), kHalf);
  });
}

}  // namespace
}  // namespace gcnjit::backend
