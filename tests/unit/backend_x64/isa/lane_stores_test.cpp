// Stores whose lanes are in disorder, overlap in part, are misaligned or beyond the limit of LDS:
// lane after lane in ascending order, without the runtime. Also loads of bytes and words up to
// LDS's last byte, which compiled code reads as dwords.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr uint8_t kStoreSizes[] = {1, 2, 4, 8, 12, 16};

struct LanePlan {
  uint8_t bytes = 4;
  bool is_store = true;
  bool is_lds = false;
  bool has_mask = true;
  bool sign_extend = false;
  int32_t imm = 0;
};

// Addresses in v0, data in v1 and on, the mask in s[0:1], the limit of LDS in s2; what is loaded
// goes to v5.
Function OneAccess(const LanePlan& plan) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].guest_pcs = {0};
  Builder b(function, function.blocks[0]);
  const auto vgpr = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  ir::MemoryAccess access;
  access.bytes = plan.bytes;
  access.sign_extend = plan.sign_extend;
  std::vector<Value> args = {vgpr(0)};
  if (!plan.is_lds) args.push_back(b.U32(GuestPages::kBegin >> 32));
  args.push_back(plan.has_mask ? b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0) : b.U64(~uint64_t{0}));
  if (plan.is_lds) args.push_back(b.Emit(Op::kGetSgpr, Type::kU32, {}, 2));
  if (plan.is_store) {
    for (int n = 0; n < access.Dwords(); ++n) args.push_back(vgpr(1 + n));
  }
  const Op op = plan.is_lds ? (plan.is_store ? Op::kStoreLds : Op::kLoadLds)
                            : (plan.is_store ? Op::kStore : Op::kLoad);
  const Value v = b.EmitList(op, plan.is_store ? Type::kVoid : Type::kV32, args.data(),
                             static_cast<int>(args.size()), plan.imm, access.Pack());
  if (!plan.is_store) b.Emit(Op::kSetVgpr, Type::kVoid, {v}, 5);
  b.Emit(Op::kExit, Type::kVoid, {}, 0);
  return function;
}

// How the lanes' elements lie to each other.
enum class Disorder {
  kHeap,      // in few bytes: most overlap in part
  kSame,      // all in one place but lane 1
  kSeven,     // 7 dwords apart, as the parts of a structure are
  kClose,     // half of their size apart, each above the one before
  kBackward,  // likewise below
  kShuffled,  // apart, aligned
  kOdd,       // apart, misaligned
  kCount,
};

// Up to kSpread bytes, elements included.
constexpr uint32_t kSpread = 2048;

uint32_t OffsetOf(Disorder disorder, uint32_t lane, uint32_t bytes, uint64_t random) {
  switch (disorder) {
    case Disorder::kHeap: return static_cast<uint32_t>(random % (bytes * 5));
    case Disorder::kSame: return lane == 1 ? bytes : 0;
    case Disorder::kSeven: return lane * 28;
    case Disorder::kClose: return lane * bytes / 2;
    case Disorder::kBackward: return (63 - lane) * bytes / 2;
    case Disorder::kShuffled: return lane * 37 % 64 * bytes;
    default: return lane * 37 % 64 * (bytes + 1) + 1;
  }
}

// In bytes, from the first address.
uint32_t Extent(const std::array<uint32_t, ir::kLanes>& offsets, uint32_t bytes) {
  return *std::max_element(offsets.begin(), offsets.end()) + bytes;
}

class LaneStores : public testing::TestWithParam<HostIsa> {
 protected:
  // On random machines, with orders, masks and places of all kinds.
  void Run(const LanePlan& plan) {
    const Function function = OneAccess(plan);
    ASSERT_EQ(ir::Verify(function), std::vector<std::string>{});
    CompiledBlock block(function, GetParam());
    std::mt19937_64 random(plan.bytes + 32u * plan.is_lds + 64u * plan.has_mask);
    for (int run = 0; run < 10 * static_cast<int>(Disorder::kCount); ++run) {
      const auto disorder = static_cast<Disorder>(run % static_cast<int>(Disorder::kCount));
      Machine machine;
      machine.lds.resize(kSpread);
      FillRandom(random, machine.memory);
      FillRandom(random, machine.lds);
      std::array<uint32_t, ir::kLanes> offsets{};
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
        for (auto& vgpr : machine.vgpr) vgpr[lane] = static_cast<uint32_t>(random());
        offsets[lane] = OffsetOf(disorder, lane, plan.bytes, random());
      }
      const uint64_t mask = !plan.has_mask || run % 4 == 0 ? ~uint64_t{0}
                            : run % 4 == 1                 ? random() & random() & random()
                                                           : random();
      machine.sgpr[0] = static_cast<uint32_t>(mask);
      machine.sgpr[1] = static_cast<uint32_t>(mask >> 32);
      // The end of the memory, or of LDS, is near in every third run.
      const uint32_t size = plan.is_lds ? kSpread : static_cast<uint32_t>(GuestPages::kSize);
      const uint32_t extent = Extent(offsets, plan.bytes);
      const auto at =
          static_cast<uint32_t>(run % 3 == 0 ? size - extent : random() % (size - extent + 1));
      const bool is_limited = plan.is_lds && run % 2 == 1;
      machine.sgpr[2] =
          is_limited ? std::max(at + static_cast<uint32_t>(random() % (extent + 4)), 16u) : 0x10000;
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
        machine.vgpr[0][lane] = offsets[lane] + at - static_cast<uint32_t>(plan.imm) +
                                (plan.is_lds ? 0 : static_cast<uint32_t>(GuestPages::kBegin));
      }
      const uint64_t calls = block.helper_calls();
      ASSERT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "")
          << NameOf(GetParam()) << " run " << run << '\n'
          << ir::Print(function);
      // The first one finds the window of guest memory, which does not have its last bytes.
      if (plan.is_lds || run % 3 != 0) {
        EXPECT_EQ(block.helper_calls(), calls) << NameOf(GetParam()) << " run " << run << '\n'
                                               << ir::Print(function);
      }
    }
  }
};

TEST_P(LaneStores, InAnyOrder) {
  for (const uint8_t bytes : kStoreSizes) {
    for (const bool is_lds : {false, true}) {
      for (const bool has_mask : {false, true}) {
        for (const int32_t imm : {0, 12}) {
          Run({.bytes = bytes, .is_lds = is_lds, .has_mask = has_mask, .imm = imm});
        }
      }
    }
  }
}

TEST_P(LaneStores, LoadsToTheEndOfLds) {
  for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}}) {
    for (const bool has_mask : {false, true}) {
      for (const bool sign_extend : {false, true}) {
        Run({.bytes = bytes,
             .is_store = false,
             .is_lds = true,
             .has_mask = has_mask,
             .sign_extend = sign_extend,
             .imm = 3});
      }
    }
  }
}

// One lane that may not store, or all: as the evaluator has it.
TEST_P(LaneStores, FaultsAtTheFirstLaneBeyondMemory) {
  for (const uint8_t bytes : kStoreSizes) {
    const Function function = OneAccess({.bytes = bytes});
    CompiledBlock block(function, GetParam());
    std::mt19937_64 random(bytes);
    for (int run = 0; run < 32; ++run) {
      Machine machine;
      const auto size = static_cast<uint32_t>(GuestPages::kSize);
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
        machine.vgpr[0][lane] = static_cast<uint32_t>(GuestPages::kBegin) + lane * 37 % 64 * 20;
      }
      // Its last byte is the first one beyond.
      const auto lane = static_cast<uint32_t>(random() % ir::kLanes);
      if (run != 0) {
        machine.vgpr[0][lane] = static_cast<uint32_t>(GuestPages::kBegin) + size - bytes + 1;
      }
      const uint64_t mask = run % 4 == 3 ? random() : ~uint64_t{0};
      machine.sgpr[0] = static_cast<uint32_t>(mask);
      machine.sgpr[1] = static_cast<uint32_t>(mask >> 32);
      const Outcome outcome = block.Run(machine);
      ASSERT_EQ(Difference(outcome, RunEvaluator(function, machine)), "") << "run " << run;
      EXPECT_EQ(outcome.fault.has_value(), run != 0 && (mask >> lane & 1) != 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LaneStores, testing::ValuesIn(HostIsas()),
                         [](const auto& isa) { return std::string(NameOf(isa.param)); });

}  // namespace
}  // namespace gcnjit::backend
