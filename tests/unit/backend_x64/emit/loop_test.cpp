// Compiled loops of one block against the evaluator, which runs the block again and again.
#include <initializer_list>
#include <optional>

#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

TEST(Loops, CountAndStop) {
  for (const uint32_t trips : {1u, 2u, 3u, 100u}) {
    LoopFunction loop;
    loop.SetVgpr(3, loop.b.Add(loop.Vgpr(3), loop.Vgpr(4)));
    const Function& function = loop.FinishUniform();
    Machine machine = RandomMachine(trips);
    machine.sgpr[0] = trips;
    ExpectTheSame(function, machine);
    EXPECT_EQ(RunEvaluatorLoop(function, machine).executed, trips * 4u);
  }
}

bool Holds(Op op, uint32_t x, uint32_t y) {
  const auto sx = static_cast<int32_t>(x);
  const auto sy = static_cast<int32_t>(y);
  switch (op) {
    case Op::kEq: return x == y;
    case Op::kNe: return x != y;
    case Op::kLtU: return x < y;
    case Op::kLeU: return x <= y;
    case Op::kLtS: return sx < sy;
    default: return sx <= sy;
  }
}

// Of what s0 was or becomes, by `step` more, and a number or s1.
struct Comparison {
  Op op;
  bool continues_if;
  bool of_next;
  bool with_sgpr;
  bool is_turned;  // operands the other way round
  bool sets_scc;   // the result has another use
  uint32_t step;
};

// None: the loop would not end soon.
std::optional<uint32_t> TripsOf(const Comparison& test, uint32_t begin, uint32_t number) {
  uint32_t s0 = begin;
  for (uint32_t trips = 1; trips < 100; ++trips) {
    const uint32_t x = test.of_next ? s0 + test.step : s0;
    const bool holds = test.is_turned ? Holds(test.op, number, x) : Holds(test.op, x, number);
    if (holds != test.continues_if) return trips;
    s0 += test.step;
  }
  return std::nullopt;
}

TEST(Loops, LeaveByAnyComparison) {
  int loops = 0;
  for (const Op op : {Op::kEq, Op::kNe, Op::kLtU, Op::kLeU, Op::kLtS, Op::kLeS}) {
    for (int bits = 0; bits < 64; ++bits) {
      const Comparison test{op,
                            (bits & 1) != 0,
                            (bits & 2) != 0,
                            (bits & 4) != 0,
                            (bits & 8) != 0,
                            (bits & 16) != 0,
                            (bits & 32) != 0 ? ~0u : 3u};
      for (const auto& [begin, number] : {std::pair{9u, 0u}, {0u, 9u}, {0u, 0u}, {~0u - 1, 4u}}) {
        const auto trips = TripsOf(test, begin, number);
        if (!trips) continue;
        LoopFunction loop;
        loop.SetVgpr(3, loop.b.Add(loop.Vgpr(3), loop.Vgpr(4)));
        const Value old = loop.Sgpr(0);
        const Value next = loop.b.Add(old, loop.b.U32(test.step));
        loop.SetSgpr(0, next);
        const Value x = test.of_next ? next : old;
        const Value y = test.with_sgpr ? loop.Sgpr(1) : loop.b.U32(number);
        const Value holds = loop.b.Emit(op, Type::kU1,
                                        test.is_turned ? std::initializer_list<Value>{y, x}
                                                       : std::initializer_list<Value>{x, y});
        if (test.sets_scc) loop.SetScc(holds);
        const Function& function = loop.FinishOn(holds, test.continues_if);
        Machine machine = RandomMachine(begin);
        machine.sgpr[0] = begin;
        machine.sgpr[1] = number;
        ExpectTheSame(function, machine);
        EXPECT_EQ(RunEvaluatorLoop(function, machine).executed, *trips * 4u);
        ++loops;
      }
    }
  }
  EXPECT_GT(loops, 300);
}

// An old value is kept for the comparison only where what comes of it would not do.
TEST(Loops, CompareWhatTheirCounterBecomes) {
  const auto listing_with = [](bool other_register) {
    LoopFunction loop;
    loop.SetVgpr(3, loop.b.Add(loop.Vgpr(3), loop.Vgpr(4)));
    const Value old = loop.Sgpr(0);
    loop.SetSgpr(other_register ? 1 : 0, loop.b.Add(old, loop.b.U32(~0u)));
    if (other_register) loop.SetSgpr(0, loop.b.Mul(old, loop.b.U32(3)));
    const Function& function =
        loop.FinishOn(loop.b.Compare(Op::kNe, old, loop.b.U32(1)), /*if_it_is=*/true);
    return CompiledBlock(function, HostIsa::kAvx2, {}, /*listing=*/true).listing();
  };
  EXPECT_EQ(listing_with(false).find("cmp esi, 1"), std::string::npos);
  EXPECT_EQ(listing_with(false).find("setn"), std::string::npos);
  EXPECT_NE(listing_with(true).find(", 1\n        je"), std::string::npos) << listing_with(true);
}

// More VGPRs than stay in registers, each with a next value of its own.
TEST(Loops, ManyVgprs) {
  for (const bool uniform : {true, false}) {
    for (int count = 1; count <= 28; count += 3) {
      LoopFunction loop;
      for (int n = 3; n < 3 + count; ++n) {
        const Value next = loop.b.Add(loop.Vgpr(n), loop.Vgpr(3 + (n - 2) % count));
        n % 2 == 0 || !uniform ? loop.SetActive(n, next) : loop.SetVgpr(n, next);
      }
      const Function& function = uniform ? loop.FinishUniform() : loop.FinishUntilNoLane();
      Machine machine = RandomMachine(static_cast<uint64_t>(count));
      machine.sgpr[0] = 7;
      SetPair(machine, 126, 0xFFFF'FFFF'FFFF'FFFF);
      if (!uniform) SetTrips(machine, [](int lane) { return 1 + lane % 5; });
      ExpectTheSame(function, machine);
    }
  }
}

// Each VGPR takes the old value of another one: by `shift`, so that there are cycles of all
// lengths, among the first `rotating` of `count` VGPRs. The others are in the way.
TEST(Loops, RotatingVgprs) {
  for (const int count : {2, 3, 5, 12, 20, 28}) {
    for (const int rotating : {2, 3, 4, count}) {
      if (rotating > count) continue;
      for (const int shift : {1, 2}) {
        LoopFunction loop;
        for (int n = 0; n < count; ++n) {
          const int reg = 3 + n;
          // At the end of the order of registers, where they are not resident.
          const bool rotates = n >= count - rotating;
          const int from = 3 + count - rotating + (n - (count - rotating) + shift) % rotating;
          loop.SetVgpr(reg, rotates ? loop.Vgpr(from) : loop.b.Add(loop.Vgpr(reg), loop.b.U32(1)));
        }
        const Function& function = loop.FinishUniform();
        Machine machine = RandomMachine(static_cast<uint64_t>(count));
        for (const uint32_t trips : {1u, 2u, 5u}) {
          machine.sgpr[0] = trips;
          ExpectTheSame(function, machine);
        }
      }
    }
  }
}

// The same, where lanes leave one by one.
TEST(Loops, RotatingVgprsUnderExec) {
  for (const int count : {2, 3, 12, 26}) {
    LoopFunction loop;
    for (int n = 0; n < count; ++n) {
      loop.SetVgpr(3 + n,
                   loop.b.Select(loop.Exec(), loop.Vgpr(3 + (n + 1) % count), loop.Vgpr(3 + n)));
    }
    const Function& function = loop.FinishUntilNoLane();
    Machine machine = RandomMachine(static_cast<uint64_t>(count));
    SetPair(machine, 126, 0x7FFF'0FFF'FFFE'FFFF);
    SetTrips(machine, [](int lane) { return lane % 7 + lane / 16; });
    ExpectTheSame(function, machine);
  }
}

// A VGPR becomes a scalar that the loop changes, a constant, and another one's new value.
TEST(Loops, ValuesFromElsewhere) {
  for (const int count : {0, 24}) {
    LoopFunction loop;
    for (int n = 0; n < count; ++n) {
      loop.SetVgpr(8 + n, loop.b.Add(loop.Vgpr(8 + n), loop.Vgpr(3)));
    }
    const Value scalar = loop.b.Add(loop.Sgpr(4), loop.b.U32(0x01010101));
    loop.SetSgpr(4, scalar);
    const Value sum = loop.b.Add(loop.Vgpr(3), loop.Vgpr(4));
    const Value sum2 = loop.b.Add(sum, loop.Vgpr(5));
    loop.SetVgpr(3, scalar);
    loop.SetVgpr(4, loop.b.U32(77));
    loop.SetVgpr(5, sum2);
    loop.SetVgpr(6, sum2);
    loop.SetVgpr(7, loop.Sgpr(4));
    const Function& function = loop.FinishUniform();
    Machine machine = RandomMachine(1);
    for (const uint32_t trips : {1u, 2u, 6u}) {
      machine.sgpr[0] = trips;
      ExpectTheSame(function, machine);
    }
  }
}

TEST(Loops, MasksInSgprs) {
  for (const int masks : {1, 2, 5, 9, 20}) {
    for (const int vgprs : {0, 20}) {
      LoopFunction loop;
      for (int n = 0; n < vgprs; ++n) {
        loop.SetVgpr(8 + n, loop.b.Add(loop.Vgpr(8 + n), loop.b.U32(3)));
      }
      Value sum = loop.Vgpr(3);
      for (int n = 0; n < masks; ++n) {
        const Value hit = loop.b.Compare(Op::kLtU, loop.Vgpr(4),
                                         loop.b.U32(0x08000000u * static_cast<uint32_t>(n + 1)));
        const Value other = loop.Pair(4 + 2 * ((n + 1) % masks));
        const Value next = n % 2 == 0 ? loop.b.Xor(loop.Pair(4 + 2 * n), hit)
                                      : loop.b.And(loop.b.Or(loop.Pair(4 + 2 * n), hit), other);
        loop.SetPair(4 + 2 * n, next);
        sum = loop.b.Select(loop.Pair(4 + 2 * n), loop.b.Add(sum, loop.b.U32(1u << n)), sum);
      }
      loop.SetVgpr(3, sum);
      loop.SetVgpr(4, loop.b.Add(loop.Vgpr(4), loop.Vgpr(5)));
      const Function& function = loop.FinishUniform();
      Machine machine = RandomMachine(static_cast<uint64_t>(masks));
      for (const uint32_t trips : {1u, 2u, 9u}) {
        machine.sgpr[0] = trips;
        ExpectTheSame(function, machine);
      }
    }
  }
}

// Pairs that collect the lanes that leave, which no iteration looks at, and such that one does.
// `by_staying`: the compare says which lanes stay.
void TestCollectors(bool by_staying) {
  for (const int collectors : {1, 2, 5}) {
    for (const int vgprs : {0, 1, 3, 9, 20}) {
      for (const bool is_looked_at : {false, true}) {
        LoopFunction loop;
        for (int n = 0; n < vgprs; ++n) {
          const Value next = loop.b.Add(loop.Vgpr(8 + n), loop.Vgpr(1));
          loop.SetVgpr(8 + n, loop.b.Select(loop.Exec(), next, loop.Vgpr(8 + n)));
        }
        const Value next = loop.b.Add(loop.Vgpr(0), loop.Vgpr(1));
        loop.SetVgpr(0, loop.b.Select(loop.Exec(), next, loop.Vgpr(0)));
        const Value compare = by_staying ? loop.b.Compare(Op::kLtU, next, loop.Vgpr(2))
                                         : loop.b.Compare(Op::kLeU, loop.Vgpr(2), next);
        for (int n = 0; n < collectors; ++n) {
          const Value lanes =
              by_staying ? loop.b.AndNot(loop.Exec(), compare) : loop.b.And(loop.Exec(), compare);
          loop.SetPair(4 + 2 * n, loop.b.Or(loop.Pair(4 + 2 * n), lanes));
        }
        if (is_looked_at) {
          const Value sum = loop.b.Add(loop.Vgpr(5), loop.b.U32(1));
          const Value chosen = loop.b.Select(loop.Pair(4), sum, loop.Vgpr(5));
          loop.SetVgpr(5, loop.b.Select(loop.Exec(), chosen, loop.Vgpr(5)));
        }
        const Value exec =
            by_staying ? loop.b.And(loop.Exec(), compare) : loop.b.AndNot(loop.Exec(), compare);
        loop.SetPair(126, exec);
        const Function& function = loop.FinishWith(exec);
        // No iteration adds to the pairs that it does not look at.
        const std::string listing =
            CompiledBlock(function, HostIsa::kAvx2, {}, /*listing=*/true).listing();
        EXPECT_EQ(listing.find("= or.u64") != std::string::npos, is_looked_at);
        for (const uint64_t exec_before : {~uint64_t{0}, uint64_t{0x7FFF'0FFF'FFFE'FF00}}) {
          Machine machine = RandomMachine(static_cast<uint64_t>(vgprs));
          SetPair(machine, 126, exec_before);
          SetTrips(machine, [](int lane) { return lane % 7 + lane / 16 + 1; });
          ExpectTheSame(function, machine);
          SetTrips(machine, [](int) { return 3; });
          ExpectTheSame(function, machine);
        }
      }
    }
  }
}
TEST(Loops, LanesThatLeaveAreCollected) { TestCollectors(/*by_staying=*/false); }
TEST(Loops, LanesThatDoNotStayAreCollected) { TestCollectors(/*by_staying=*/true); }

// More masks than there are registers, each read for the last time where masks are combined.
TEST(Loops, MasksOfManyMasks) {
  for (const int masks : {2, 4, 6, 9}) {
    LoopFunction loop;
    std::vector<Value> hits;
    Value sum = loop.Vgpr(3);
    for (int n = 0; n < masks; ++n) {
      hits.push_back(loop.b.Compare(Op::kLtU, loop.Vgpr(4 + n), loop.b.U32(0x80000000u)));
      sum = loop.b.Select(hits.back(), loop.b.Add(sum, loop.b.U32(1u << n)), sum);
      loop.SetVgpr(4 + n, loop.b.Add(loop.Vgpr(4 + n), loop.Vgpr(20)));
    }
    loop.SetVgpr(3, sum);
    Value all = loop.Pair(60);
    for (int n = 0; n < masks; ++n) {
      const Value one = hits[static_cast<size_t>(n)];
      const Value both = loop.b.And(one, loop.Pair(60));
      all = n % 2 == 0 ? loop.b.Xor(all, one) : loop.b.Or(all, both);
    }
    loop.SetPair(60, all);
    const Function& function = loop.FinishUniform();
    Machine machine = RandomMachine(static_cast<uint64_t>(masks));
    for (const uint32_t trips : {1u, 2u, 9u}) {
      machine.sgpr[0] = trips;
      ExpectTheSame(function, machine);
    }
  }
}

// Masks that change for active lanes only, more of them than there are registers. Old masks are
// read before the new ones are made or after that.
TEST(Loops, MasksOfLanesThatLeave) {
  for (const int masks : {1, 2, 3, 5, 9}) {
    for (const int vgprs : {0, 16}) {
      for (const int read_last_of : {0, 1, 2, 3}) {
        LoopFunction loop;
        for (int n = 0; n < vgprs; ++n) {
          const Value next = loop.b.Add(loop.Vgpr(8 + n), loop.b.U32(3));
          loop.SetVgpr(8 + n, loop.b.Select(loop.Exec(), next, loop.Vgpr(8 + n)));
        }
        Value sum = loop.Vgpr(6);
        std::vector<Value> read_last;
        const auto count = [&](Value mask, int n) {
          sum = loop.b.Select(mask, loop.b.Add(sum, loop.b.U32(1u << n)), sum);
        };
        for (int n = 0; n < masks; ++n) {
          const Value old = loop.Pair(8 + 2 * n);
          const Value hit = loop.b.Compare(Op::kLtU, loop.Vgpr(4),
                                           loop.b.U32(0x08000000u * static_cast<uint32_t>(n + 1)));
          const Value active = loop.b.And(loop.Exec(), hit);
          const Value next = n % 2 == 0 ? loop.b.Or(old, active) : loop.b.AndNot(old, active);
          loop.SetPair(8 + 2 * n, next);
          if (n % 3 == read_last_of || read_last_of == 3) {
            read_last.push_back(old);
          } else {
            count(old, n);
          }
        }
        const Value last = loop.b.Compare(Op::kLtU, sum, loop.Vgpr(7));
        for (const Value old : read_last) count(loop.b.Xor(old, last), 20);
        loop.SetVgpr(3, loop.b.Select(loop.Exec(), sum, loop.Vgpr(3)));
        loop.SetVgpr(
            4, loop.b.Select(loop.Exec(), loop.b.Add(loop.Vgpr(4), loop.Vgpr(5)), loop.Vgpr(4)));
        const Function& function = loop.FinishUntilNoLane();
        for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x7FFF'0FFF'FFFE'FFFE}}) {
          Machine machine = RandomMachine(static_cast<uint64_t>(masks));
          SetPair(machine, 126, exec);
          SetTrips(machine, [](int lane) { return 1 + lane % 7 + lane / 16; });
          ExpectTheSame(function, machine);
        }
      }
    }
  }
}

// All lanes leave when a scalar says so: a mask that is all bits or none, between others.
TEST(Loops, LanesThatLeaveTogether) {
  for (const int others : {0, 1, 3}) {
    LoopFunction loop;
    const Value count = loop.b.Add(loop.Sgpr(4), loop.b.U32(1));
    loop.SetSgpr(4, count);
    const Value is_last = loop.b.Compare(Op::kLeU, loop.Sgpr(6), count);
    Value leaves = loop.b.Or(loop.b.Select(is_last, loop.b.U64(~uint64_t{0}), loop.b.U64(0)),
                             loop.b.Compare(Op::kLeU, loop.Vgpr(2), loop.Vgpr(0)));
    for (int n = 0; n < others; ++n) {
      leaves = loop.b.Or(leaves, loop.b.Compare(Op::kEq, loop.Vgpr(3 + n), count));
    }
    const Value left = loop.b.Or(loop.b.And(loop.Exec(), leaves), loop.Pair(8));
    loop.SetPair(8, left);
    loop.SetVgpr(1, loop.b.Select(loop.Exec(), count, loop.Vgpr(1)));
    loop.SetVgpr(0,
                 loop.b.Select(loop.Exec(), loop.b.Add(loop.Vgpr(0), loop.b.U32(1)), loop.Vgpr(0)));
    const Value exec = loop.b.AndNot(loop.Exec(), left);
    loop.SetPair(126, exec);
    const Function& function = loop.FinishWith(exec);
    for (const uint32_t limit : {1u, 4u, 30u}) {
      Machine machine = RandomMachine(limit);
      SetPair(machine, 126, 0xFFFF'FFFF'7FFF'FFFF);
      SetPair(machine, 8, 0x0000'0100'0000'0001);
      SetTrips(machine, [](int lane) { return lane % 11; });
      for (int n = 0; n < 3; ++n)
        machine.vgpr[static_cast<size_t>(3 + n)][static_cast<size_t>(20 * n)] = 3;
      machine.sgpr[4] = 0;
      machine.sgpr[6] = limit;
      ExpectTheSame(function, machine);
    }
  }
}

// Lanes that have left are noted in s[4:5]; s6 counts the iterations of the slowest lane.
TEST(Loops, LanesLeaveOneByOne) {
  LoopFunction loop(5);
  const Value next = loop.b.Add(loop.Vgpr(0), loop.Vgpr(1));
  loop.SetPair(4,
               loop.b.Or(loop.Pair(4),
                         loop.b.AndNot(loop.Exec(), loop.b.Compare(Op::kLtU, next, loop.Vgpr(2)))));
  const Value count = loop.b.Add(loop.Sgpr(6), loop.b.U32(1));
  loop.SetSgpr(6, count);
  loop.SetVgpr(3, loop.b.Select(loop.Exec(), loop.b.Add(loop.Vgpr(3), count), loop.Vgpr(3)));
  loop.SetVgpr(0, loop.b.Select(loop.Exec(), next, loop.Vgpr(0)));
  const Value exec = loop.b.And(loop.Exec(), loop.b.Compare(Op::kLtU, next, loop.Vgpr(2)));
  loop.SetPair(126, exec);
  const Function& function = loop.FinishWith(exec);
  const auto check = [&](uint64_t exec_before, auto trips) {
    Machine machine = RandomMachine(1);
    SetPair(machine, 4, 0);
    machine.sgpr[6] = 0;
    SetPair(machine, 126, exec_before);
    SetTrips(machine, trips);
    ExpectTheSame(function, machine);
  };
  check(~uint64_t{0}, [](int) { return 1; });
  check(~uint64_t{0}, [](int lane) { return lane; });
  check(~uint64_t{0}, [](int lane) { return 63 - lane; });
  check(~uint64_t{0}, [](int lane) { return lane == 40 ? 500 : 1; });
  check(~uint64_t{0}, [](int lane) { return lane / 8 * 10 + 1; });
  check(0x0000'FFFF'0000'0000, [](int lane) { return lane; });
  check(0x0100, [](int) { return 9; });
  check(0, [](int) { return 9; });
  // More iterations than one stay makes, in some lanes or in all.
  check(~uint64_t{0}, [](int lane) { return lane < 3 ? 10'000 : lane; });
  check(~uint64_t{0}, [](int lane) { return 3 * kMostInstructions / 5 + (lane == 63 ? 1 : 0); });
}

// What lanes of a mask do counts as executed in iterations in which any of them does it, whatever
// slice it is in. Up to eight such masks; v2 of a lane says in which iterations it is in which.
TEST(Loops, SkippedInstructionsAreCounted) {
  for (const bool leaves : {false, true}) {
    for (const int vgprs : {0, 20}) {
      for (const int masks : {1, 2, 8}) {
        LoopFunction loop(40);
        for (int n = 0; n < vgprs; ++n) {
          loop.SetActive(8 + n, loop.b.Add(loop.Vgpr(8 + n), loop.b.U32(3)));
        }
        Value sum = loop.Vgpr(3);
        for (int n = 0; n < masks; ++n) {
          const Value bit = loop.b.And(loop.b.Lshr(loop.Vgpr(5), loop.Vgpr(4)), loop.b.U32(1));
          const Value lanes = loop.b.And(
              loop.Exec(), loop.b.Compare(Op::kEq, bit, loop.b.U32(static_cast<uint32_t>(n & 1))));
          const Value few = loop.b.And(
              lanes,
              loop.b.Compare(Op::kLtU, loop.Vgpr(6),
                             loop.b.U32(static_cast<uint32_t>(uint64_t{1} << (32 - 4 * n)))));
          loop.b.Emit(Op::kSkipped, Type::kVoid, {n == 0 ? lanes : few}, 1 + n);
          sum = loop.b.Select(lanes, loop.b.Add(sum, loop.b.U32(1u << n)), sum);
        }
        loop.SetActive(3, sum);
        loop.SetActive(4, loop.b.Add(loop.Vgpr(4), loop.b.U32(1)));
        const Function& function = leaves ? loop.FinishUntilNoLane() : loop.FinishUniform();
        for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x7FFF'0FFF'0000'FFFE},
                                    uint64_t{0x10'0000'0000}, uint64_t{0}}) {
          Machine machine = RandomMachine(static_cast<uint64_t>(masks));
          machine.sgpr[0] = 13;
          SetPair(machine, 126, exec);
          SetTrips(machine, [](int lane) { return 1 + lane % 7 + lane / 16; });
          ExpectTheSame(function, machine);
        }
      }
    }
  }
}

// A budget ends a stay at the next pause; what has been executed is known exactly.
TEST(Loops, LeaveWhenTheBudgetIsUsedUp) {
  for (const uint32_t instructions : {1u, 5u, 5000u, 20'000u}) {
    LoopFunction loop(instructions);
    loop.SetVgpr(3, loop.b.Add(loop.Vgpr(3), loop.Sgpr(0)));
    const Function& function = loop.FinishUniform();
    const uint64_t a_stay = std::max<uint64_t>(1, kMostInstructions / instructions);
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa);
      for (const uint64_t budget : {uint64_t{1}, kMostInstructions, 3 * kMostInstructions}) {
        Machine machine = RandomMachine(1);
        machine.sgpr[0] = static_cast<uint32_t>(a_stay * 5 + 1);
        const Outcome outcome = block.Run(machine, budget);
        EXPECT_EQ(outcome.reason, ExitReason::kNext);
        EXPECT_EQ(outcome.machine.pc, kBegin);
        EXPECT_GE(outcome.executed, budget);
        EXPECT_LT(outcome.executed, budget + a_stay * instructions);
        EXPECT_EQ(outcome.executed % (a_stay * instructions), 0u);
        EXPECT_EQ(outcome.machine.sgpr[0], machine.sgpr[0] - outcome.executed / instructions);
        // The last iteration of a stay is the loop's last one: it does not come back.
        machine.sgpr[0] = static_cast<uint32_t>(a_stay);
        const Outcome last = block.Run(machine, 1);
        EXPECT_EQ(last.machine.pc, kAfter);
        EXPECT_EQ(last.executed, a_stay * instructions);
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
