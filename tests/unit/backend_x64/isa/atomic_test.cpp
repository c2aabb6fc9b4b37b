// Atomics of every kind, of lanes that meet at one address, or are beyond LDS, or misaligned.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/isa/random_access.h"

namespace gcnjit::backend::access_tests {
namespace {

// An atomic of addresses in v0, operands in v1 and on or a constant, the mask in s[0:1], the limit
// of LDS in s2; old values, if they are read, go to v8 and v9.
struct AtomicPlan {
  MemoryAccess access;
  bool is_lds = false;
  bool returns = true;
  bool constant = false;
  int32_t imm = 0;
};

Function AtomicFunction(const AtomicPlan& plan) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].guest_pcs = {0};
  Builder b(function, function.blocks[0]);
  const auto vgpr = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  std::vector<Value> args = {vgpr(0)};
  if (!plan.is_lds) args.push_back(b.U32(GuestPages::kBegin >> 32));
  args.push_back(b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0));
  if (plan.is_lds) args.push_back(b.Emit(Op::kGetSgpr, Type::kU32, {}, 2));
  const int dwords = ir::AtomicOperands(plan.access.atomic) * plan.access.Dwords();
  for (int n = 0; n < dwords; ++n) args.push_back(plan.constant ? b.U32(0xFFFFFFF3) : vgpr(1 + n));
  const Value old = b.EmitList(plan.is_lds ? Op::kAtomicLds : Op::kAtomic, Type::kV32, args.data(),
                               static_cast<int>(args.size()), plan.imm, plan.access.Pack());
  if (plan.returns) {
    const Value high = plan.access.bytes == 8 ? b.Part(old, 1) : old;
    b.Emit(Op::kSetVgpr, Type::kVoid, {old}, 8);
    b.Emit(Op::kSetVgpr, Type::kVoid, {high}, 9);
  }
  b.Emit(Op::kExit, Type::kVoid, {}, 0);
  return function;
}

bool IsFloatAtomic(ir::AtomicOp op) {
  return op == ir::AtomicOp::kFAdd || op == ir::AtomicOp::kFMin || op == ir::AtomicOp::kFMax ||
         op == ir::AtomicOp::kFCmpSwap;
}

// With lanes that meet at one address, one after the other or not; then some lanes beyond the
// limit; then misaligned ones.
void RunAtomic(const AtomicPlan& plan, HostIsa isa) {
  const Function function = AtomicFunction(plan);
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{});
  CompiledBlock block(function, isa);
  std::mt19937_64 random(static_cast<uint64_t>(plan.access.atomic));
  for (int run = 0; run < 10; ++run) {
    Machine machine = RandomAccessMachine(random);
    const uint64_t mask = run % 3 == 0 ? ~uint64_t{0} : run == 1 ? 0 : random();
    machine.sgpr[0] = static_cast<uint32_t>(mask);
    machine.sgpr[1] = static_cast<uint32_t>(mask >> 32);
    machine.sgpr[2] = run == 8 ? 83 : 0x10000;
    const uint64_t calls = block.helper_calls();
    uint32_t before = 0;
    for (uint32_t& low : machine.vgpr[0]) {
      low = static_cast<uint32_t>(plan.is_lds ? 0 : GuestPages::kBegin) - plan.imm +
            static_cast<uint32_t>(random() % 20 * 8);
      const bool is_like_before = before != 0 && (run == 4 || (run == 5 && random() % 4 != 0));
      if (is_like_before) low = before;
      before = low;
      if (run == 7 && plan.is_lds && random() % 8 == 0) low += 1024;
      if (run == 9 && random() % 20 == 0) low += 1 + static_cast<uint32_t>(random() % 3);
    }
    ASSERT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "")
        << NameOf(isa) << " run " << run << '\n'
        << ir::Print(function);
    // Once there is a window, integer atomics do without the runtime.
    if (run > 0 && run < 9 && !IsFloatAtomic(plan.access.atomic)) {
      EXPECT_EQ(block.helper_calls(), calls) << NameOf(isa) << '\n' << ir::Print(function);
    }
  }
}

TEST(Accesses, Atomics) {
  for (const HostIsa isa : HostIsas()) {
    for (int op = 0; op <= static_cast<int>(ir::AtomicOp::kWrap); ++op) {
      for (int variant = 0; variant < 16; ++variant) {
        AtomicPlan plan;
        plan.access.bytes = (variant & 1) != 0 ? 8 : 4;
        plan.access.atomic = static_cast<ir::AtomicOp>(op);
        plan.is_lds = (variant & 2) != 0;
        plan.returns = (variant & 4) != 0;
        plan.constant = (variant & 8) != 0;
        plan.imm = op % 2 == 0 ? 0 : 16;
        RunAtomic(plan, isa);
      }
    }
  }
}

// As loops that add floats do: lanes of one address expect what is there or was, and some succeed.
TEST(Accesses, CompareAndSwapOfLanesThatMeet) {
  for (const HostIsa isa : HostIsas()) {
    for (int variant = 0; variant < 8; ++variant) {
      AtomicPlan plan;
      plan.access.atomic = ir::AtomicOp::kCmpSwap;
      plan.access.bytes = (variant & 1) != 0 ? 8 : 4;
      plan.is_lds = (variant & 2) != 0;
      plan.returns = (variant & 4) != 0;
      const Function function = AtomicFunction(plan);
      CompiledBlock block(function, isa);
      std::mt19937_64 random(static_cast<uint64_t>(variant));
      for (int run = 0; run < 30; ++run) {
        Machine machine;  // memory and LDS are 0
        const uint64_t mask = run % 3 == 0 ? ~uint64_t{0} : random();
        machine.sgpr[0] = static_cast<uint32_t>(mask);
        machine.sgpr[1] = static_cast<uint32_t>(mask >> 32);
        machine.sgpr[2] = 0x10000;
        const uint32_t begin = plan.is_lds ? 0 : static_cast<uint32_t>(GuestPages::kBegin);
        const auto bits = [&] { return static_cast<uint32_t>(random() % 2); };
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
          machine.vgpr[0][lane] = begin + static_cast<uint32_t>(random() % 8 < 6 ? 8 : 24);
          for (size_t n = 1; n <= 4; ++n) machine.vgpr[n][lane] = run % 2 == 0 ? bits() : n / 2 % 2;
        }
        ASSERT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "")
            << NameOf(isa) << " run " << run << '\n'
            << ir::Print(function);
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend::access_tests
