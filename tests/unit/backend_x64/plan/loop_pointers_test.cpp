// Pointers that loops count up: which ones are found, and that code with them gives what the
// evaluator does.
#include "backend_x64/plan/loop_pointers.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "backend_x64/plan/stages.h"
#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Op;
using ir::Type;
using ir::Value;

// ---- Planning

constexpr int kAvx2Lanes = 8;

// Of a loop over `body`, then `sets`; s0 counts down. Of v9 nothing is known, v10 counts bytes, and
// all other VGPRs are alike in all lanes.
std::vector<LoopPointer> PointersOf(const std::string& body, const std::string& sets) {
  const std::string text = "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr.u32 s0\n" + body +
                           "%90 = sub.u32 %1, 1\n" + sets +
                           "set_sgpr s0, %90\n%91 = ne.u1 %90, 0\nbranch %91, 0x0, 0x4\n";
  const ir::ParseResult parsed = ir::Parse(text);
  if (parsed.error) {
    ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message << '\n' << text;
    return {};
  }
  const ir::Function& function = parsed.function;
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << text;
  std::vector<LaneStep> steps(function.insts.size());
  for (size_t id = 0; id < steps.size(); ++id) {
    const ir::Inst& inst = function.insts[id];
    if (inst.op != Op::kGetVgpr || inst.imm == 9) continue;
    steps[id] = inst.imm == 10 ? LaneStep::kElement : LaneStep::kNone;
  }
  const StagePlan plan = PlanStages(function, function.blocks[0], kAvx2Lanes, {13, 0, 0},
                                    std::vector<uint8_t>(function.insts.size(), kAllPartBits),
                                    FindWanted(function, function.blocks[0], kAvx2Lanes), steps);
  if (!plan.loop) {
    ADD_FAILURE() << "no loop\n" << text;
    return {};
  }
  // What is a pointer is nothing else.
  for (const LoopPointer& pointer : plan.loop->pointers) {
    for (const Value half : {pointer.low, pointer.high}) {
      for (const Value v : plan.loop->lanes.carried) EXPECT_NE(v.id, half.id);
      for (const Value v : plan.loop->lanes.sets) EXPECT_NE(function[v].imm, function[half].imm);
      for (const Value v : plan.stages[0].lane_ops) {
        EXPECT_NE(function[v].op, Op::kLtU);
        EXPECT_NE(function[v].op, Op::kSelect);
      }
    }
  }
  return plan.loop->pointers;
}

constexpr const char* kGet = "%2 = get_vgpr.v32 v2\n%3 = get_vgpr.v32 v3\n%4 = get_vgpr.v32 v4\n";
constexpr const char* kLoad = "%5 = load.v32 %2, %3, 0xffffffffffffffff:u64 {bytes=4, offset=8}\n";
constexpr const char* kSum = "%6 = add.v32 %4, %5\n";
constexpr const char* kNext =
    "%7 = add.v32 %2, 4\n%8 = lt_u.u64 %7, 4\n%9 = select.v32 %8, 1, 0\n%10 = add.v32 %3, %9\n";
constexpr const char* kPointerSets = "set_vgpr v2, %7\nset_vgpr v3, %10\nset_vgpr v4, %6\n";

// With each of the given texts in place of another one.
struct Change {
  std::string from;
  std::string to;
};
std::vector<LoopPointer> PointersWith(const std::vector<Change>& changes) {
  std::string body = std::string(kGet) + kLoad + kSum + kNext;
  std::string sets = kPointerSets;
  for (const Change& change : changes) {
    const bool in_body = body.find(change.from) != std::string::npos;
    std::string& text = in_body ? body : sets;
    const size_t at = text.find(change.from);
    if (at == std::string::npos) {
      ADD_FAILURE() << "no '" << change.from << "'";
      return {};
    }
    text.replace(at, change.from.size(), change.to);
  }
  return PointersOf(body, sets);
}
size_t CountWith(const std::vector<Change>& changes) { return PointersWith(changes).size(); }

TEST(LoopPointers, AreFound) {
  EXPECT_EQ(CountWith({}), 1u);
  // Operands the other way round; an SGPR's step.
  EXPECT_EQ(CountWith({{"add.v32 %2, 4", "add.v32 4, %2"}}), 1u);
  EXPECT_EQ(CountWith({{"add.v32 %3, %9", "add.v32 %9, %3"}}), 1u);
  EXPECT_EQ(CountWith({{"%7 = add.v32 %2, 4\n%8 = lt_u.u64 %7, 4",
                        "%11 = get_sgpr.u32 s7\n%7 = add.v32 %2, %11\n%8 = lt_u.u64 %7, %11"}}),
            1u);
  // Under a mask; two loads.
  EXPECT_EQ(CountWith({{"0xffffffffffffffff:u64", "0xff00ff:u64"}}), 1u);
  EXPECT_EQ(CountWith({{"%6 = add.v32 %4, %5",
                        "%12 = load.v32 %2, %3, 0xffffffffffffffff:u64 {bytes=1, offset=64}\n"
                        "%6 = add.v32 %12, %5"}}),
            1u);
}

TEST(LoopPointers, OnlyWhereTheirLanesAreNotRead) {
  // Something else reads the low half, the high one, the sum, the carry, or what is added for it.
  for (const char* other : {"%2", "%3"}) {
    EXPECT_EQ(CountWith({{"add.v32 %4, %5", std::string("add.v32 ") + other + ", %5"}}), 0u);
  }
  for (const char* other : {"%7", "%9", "%10"}) {
    EXPECT_EQ(CountWith({{"set_vgpr v4, %6", std::string("set_vgpr v4, ") + other}}), 0u);
  }
  EXPECT_EQ(CountWith({{"set_vgpr v4, %6", "set_vgpr v4, %6\nset_sgpr64 s10, %8"}}), 0u);
  // Other registers get the next ones.
  EXPECT_EQ(CountWith({{"set_vgpr v3, %10", "set_vgpr v5, %10"}}), 0u);
  EXPECT_EQ(CountWith({{"set_vgpr v3, %10\nset_vgpr v4, %6", "set_vgpr v3, %6\nset_vgpr v4, %10"}}),
            0u);
  EXPECT_EQ(CountWith({{"set_vgpr v2, %7\nset_vgpr v3, %10", "set_vgpr v2, %10\nset_vgpr v3, %7"}}),
            0u);
}

// The loads are streams.
TEST(LoopPointers, OfLanes) {
  const Change low{"get_vgpr.v32 v2", "get_vgpr.v32 v9"};
  const Change set{"set_vgpr v2", "set_vgpr v9"};
  ASSERT_EQ(CountWith({low, set}), 1u);
  EXPECT_TRUE(PointersWith({low, set})[0].of_lanes);
  EXPECT_FALSE(PointersWith({})[0].of_lanes);
  // Bytes: the carry is that of the largest number.
  const Change bytes{"{bytes=4, offset=8}", "{bytes=1, offset=8}"};
  const Change next{"%7 = add.v32 %2, 4\n%8 = lt_u.u64 %7, 4",
                    "%7 = add.v32 %2, 1\n%8 = eq.u64 %2, 0xffffffff"};
  ASSERT_EQ(CountWith({low, set, bytes, next}), 1u);
  EXPECT_TRUE(PointersWith({low, set, bytes, next})[0].of_lanes);
  EXPECT_EQ(CountWith({bytes, next}), 1u);
  EXPECT_EQ(CountWith({low, set, bytes, {next.from, "%7 = add.v32 %2, 1\n%8 = eq.u64 %2, 1"}}), 0u);
  EXPECT_EQ(CountWith({low, set, {next.from, "%7 = add.v32 %2, 4\n%8 = eq.u64 %2, 0xffffffff"}}),
            0u);
  // They go by another step, are under a mask of their own, or next to each other.
  EXPECT_EQ(CountWith({low, set, bytes}), 0u);
  EXPECT_EQ(CountWith({low, set, {"0xffffffffffffffff:u64", "0xff00ff:u64"}}), 0u);
  EXPECT_EQ(CountWith({{"get_vgpr.v32 v2", "get_vgpr.v32 v10"}, {"set_vgpr v2", "set_vgpr v10"}}),
            0u);
  // Only the high halves differ.
  EXPECT_EQ(CountWith({{"get_vgpr.v32 v3", "get_vgpr.v32 v9"}, {"set_vgpr v3", "set_vgpr v9"}}),
            0u);
}

TEST(LoopPointers, OfLanesThatOthersKeep) {
  const Change get{"get_vgpr.v32 v2", "get_vgpr.v32 v9"};
  const auto keep = [](const std::string& select) {
    return Change{"set_vgpr v2, %7", select + "set_vgpr v9, %21"};
  };
  const std::string exec = "%20 = get_sgpr64.u64 s126\n";
  const Change low = keep(exec + "%21 = select.v32 %20, %7, %2\n");
  const Change high{"set_vgpr v3, %10", "%22 = select.v32 %20, %10, %3\nset_vgpr v3, %22"};
  ASSERT_EQ(CountWith({get, low}), 1u);
  EXPECT_TRUE(PointersWith({get, low})[0].keeps_low);
  EXPECT_FALSE(PointersWith({get, low})[0].keeps_high);
  ASSERT_EQ(CountWith({get, low, high}), 1u);
  EXPECT_TRUE(PointersWith({get, low, high})[0].keeps_high);
  // Other lanes; the other way round; another register's.
  EXPECT_EQ(CountWith({get, keep("%20 = get_sgpr64.u64 s10\n%21 = select.v32 %20, %7, %2\n")}), 0u);
  EXPECT_EQ(CountWith({get, keep(exec + "%21 = select.v32 %20, %2, %7\n")}), 0u);
  EXPECT_EQ(CountWith({get, keep(exec + "%21 = select.v32 %20, %7, %4\n")}), 0u);
}

TEST(LoopPointers, OnlyOfSumsOf64Bits) {
  EXPECT_EQ(CountWith({{"lt_u.u64 %7, 4", "lt_u.u64 %7, 8"}}), 0u);
  EXPECT_EQ(CountWith({{"lt_u.u64 %7, 4", "le_u.u64 %7, 4"}}), 0u);
  EXPECT_EQ(CountWith({{"lt_u.u64 %7, 4", "lt_u.u64 4, %7"}}), 0u);
  EXPECT_EQ(CountWith({{"select.v32 %8, 1, 0", "select.v32 %8, 0, 1"}}), 0u);
  EXPECT_EQ(CountWith({{"select.v32 %8, 1, 0", "select.v32 %8, 2, 0"}}), 0u);
  EXPECT_EQ(CountWith({{"%10 = add.v32 %3, %9", "%10 = sub.v32 %3, %9"}}), 0u);
  EXPECT_EQ(CountWith({{"%7 = add.v32 %2, 4", "%7 = sub.v32 %2, 4"}}), 0u);
}

TEST(LoopPointers, OnlyOfStepsThatStay) {
  const Change step{"%7 = add.v32 %2, 4\n%8 = lt_u.u64 %7, 4",
                    "%11 = get_sgpr.u32 s7\n%7 = add.v32 %2, %11\n%8 = lt_u.u64 %7, %11"};
  EXPECT_EQ(CountWith({step, {"set_vgpr v2, %7", "set_vgpr v2, %7\nset_sgpr s7, %1"}}), 0u);
  EXPECT_EQ(CountWith({step, {"set_vgpr v2, %7", "set_vgpr v2, %7\nset_sgpr64 s6, 1:u64"}}), 0u);
  EXPECT_EQ(CountWith({step, {"set_vgpr v2, %7", "set_vgpr v2, %7\nset_sgpr s6, %1"}}), 1u);
}

TEST(LoopPointers, OnlyOfLoadsOfADword) {
  EXPECT_EQ(CountWith({{"{bytes=4, offset=8}", "{bytes=8, offset=8}"}}), 0u);
  // Its halves are others'.
  EXPECT_EQ(CountWith({{"load.v32 %2, %3", "load.v32 %3, %2"}}), 0u);
}

// ---- Code

constexpr auto kPointerLow = static_cast<uint32_t>(GuestPages::kBegin);
constexpr auto kPointerHigh = static_cast<uint32_t>(GuestPages::kBegin >> 32);

// v2 and v3: addresses that `bytes` lie between from one run of so many lanes to the next.
struct Places {
  int lanes = ir::kLanes;
  uint32_t bytes = 0;
};

std::vector<ir::VgprShape> ShapesOfPlaces(const Places& places) {
  ir::VgprShape low{2, ir::kLanes, 0, {}};
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    low.offsets[static_cast<size_t>(lane)] =
        static_cast<uint32_t>(lane / places.lanes) * places.bytes;
  }
  return {low, ir::VgprShape{3, ir::kLanes, 0, {}}};
}

struct PointerPlan {
  uint32_t step = 4;
  bool from_sgpr = false;  // s4
  uint8_t bytes = 4;
  int64_t imm = 0;
  uint64_t mask = ~uint64_t{0};
  int in_the_way = 0;        // other VGPRs that the loop changes
  bool under_exec = false;   // instead of the mask
  bool others_keep = false;  // the lanes that EXEC does not have
  uint64_t exec = ~uint64_t{0};
};

// v4 adds up what is loaded, and s0 counts down.
ir::Function LoopOf(const PointerPlan& plan) {
  ir::Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].instruction_count = 1;
  function.blocks[0].guest_pcs = {0};
  ir::Builder b(function, function.blocks[0]);
  const auto get = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  const auto set = [&](int n, Value v) { b.Emit(Op::kSetVgpr, Type::kVoid, {v}, n); };
  const Value low = get(2);
  const Value high = get(3);
  const Value sum = get(4);
  std::vector<Value> others;
  for (int n = 0; n < plan.in_the_way; ++n) others.push_back(get(8 + n));
  ir::MemoryAccess access;
  access.bytes = plan.bytes;
  const Value exec = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 126);
  const Value mask = plan.under_exec ? exec : b.U64(plan.mask);
  const Value loaded = b.Emit(Op::kLoad, Type::kV32, {low, high, mask}, plan.imm, access.Pack());
  const Value step = plan.from_sgpr ? b.Emit(Op::kGetSgpr, Type::kU32, {}, 4) : b.U32(plan.step);
  const Value next = b.Add(low, step);
  const Value carry = plan.step == 1 && !plan.from_sgpr ? b.Compare(Op::kEq, low, b.U32(UINT32_MAX))
                                                        : b.Compare(Op::kLtU, next, step);
  const Value left = b.Sub(b.Emit(Op::kGetSgpr, Type::kU32, {}, 0), b.U32(1));
  const Value added = b.Add(b.Mul(sum, b.U32(3)), loaded);
  for (Value& other : others) other = b.Add(other, added);
  const Value next_high = b.Add(high, b.Select(carry, b.U32(1), b.U32(0)));
  set(2, plan.others_keep ? b.Select(exec, next, low) : next);
  set(3, plan.others_keep ? b.Select(exec, next_high, high) : next_high);
  set(4, added);
  for (int n = 0; n < plan.in_the_way; ++n) set(8 + n, others[static_cast<size_t>(n)]);
  b.Emit(Op::kSetSgpr, Type::kVoid, {left}, 0);
  const Value goes_on = b.Compare(Op::kNe, left, b.U32(0));
  function.blocks[0].targets[0] = 0x1000;
  function.blocks[0].targets[1] = 0x2000;
  b.Emit(Op::kBranch, Type::kVoid, {goes_on});
  return function;
}

Machine MachineOf(const PointerPlan& plan, const Places& places, uint64_t begin, uint32_t trips) {
  std::mt19937 random(trips);
  Machine machine;
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  for (size_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[2][lane] = static_cast<uint32_t>(begin) + ShapesOfPlaces(places)[0].offsets[lane];
    machine.vgpr[3][lane] = static_cast<uint32_t>(begin >> 32);
  }
  machine.sgpr[0] = trips;
  machine.sgpr[4] = plan.step;
  machine.sgpr[126] = static_cast<uint32_t>(plan.exec);
  machine.sgpr[127] = static_cast<uint32_t>(plan.exec >> 32);
  return machine;
}

// The same as the evaluator's, with windows and without, and however often the loop is paused.
void ExpectTheSameWith(const PointerPlan& plan, const Places& places, uint64_t begin) {
  const ir::Function function = LoopOf(plan);
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/true, ShapesOfPlaces(places));
    // Nothing compares lanes: there is no carry.
    const bool is_wide = isa == HostIsa::kAvx512;
    if (places.lanes >= (is_wide ? 16 : 8) && !plan.others_keep) {
      EXPECT_EQ(block.listing().find(is_wide ? "vpcmpud" : "vpminud"), std::string::npos)
          << block.listing();
    }
    for (const uint32_t trips : {1u, 2u, 2u, 5u, 19u}) {
      const Machine machine = MachineOf(plan, places, begin, trips);
      const Outcome expected = RunEvaluatorLoop(function, machine);
      for (const uint64_t budget : {~uint64_t{0} / 2, uint64_t{1}}) {
        ASSERT_EQ(Difference(block.RunLoop(machine, budget), expected), "")
            << NameOf(isa) << ", " << trips << " iterations\n"
            << ir::Print(function);
      }
    }
  }
}

constexpr uint64_t kPointerBegin = uint64_t{kPointerHigh} << 32 | (kPointerLow + 64);
constexpr Places kPlaces[] = {{64, 0}, {32, 512}, {16, 68}, {8, 36}, {1, 84}, {2, 84}};

TEST(LoopPointers, GiveWhatTheirLanesWould) {
  for (const Places& places : kPlaces) {
    for (const PointerPlan& plan :
         {PointerPlan{}, PointerPlan{12}, PointerPlan{0, true}, PointerPlan{4, true},
          PointerPlan{256, true, 4, 16}, PointerPlan{4, false, 1}, PointerPlan{2, false, 2, -8},
          PointerPlan{4, false, 4, 0, 0xFF00'00FF'F00F'0001},
          PointerPlan{4, false, 4, 0, 0, 0, true, true, 0xFF00'00FF'F00F'0001},
          PointerPlan{1, false, 1, 0, 0, 0, true, true, 0x8000'0000'0000'0001},
          PointerPlan{2, false, 2, 4, 0, 0, true, false, 0xF00F}}) {
      for (const int in_the_way : {0, 4, 20}) {
        PointerPlan crowded = plan;
        crowded.in_the_way = in_the_way;
        ExpectTheSameWith(crowded, places, kPointerBegin);
      }
    }
  }
}

// The sum of the low halves wraps around: the next access faults, if there is one.
TEST(LoopPointers, HaveACarry) {
  for (const Places& places : kPlaces) {
    for (const uint32_t step : {0xFFFF'FFFFu, 0x8000'0000u, 0xFFFF'8000u}) {
      ExpectTheSameWith({step}, places, kPointerBegin);
      ExpectTheSameWith({step, true}, places, kPointerBegin);
    }
  }
}

// No lane reads, and the addresses go beyond 4 GiB.
TEST(LoopPointers, OfLanesHaveACarry) {
  for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}}) {
    for (const bool others_keep : {false, true}) {
      const PointerPlan plan{bytes, false, bytes, 0, 0, 0, true, others_keep, 0};
      for (const uint32_t before : {1u, 4u, 5u, 300u, 84u * 40}) {
        ExpectTheSameWith(plan, {1, 84}, uint64_t{kPointerHigh} << 32 | (0u - before));
      }
    }
  }
}

// Some lanes come to the end of the memory before the others.
TEST(LoopPointers, Fault) {
  constexpr uint64_t kEnd = GuestPages::kBegin + GuestPages::kSize;
  for (const Places& places : kPlaces) {
    for (const uint64_t before : {4u, 8u, 40u, 600u}) {
      ExpectTheSameWith({}, places, kEnd - before);
      ExpectTheSameWith({4, false, 4, 0, 0xFFFF'0000'0000'0000}, places, kEnd - before);
    }
    ExpectTheSameWith({}, places, GuestPages::kBegin - 4);
  }
}

}  // namespace
}  // namespace gcnjit::backend
