// Loops of one block for tests: how they are built, run and compared with the evaluator.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {

using ir::Builder;
using ir::ExitReason;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;

inline constexpr uint64_t kPlenty = ~uint64_t{0} / 2;
inline constexpr uint64_t kBegin = 0x1000;
inline constexpr uint64_t kAfter = 0x2000;
// Iterations of a block of n instructions that are made before the code looks at its budget.
inline constexpr uint64_t kMostInstructions = 1 << 14;

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
  // In lanes that EXEC does not have, nothing reads it.
  void SetForActive(int n, Value v) { sets_.push_back({Op::kSetVgpr, n, v, 1}); }
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
    uint32_t aux = 0;
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
    for (const Set& set : sets_) b.Emit(set.op, Type::kVoid, {set.value}, set.number, set.aux);
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

inline Machine RandomMachine(uint64_t seed) {
  std::mt19937_64 random(seed);
  Machine machine;
  FillRandom(random, machine.vgpr);
  for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
  FillRandom(random, machine.memory);
  machine.scc = 1;
  return machine;
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
// pauses as there can be. `unread`: VGPRs that nothing reads afterwards. `by_slices`: each slice
// runs the loop to its end.
inline void ExpectTheSame(const Function& function, const Machine& machine,
                          const std::vector<size_t>& unread = {}, bool by_slices = true) {
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  const auto without_unread = [&unread](Outcome outcome) {
    for (const size_t vgpr : unread) outcome.machine.vgpr[vgpr].fill(0);
    return outcome;
  };
  const Outcome expected = without_unread(RunEvaluatorLoop(function, machine));
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/true);
    ASSERT_EQ(block.listing().find("next iteration") != std::string::npos, by_slices);
    for (const uint64_t budget : {kPlenty, uint64_t{1}, kPlenty}) {
      const Outcome actual = without_unread(block.RunLoop(machine, budget));
      EXPECT_EQ(Difference(actual, expected), "") << NameOf(isa) << ", budget " << budget << '\n'
                                                  << ir::Print(function);
      if (expected.fault) continue;
      EXPECT_EQ(actual.executed, expected.executed) << NameOf(isa);
    }
  }
}

}  // namespace gcnjit::backend
