// VGPRs whose numbers are values, among reads and writes of the same VGPRs by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ir/builder.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kVgprs = Machine::kVgprs;

struct RandomIndexing {
  ir::Function function = {};
  Machine machine = {};

  explicit RandomIndexing(uint32_t seed) : random_(seed) {
    ir::Block block;
    block.begin = 0x100;
    block.guest_pcs = {0x100};
    block.instruction_count = 5;
    block.targets[0] = 0x104;
    block.targets[1] = 0x100;
    Builder b(function, block);
    const Value exec = b.Emit(Op::kGetSgpr64, Type::kU64, {}, ir::kExec);
    values_.push_back(b.Emit(Op::kLaneId, Type::kV32, {}));
    std::vector<int> numbers;
    for (int n = 0; n < kVgprs; ++n) numbers.push_back(n);
    std::shuffle(numbers.begin(), numbers.end(), random_);
    const size_t reads = Below(8);
    for (size_t n = 0; n < reads; ++n) {
      values_.push_back(b.Emit(Op::kGetVgpr, Type::kV32, {}, numbers[n]));
    }
    const auto number = [&](int first) {
      const int sgpr = static_cast<int>(Below(8));
      machine.sgpr[static_cast<size_t>(sgpr)] = 0;  // all numbers are counted from `first` on
      const uint32_t added =
          static_cast<uint32_t>(first) + Below(static_cast<uint32_t>(kVgprs - first));
      return b.Add(b.Emit(Op::kGetSgpr, Type::kU32, {}, sgpr), b.U32(added));
    };
    for (uint32_t steps = Below(12); steps != 0; --steps) {
      switch (Below(5)) {
        case 0: {
          const int first = static_cast<int>(Below(kVgprs));
          values_.push_back(b.Emit(Op::kGetVgprAt, Type::kV32, {number(first)}, first));
          break;
        }
        case 1: {
          // Stages end here.
          const Value lane = b.U32(Below(64));
          const Value scalar = b.Emit(Op::kReadLane, Type::kU32, {Pick(), lane});
          values_.push_back(b.Xor(Pick(), scalar));
          break;
        }
        case 2: {
          const Value address = b.And(Pick(), b.U32(0xFC));
          values_.push_back(b.Emit(Op::kLoadLds, Type::kV32, {address, exec, b.U32(~0u)}, 0,
                                   ir::MemoryAccess{}.Pack()));
          break;
        }
        default: values_.push_back(b.Add(Pick(), Pick())); break;
      }
    }
    // Some of what the block has read, some of which it has not.
    std::shuffle(numbers.begin(), numbers.end(), random_);
    const size_t writes = Below(8);
    for (size_t n = 0; n < writes; ++n) b.Emit(Op::kSetVgpr, Type::kVoid, {Pick()}, numbers[n]);
    for (uint32_t n = Below(4); n != 0; --n) {
      const int first = static_cast<int>(Below(kVgprs));
      const Value to = number(first);
      const Value mask = Below(3) == 0 ? b.U64(~uint64_t{0}) : exec;
      b.Emit(Op::kSetVgprAt, Type::kVoid, {to, mask, Below(6) == 0 ? b.U32(77) : Pick()}, first);
    }
    if (Below(3) == 0) {
      const Value holds =
          b.Compare(Op::kLtU, b.Emit(Op::kGetSgpr, Type::kU32, {}, 20), b.U32(0x80000000));
      b.Emit(Op::kProceed, Type::kVoid, {holds}, 3);
    } else {
      block.targets[1] = 0;
      b.Emit(Op::kJump, Type::kVoid, {});
    }
    function.blocks.push_back(std::move(block));
    FillRandom(random_, machine.vgpr);
    machine.sgpr[20] = static_cast<uint32_t>(random_());
    machine.sgpr[ir::kExec] = static_cast<uint32_t>(random_());
    machine.sgpr[ir::kExec + 1] = static_cast<uint32_t>(random_());
  }

  bool Holds() const {
    return function[function.blocks[0].insts.back()].op != Op::kProceed ||
           machine.sgpr[20] < 0x80000000;
  }

 private:
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  Value Pick() { return values_[Below(static_cast<uint32_t>(values_.size()))]; }

  std::mt19937 random_;
  std::vector<Value> values_;
};

TEST(VgprAt, IsWhatTheEvaluatorSays) {
  for (const HostIsa isa : HostIsas()) {
    for (uint32_t seed = 1; seed <= RandomBlocks(3000); ++seed) {
      const RandomIndexing test(seed);
      ASSERT_EQ(ir::Verify(test.function), std::vector<std::string>()) << seed;
      CompiledBlock code(test.function, isa);
      Outcome expected = RunEvaluator(test.function, test.machine);
      if (!test.Holds()) expected.executed = 2;
      ASSERT_EQ(Difference(code.Run(test.machine), expected), "")
          << NameOf(isa) << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
