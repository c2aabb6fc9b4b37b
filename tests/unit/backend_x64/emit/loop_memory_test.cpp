// Compiled loops of one block that read memory, and which of their faults counts.
#include <cstring>

#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

constexpr auto kLoopLow = static_cast<uint32_t>(GuestPages::kBegin);
constexpr auto kLoopHigh = static_cast<uint32_t>(GuestPages::kBegin >> 32);
constexpr auto kLoopEnd = static_cast<uint32_t>(kLoopLow + GuestPages::kSize);

enum class Ending { kCounted, kUntilNoLane };
constexpr Ending kEndings[] = {Ending::kCounted, Ending::kUntilNoLane};

// Two loads an iteration, instructions 1 and 3, at v4 and v6, which go on by v5 and v7. A scalar
// load, instruction 2, at s[8:9], which goes on by s10.
const Function& MakeLoading(LoopFunction& loop, Ending ending, bool with_scalar, int in_the_way) {
  Value sum = loop.Vgpr(3);
  loop.Next();
  sum = loop.b.Add(sum, loop.Load(loop.Vgpr(4), kLoopHigh, loop.Exec()));
  loop.Next();
  if (with_scalar) {
    sum = loop.b.Add(sum, loop.LoadScalar(loop.Pair(8)));
    loop.SetPair(8, loop.b.Add(loop.Pair(8), loop.b.Zext(loop.Sgpr(10))));
  }
  loop.Next();
  sum = loop.b.Xor(sum, loop.Load(loop.Vgpr(6), kLoopHigh, loop.Exec()));
  loop.SetActive(3, sum);
  loop.SetActive(4, loop.b.Add(loop.Vgpr(4), loop.Vgpr(5)));
  loop.SetActive(6, loop.b.Add(loop.Vgpr(6), loop.Vgpr(7)));
  for (int n = 0; n < in_the_way; ++n) {
    loop.SetActive(8 + n, loop.b.Add(loop.Vgpr(8 + n), loop.b.U32(1)));
  }
  if (ending == Ending::kCounted) return loop.FinishUniform();
  // With the lanes that leave in s[12:13].
  const Value next = loop.b.Add(loop.Vgpr(0), loop.Vgpr(1));
  loop.SetActive(0, next);
  const Value leaves = loop.b.Compare(Op::kLeU, loop.Vgpr(2), next);
  loop.SetPair(12, loop.b.Or(loop.Pair(12), loop.b.And(loop.Exec(), leaves)));
  const Value exec = loop.b.AndNot(loop.Exec(), leaves);
  loop.SetPair(126, exec);
  return loop.FinishWith(exec);
}

Machine LoadingMachine() {
  Machine machine = RandomMachine(3);
  machine.sgpr[0] = 20;
  SetPair(machine, 126, ~uint64_t{0});
  SetPair(machine, 8, GuestPages::kBegin + 64);
  machine.sgpr[10] = 4;
  SetTrips(machine, [](int lane) { return lane % 16 == 3 ? 20 : 1 + lane * 7 % 20; });
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[4][lane] = kLoopLow + 4 * lane;
    machine.vgpr[5][lane] = 8;
    machine.vgpr[6][lane] = kLoopLow + 40 * (63 - lane);
    machine.vgpr[7][lane] = 4;
  }
  return machine;
}

TEST(Loops, Loads) {
  for (const Ending ending : kEndings) {
    for (const bool with_scalar : {false, true}) {
      for (const int in_the_way : {0, 5, 22}) {
        LoopFunction loop;
        const Function& function = MakeLoading(loop, ending, with_scalar, in_the_way);
        Machine machine = LoadingMachine();
        for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x0F0F'0000'FFFF'1234},
                                    uint64_t{0x0000'8000'0000'0000}, uint64_t{0}}) {
          SetPair(machine, 126, exec);
          ExpectTheSame(function, machine);
        }
      }
    }
  }
}

// Pointers that lanes follow until they find none, as many as a lane wants.
TEST(Loops, LanesFollowPointers) {
  std::mt19937_64 random(1);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  for (const int in_the_way : {0, 5, 22}) {
    LoopFunction loop;
    const Value next = loop.Load(loop.Vgpr(4), kLoopHigh, loop.Exec());
    loop.SetActive(4, next);
    for (int n = 0; n < in_the_way; ++n) {
      loop.SetActive(8 + n, loop.b.Add(loop.Vgpr(8 + n), next));
    }
    const Value exec = loop.b.And(loop.Exec(), loop.b.Compare(Op::kNe, next, loop.b.U32(0)));
    loop.SetPair(126, exec);
    const Function& function = loop.FinishWith(exec);
    Machine machine = RandomMachine(1);
    constexpr uint32_t kWords = GuestPages::kSize / 4;
    for (uint32_t word = 0; word < kWords; ++word) {  // each to one before it
      const uint32_t to = word == 0 || random() % 8 == 0 ? 0 : kLoopLow + 4 * below(word);
      std::memcpy(machine.memory.data() + 4 * word, &to, 4);
    }
    for (int run = 0; run < 20; ++run) {
      for (uint32_t& lane : machine.vgpr[4]) lane = kLoopLow + 4 * below(kWords);
      SetPair(machine, 126, random() | (run % 2 == 0 ? random() : ~uint64_t{0}));
      ExpectTheSame(function, machine);
    }
    // One that leads nowhere, in each of the slices.
    for (size_t lane = 0; lane < ir::kLanes; lane += 7) {
      SetPair(machine, 126, ~uint64_t{0});
      machine.vgpr[4] = {};
      machine.vgpr[4].fill(kLoopLow + 4 * (kWords - 1));
      machine.vgpr[4][lane] = kLoopEnd;
      ExpectTheSame(function, machine);
    }
  }
}

std::vector<std::pair<Ending, bool>> AllLoading() {
  std::vector<std::pair<Ending, bool>> all;
  for (const Ending ending : kEndings) {
    for (const bool with_scalar : {false, true}) all.emplace_back(ending, with_scalar);
  }
  return all;
}

// Slices run one after another. The fault that counts is that of the earliest iteration, then of
// the first instruction, then of the lowest lane.
TEST(Loops, TheFirstFaultCounts) {
  struct Leaving {
    int lane;  // -1: none
    uint32_t iteration;
  };
  constexpr Leaving kLeavings[] = {{-1, 0}, {0, 5},  {0, 0},  {3, 4},   {15, 5},
                                   {16, 5}, {17, 4}, {40, 5}, {63, 19}, {63, 0}};
  for (const auto& [ending, with_scalar] : AllLoading()) {
    LoopFunction loop;
    const Function& function = MakeLoading(loop, ending, with_scalar, 0);
    for (const Leaving& first : kLeavings) {
      for (const Leaving& second : kLeavings) {
        for (const uint32_t scalar : {~0u, 0u, 4u, 5u, 19u}) {
          if (!with_scalar && scalar != ~0u) continue;
          Machine machine = LoadingMachine();
          const auto leave = [&](int vgpr, const Leaving& leaving) {
            if (leaving.lane < 0) return;
            machine.vgpr[vgpr][leaving.lane] = kLoopEnd - 4 * leaving.iteration;
            machine.vgpr[vgpr + 1][leaving.lane] = 4;
          };
          leave(4, first);
          leave(6, second);
          if (scalar != ~0u) {
            SetPair(machine, 8, GuestPages::kBegin + GuestPages::kSize - 4 * uint64_t{scalar});
          }
          ExpectTheSame(function, machine);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Several lanes of several slices fault, each in an iteration of its own; some are not active.
void FaultInManyLanes(Ending ending, bool with_scalar, int in_the_way) {
  std::mt19937_64 random(1);
  LoopFunction loop;
  const Function& function = MakeLoading(loop, ending, with_scalar, in_the_way);
  int faults = 0;
  for (int run = 0; run < 100; ++run) {
    Machine machine = LoadingMachine();
    SetPair(machine, 126, random() | random());
    for (int n = 0; n < 6; ++n) {
      const int lane = static_cast<int>(random() % 64);
      const int vgpr = random() % 2 == 0 ? 4 : 6;
      machine.vgpr[vgpr][lane] = kLoopEnd - 4 * static_cast<uint32_t>(random() % 24);
      machine.vgpr[vgpr + 1][lane] = 4;
    }
    if (random() % 3 == 0) {
      SetPair(machine, 8, GuestPages::kBegin + GuestPages::kSize - 4 * (random() % 24));
    }
    faults += RunEvaluatorLoop(function, machine).fault.has_value();
    ExpectTheSame(function, machine);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(faults, 40);
}

TEST(Loops, FaultsOfManyLanes) {
  for (const auto& [ending, with_scalar] : AllLoading()) {
    for (const int in_the_way : {0, 22}) FaultInManyLanes(ending, with_scalar, in_the_way);
  }
}

}  // namespace
}  // namespace gcnjit::backend
