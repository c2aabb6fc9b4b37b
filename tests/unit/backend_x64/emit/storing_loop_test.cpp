// Compiled loops of one block that store and that lanes leave: while EXEC has all lanes, another
// version of the block runs than afterwards.
#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

constexpr auto kStoringLow = static_cast<uint32_t>(GuestPages::kBegin);
constexpr auto kStoringHigh = static_cast<uint32_t>(GuestPages::kBegin >> 32);

// In each iteration a lane adds v6 to what v4 points to, which goes on by v5. It leaves when v0,
// which counts up by v1, reaches v2; then s[12:13] has it.
const Function& MakeStoring(LoopFunction& loop) {
  const auto access = [&](Op op, Type type, std::initializer_list<Value> more) {
    std::vector<Value> args = {loop.Vgpr(4), loop.b.U32(kStoringHigh), loop.Exec()};
    args.insert(args.end(), more);
    return loop.b.EmitList(op, type, args.data(), static_cast<int>(args.size()), 0,
                           MemoryAccess{}.Pack());
  };
  const Value sum = loop.b.Add(access(Op::kLoad, Type::kV32, {}), loop.Vgpr(6));
  loop.Next();
  access(Op::kStore, Type::kVoid, {sum});
  loop.SetActive(4, loop.b.Add(loop.Vgpr(4), loop.Vgpr(5)));
  const Value next = loop.b.Add(loop.Vgpr(0), loop.Vgpr(1));
  loop.SetActive(0, next);
  const Value leaves = loop.b.And(loop.Exec(), loop.b.Compare(Op::kLeU, loop.Vgpr(2), next));
  const Value have_left = loop.b.Or(loop.Pair(12), leaves);
  loop.SetPair(12, have_left);
  loop.SetPair(14, loop.b.Not(leaves));
  const Value exec = loop.b.AndNot(loop.Exec(), have_left);
  loop.SetPair(126, exec);
  return loop.FinishWith(exec);
}

void ExpectTheSameByWaves(const Function& function, const Machine& machine) {
  ExpectTheSame(function, machine, /*unread=*/{}, /*by_slices=*/false);
}

// `trips`: of each lane.
template <typename Trips>
Machine StoringMachine(uint64_t seed, const Trips& trips) {
  Machine machine = RandomMachine(seed);
  SetPair(machine, 126, ~uint64_t{0});
  SetPair(machine, 12, 0);
  SetTrips(machine, trips);
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[4][lane] = kStoringLow + 4 * lane;
    machine.vgpr[5][lane] = 4 * ir::kLanes;
  }
  return machine;
}

TEST(StoringLoops, DoTheSameWhenLanesLeave) {
  LoopFunction loop;
  const Function& function = MakeStoring(loop);
  for (const int trips : {1, 2, 7}) {
    // All at once; those of the last slices first; one; every other one; each in its time.
    ExpectTheSameByWaves(function, StoringMachine(1, [&](int) { return trips; }));
    ExpectTheSameByWaves(
        function, StoringMachine(2, [&](int lane) { return lane < 21 ? trips + 1 : trips; }));
    ExpectTheSameByWaves(function,
                         StoringMachine(3, [&](int lane) { return lane == 40 ? 1 : trips; }));
    ExpectTheSameByWaves(function, StoringMachine(4, [&](int lane) { return lane % 2 + trips; }));
    ExpectTheSameByWaves(function, StoringMachine(5, [&](int lane) { return 1 + lane * 5 % 13; }));
  }
}

TEST(StoringLoops, DoTheSameIfLanesAreMissing) {
  LoopFunction loop;
  const Function& function = MakeStoring(loop);
  for (const uint64_t exec : {uint64_t{0xFFFF'FFFF'FFFF'FFFE}, uint64_t{0x0000'FFFF'0000'FFFF},
                              uint64_t{1} << 63, uint64_t{0}}) {
    Machine machine = StoringMachine(6, [](int lane) { return 1 + lane * 3 % 5; });
    SetPair(machine, 126, exec);
    ExpectTheSameByWaves(function, machine);
  }
}

// What a lane stores another one loads, in the same iteration or the next one.
TEST(StoringLoops, DoTheSameIfLanesStoreToOnePlace) {
  LoopFunction loop;
  const Function& function = MakeStoring(loop);
  for (const uint32_t step : {0u, 4u, 8u}) {
    Machine machine = StoringMachine(7, [](int lane) { return lane < 50 ? 4 : 3; });
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      machine.vgpr[4][lane] = kStoringLow + step * (lane / 2);
      machine.vgpr[5][lane] = 4;
    }
    ExpectTheSameByWaves(function, machine);
  }
}

TEST(StoringLoops, FaultInTheLanesThatAreLeft) {
  LoopFunction loop;
  const Function& function = MakeStoring(loop);
  Machine machine = StoringMachine(8, [](int lane) { return lane == 37 ? 9 : 2; });
  machine.vgpr[5][37] = GuestPages::kSize / 4;
  ExpectTheSameByWaves(function, machine);
}

}  // namespace
}  // namespace gcnjit::backend
