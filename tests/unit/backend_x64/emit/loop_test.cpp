// Compiled loops of one block against the evaluator, which runs the block again and again.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::ExitReason;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr uint64_t kPlenty = ~uint64_t{0} / 2;
constexpr uint64_t kBegin = 0x1000;
constexpr uint64_t kAfter = 0x2000;
// Iterations of a block of n instructions that are made before the code looks at its budget.
constexpr uint64_t kMostInstructions = 1 << 14;

// A loop while it is built. s0 counts down in uniform loops; in the others, lanes leave when v0,
// which counts up by v1, reaches v2.
class LoopFunction {
 public:
  explicit LoopFunction(uint32_t instructions = 4) : b(function_, NewBlock(instructions)) {}

  Value Vgpr(int n) {
    if (!vgprs_[n]) vgprs_[n] = b.Emit(Op::kGetVgpr, Type::kV32, {}, n);
    return vgprs_[n];
  }
  Value Sgpr(int n) { return b.Emit(Op::kGetSgpr, Type::kU32, {}, n); }
  Value Pair(int n) {
    if (!pairs_[n]) pairs_[n] = b.Emit(Op::kGetSgpr64, Type::kU64, {}, n);
    return pairs_[n];
  }
  Value Exec() { return Pair(126); }
  void SetVgpr(int n, Value v) { sets_.push_back({Op::kSetVgpr, n, v}); }
  // In the lanes of EXEC.
  void SetActive(int n, Value v) { SetVgpr(n, b.Select(Exec(), v, Vgpr(n))); }
  void SetSgpr(int n, Value v) { sets_.push_back({Op::kSetSgpr, n, v}); }
  void SetPair(int n, Value v) { sets_.push_back({Op::kSetSgpr64, n, v}); }
  void SetScc(Value v) { sets_.push_back({Op::kSetScc, 0, v}); }
  // Of a lane's access at v:high.
  Value Load(Value low, uint32_t high, Value mask, uint8_t bytes = 4) {
    MemoryAccess access;
    access.bytes = bytes;
    return b.Emit(Op::kLoad, Type::kV32, {low, b.U32(high), mask}, 0, access.Pack());
  }
  Value LoadScalar(Value address) { return b.Emit(Op::kLoadScalar, Type::kU32, {address}, 0, 1); }
  // What follows is another guest instruction.
  void Next() { b.SetGuest(++guest_); }

  const Function& FinishUniform() {
    const Value left = b.Sub(Sgpr(0), b.U32(1));
    SetSgpr(0, left);
    EmitSets();
    End(b.Compare(Op::kNe, left, b.U32(0)));
    return function_;
  }
  // The loop goes on if the condition is `if_it_is`.
  const Function& FinishOn(Value condition, bool if_it_is) {
    EmitSets();
    End(condition);
    if (!if_it_is) std::swap(function_.blocks[0].targets[0], function_.blocks[0].targets[1]);
    return function_;
  }
  const Function& FinishUntilNoLane() {
    const Value next = b.Add(Vgpr(0), Vgpr(1));
    SetVgpr(0, b.Select(Exec(), next, Vgpr(0)));
    const Value exec = b.And(Exec(), b.Compare(Op::kLtU, next, Vgpr(2)));
    SetPair(126, exec);
    return FinishWith(exec);
  }
  const Function& FinishWith(Value exec) {
    EmitSets();
    End(b.Compare(Op::kNe, exec, b.U64(0)));
    return function_;
  }

 private:
  struct Set {
    Op op;
    int number;
    Value value;
  };

  ir::Block& NewBlock(uint32_t instructions) {
    function_.blocks.resize(1);
    ir::Block& block = function_.blocks[0];
    block.begin = kBegin;
    block.instruction_count = instructions;
    // The tests' program counters are the numbers of the instructions.
    for (uint64_t n = 0; n < instructions; ++n) block.guest_pcs.push_back(n);
    return block;
  }
  void EmitSets() {
    for (const Set& set : sets_) b.Emit(set.op, Type::kVoid, {set.value}, set.number);
  }
  void End(Value condition) {
    function_.blocks[0].targets[0] = kBegin;
    function_.blocks[0].targets[1] = kAfter;
    b.Emit(Op::kBranch, Type::kVoid, {condition});
  }

  Function function_;
  std::vector<Set> sets_;
  Value vgprs_[Machine::kVgprs];
  Value pairs_[128];
  uint16_t guest_ = 0;

 public:
  Builder b;
};

Machine RandomMachine(uint64_t seed) {
  std::mt19937_64 random(seed);
  Machine machine;
  for (auto& vgpr : machine.vgpr) {
    for (uint32_t& lane : vgpr) lane = static_cast<uint32_t>(random());
  }
  for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
  for (std::byte& byte : machine.memory) byte = static_cast<std::byte>(random());
  machine.scc = 1;
  return machine;
}

void SetPair(Machine& machine, int n, uint64_t value) {
  machine.sgpr[n] = static_cast<uint32_t>(value);
  machine.sgpr[n + 1] = static_cast<uint32_t>(value >> 32);
}

// Lane l makes trips(l) iterations.
template <typename F>
void SetTrips(Machine& machine, F trips) {
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[0][lane] = 0;
    machine.vgpr[1][lane] = 1;
    machine.vgpr[2][lane] = static_cast<uint32_t>(trips(lane));
  }
}

// The same result on each instruction set, and as many instructions, in one go and with as many
// pauses as there can be.
void ExpectTheSame(const Function& function, const Machine& machine) {
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  const Outcome expected = RunEvaluatorLoop(function, machine);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/true);
    ASSERT_NE(block.listing().find("next iteration"), std::string::npos)
        << "not compiled as a loop";
    for (const uint64_t budget : {kPlenty, uint64_t{1}, kPlenty}) {
      const Outcome actual = block.RunLoop(machine, budget);
      EXPECT_EQ(Difference(actual, expected), "") << NameOf(isa) << ", budget " << budget << '\n'
                                                  << ir::Print(function);
      if (expected.fault) continue;
      EXPECT_EQ(actual.executed, expected.executed) << NameOf(isa);
    }
  }
}

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
TEST(Loops, LanesThatLeaveAreCollected) {
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
        const Value leaves = loop.b.Compare(Op::kLeU, loop.Vgpr(2), next);
        for (int n = 0; n < collectors; ++n) {
          const Value lanes = loop.b.And(loop.Exec(), leaves);
          loop.SetPair(4 + 2 * n, loop.b.Or(loop.Pair(4 + 2 * n), lanes));
        }
        if (is_looked_at) {
          const Value sum = loop.b.Add(loop.Vgpr(5), loop.b.U32(1));
          const Value chosen = loop.b.Select(loop.Pair(4), sum, loop.Vgpr(5));
          loop.SetVgpr(5, loop.b.Select(loop.Exec(), chosen, loop.Vgpr(5)));
        }
        const Value exec = loop.b.AndNot(loop.Exec(), leaves);
        loop.SetPair(126, exec);
        const Function& function = loop.FinishWith(exec);
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
              lanes, loop.b.Compare(Op::kLtU, loop.Vgpr(6), loop.b.U32(1u << (32 - 4 * n))));
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

// ---- Memory

constexpr auto kLow = static_cast<uint32_t>(GuestPages::kBegin);
constexpr auto kHigh = static_cast<uint32_t>(GuestPages::kBegin >> 32);
constexpr auto kEnd = static_cast<uint32_t>(kLow + GuestPages::kSize);

enum class Ending { kCounted, kUntilNoLane };
constexpr Ending kEndings[] = {Ending::kCounted, Ending::kUntilNoLane};

// Two loads an iteration, instructions 1 and 3, at v4 and v6, which go on by v5 and v7. A scalar
// load, instruction 2, at s[8:9], which goes on by s10.
const Function& MakeLoading(LoopFunction& loop, Ending ending, bool with_scalar, int in_the_way) {
  Value sum = loop.Vgpr(3);
  loop.Next();
  sum = loop.b.Add(sum, loop.Load(loop.Vgpr(4), kHigh, loop.Exec()));
  loop.Next();
  if (with_scalar) {
    sum = loop.b.Add(sum, loop.LoadScalar(loop.Pair(8)));
    loop.SetPair(8, loop.b.Add(loop.Pair(8), loop.b.Zext(loop.Sgpr(10))));
  }
  loop.Next();
  sum = loop.b.Xor(sum, loop.Load(loop.Vgpr(6), kHigh, loop.Exec()));
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
    machine.vgpr[4][lane] = kLow + 4 * lane;
    machine.vgpr[5][lane] = 8;
    machine.vgpr[6][lane] = kLow + 40 * (63 - lane);
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
    const Value next = loop.Load(loop.Vgpr(4), kHigh, loop.Exec());
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
      const uint32_t to = word == 0 || random() % 8 == 0 ? 0 : kLow + 4 * below(word);
      std::memcpy(machine.memory.data() + 4 * word, &to, 4);
    }
    for (int run = 0; run < 20; ++run) {
      for (uint32_t& lane : machine.vgpr[4]) lane = kLow + 4 * below(kWords);
      SetPair(machine, 126, random() | (run % 2 == 0 ? random() : ~uint64_t{0}));
      ExpectTheSame(function, machine);
    }
    // One that leads nowhere, in each of the slices.
    for (size_t lane = 0; lane < ir::kLanes; lane += 7) {
      SetPair(machine, 126, ~uint64_t{0});
      machine.vgpr[4] = {};
      machine.vgpr[4].fill(kLow + 4 * (kWords - 1));
      machine.vgpr[4][lane] = kEnd;
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
            machine.vgpr[vgpr][leaving.lane] = kEnd - 4 * leaving.iteration;
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
      machine.vgpr[vgpr][lane] = kEnd - 4 * static_cast<uint32_t>(random() % 24);
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
