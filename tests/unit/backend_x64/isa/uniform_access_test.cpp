// Loads and stores of which it is known that all lanes, or all lanes of a part, have one address.
#include <gtest/gtest.h>

#include <random>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/backend_x64/isa/loaded_dwords.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::ExitReason;
using ir::FloatEnv;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;
using ir::VgprShape;

constexpr uint8_t kUniformSizes[] = {1, 2, 4, 8, 12, 16};
constexpr uint32_t kPart = 16;  // lanes
constexpr int kConstantMask = -1;
constexpr int kMaskPair = 20;  // SGPRs
constexpr int kKept = 20;      // VGPRs
constexpr int kUnused = 3;     // a VGPR

// How the lanes' addresses are known.
enum class Address {
  kPointer,  // SGPRs, as the base of an index that is 0
  kSgprs,
  kWave,       // one for all lanes
  kParts,      // one for each part, anywhere
  kRows,       // one for each part, 64 bytes from part to part
  kHighParts,  // as kParts, also the high dwords
  kHalfParts,  // one for each half of a part
  kFirstPart,  // one for the first part, dwords in a row for the others
  kCount,
};

// Lanes whose addresses may differ from those of other such lanes.
uint32_t RunOf(Address address) {
  switch (address) {
    case Address::kParts:
    case Address::kHighParts: return kPart;
    case Address::kHalfParts: return kPart / 2;
    default: return ir::kLanes;
  }
}

struct UniformPlan {
  Address address = Address::kSgprs;
  MemoryAccess access;
  bool is_store = false;
  bool as_quadwords = false;  // see loaded_dwords.h
  int mask = kMaskPair;       // the pair of SGPRs, or kConstantMask
  uint64_t constant = ~uint64_t{0};
  int32_t imm = 0;
  bool other_environment = false;
  int kept = 0;  // VGPRs in registers meanwhile
  bool twice = false;

  bool HasHighVgpr() const { return address == Address::kHighParts; }
  bool IsInSgprs() const { return address <= Address::kSgprs; }
};

// Low dwords in v0 or s0, high ones in v1 or s1, data in v8 to v11, results in v12 to v15; other
// data for a second time in v4 to v7.
Function FunctionOfPlan(const UniformPlan& plan) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0};
  Builder b(function, function.blocks[0]);
  const auto vgpr = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  const auto sgpr = [&](int n) { return b.Emit(Op::kGetSgpr, Type::kU32, {}, n); };
  const auto set = [&](int n, Value v) { b.Emit(Op::kSetVgpr, Type::kVoid, {v}, n); };
  Value rounded;
  if (plan.other_environment) {
    const Value x = vgpr(16);
    rounded = b.Float(Op::kFAdd, {3 << FloatEnv::kRoundShift}, 32, {x, x});
  }
  std::vector<Value> kept;
  for (int n = 0; n < plan.kept; ++n) kept.push_back(vgpr(kKept + n));
  const bool is_pointer = plan.address == Address::kPointer;
  const Value low = is_pointer ? b.U32(0) : plan.IsInSgprs() ? sgpr(0) : vgpr(0);
  const Value high = is_pointer           ? b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0)
                     : plan.HasHighVgpr() ? vgpr(1)
                                          : sgpr(1);
  const Value mask = plan.mask == kConstantMask ? b.U64(plan.constant)
                                                : b.Emit(Op::kGetSgpr64, Type::kU64, {}, plan.mask);
  const int dwords = plan.access.Dwords();
  MemoryAccess form = plan.access;
  form.indexed = is_pointer;
  const auto access = [&](int data) {
    std::vector<Value> args = {low, high, mask};
    for (int n = 0; n < dwords && plan.is_store; ++n) args.push_back(vgpr(data + n));
    return b.EmitList(plan.is_store ? Op::kStore : Op::kLoad,
                      plan.is_store ? Type::kVoid : Type::kV32, args.data(),
                      static_cast<int>(args.size()), plan.imm, form.Pack());
  };
  if (plan.twice) access(4);
  const Value v = access(8);
  std::vector<Value> results;
  if (!plan.is_store) results = LoadedDwords(b, v, dwords, plan.as_quadwords);
  for (int n = 0; Value part : results) set(12 + n++, part);
  for (int n = 0; Value value : kept) {
    const Value sum = b.Add(value, b.U32(3));
    set(kKept + n++, results.empty() ? sum : b.Xor(sum, results[0]));
  }
  if (rounded) set(16, rounded);
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ExitReason::kEnd));
  return function;
}

std::vector<VgprShape> KnownOf(const UniformPlan& plan) {
  if (plan.IsInSgprs()) return {{kUnused, 1, 0, {}}};  // nothing, but that shapes are known at all
  VgprShape shape{0, static_cast<uint8_t>(RunOf(plan.address)), 0, {}};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    if (plan.address == Address::kRows) shape.offsets[lane] = lane / kPart * 64;
    if (plan.address == Address::kFirstPart && lane >= kPart) shape.offsets[lane] = lane * 4;
  }
  std::vector<VgprShape> known = {shape};
  if (plan.HasHighVgpr()) known.push_back({1, kPart, 0, {}});
  return known;
}

// Runs one block on many machines: from the second one on, windows are known.
class UniformAccess {
 public:
  explicit UniformAccess(const UniformPlan& plan) : plan_(plan), function_(FunctionOfPlan(plan)) {
    EXPECT_EQ(ir::Verify(function_), std::vector<std::string>{}) << ir::Print(function_);
    for (const HostIsa isa : HostIsas()) {
      blocks_.push_back(std::make_unique<CompiledBlock>(function_, isa, FloatEnv{},
                                                        /*listing=*/false, KnownOf(plan)));
    }
  }

  // `offsets`: from where memory begins, of each run of lanes.
  void Check(const std::vector<int64_t>& offsets, uint64_t mask, bool without_help = false) {
    const Machine machine = MachineFor(offsets, mask);
    const Outcome expected = RunEvaluator(function_, machine);
    faulted_ = expected.fault.has_value();
    for (size_t n = 0; n < blocks_.size(); ++n) {
      const uint64_t before = blocks_[n]->helper_calls();
      const HostIsa isa = HostIsas()[n];
      ASSERT_EQ(Difference(blocks_[n]->Run(machine), expected), "")
          << NameOf(isa) << ", mask " << std::hex << mask << ", offset " << offsets[0] << '\n'
          << ir::Print(function_);
      if (!without_help) continue;
      if (isa != HostIsa::kAvx512 && plan_.address != Address::kPointer) continue;
      EXPECT_EQ(blocks_[n]->helper_calls(), before) << NameOf(isa) << '\n' << ir::Print(function_);
    }
  }
  // The windows of both versions, for all lanes and for some, become known.
  void FindWindows() {
    Check({4096}, ~uint64_t{0});
    Check({4096}, 8);
  }
  bool faulted() const { return faulted_; }
  uint64_t Random() { return random_(); }

 private:
  Machine MachineFor(const std::vector<int64_t>& offsets, uint64_t mask) {
    Machine machine;
    FillRandom(random_, machine.vgpr);
    FillRandom(random_, machine.memory);
    const std::vector<VgprShape> known = KnownOf(plan_);
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      const int64_t offset = offsets[lane / RunOf(plan_.address) % offsets.size()] - plan_.imm;
      uint64_t address = GuestPages::kBegin + static_cast<uint64_t>(offset);
      if (!known.empty()) address += known[0].offsets[lane];
      machine.vgpr[0][lane] = static_cast<uint32_t>(address);
      machine.vgpr[1][lane] = static_cast<uint32_t>(address >> 32);
      if (lane != 0) continue;
      machine.sgpr[0] = static_cast<uint32_t>(address);
      machine.sgpr[1] = static_cast<uint32_t>(address >> 32);
    }
    if (plan_.mask == kConstantMask) return machine;
    machine.sgpr[plan_.mask] = static_cast<uint32_t>(mask);
    machine.sgpr[plan_.mask + 1] = static_cast<uint32_t>(mask >> 32);
    return machine;
  }

  const UniformPlan plan_;
  const Function function_;
  std::vector<std::unique_ptr<CompiledBlock>> blocks_;
  std::mt19937_64 random_{1};
  bool faulted_ = false;
};

// clang-format off
constexpr uint64_t kUniformMasks[] = {
    ~0ull, 0, 1, 1ull << 21, 1ull << 63, ~0ull >> 1,
    0x8000, 0xFFFFull << 32, 0xFFFF00000000FFFF, 0x10000, 0x5555555555555555};
// clang-format on
constexpr uint64_t kFewMasks[] = {~0ull, 1ull << 21, 0xFFFFull << 32, 0xFFFF00000000FFFF};
constexpr int kMaskSources[] = {kConstantMask, kMaskPair, ir::kExec};
// Of stores whose last lane is known then, in each place of a register, or is in other parts.
constexpr uint64_t kConstants[] = {
    1, 1ull << 7, 0x0006000000030F00, 1ull << 26 | 1ull << 63, 0x0140000000020000, 0};

// f(plan) for each way to know addresses, size, direction and mask.
template <typename F>
void ForAllPlans(F f) {
  for (int address = 0; address < static_cast<int>(Address::kCount); ++address) {
    for (const uint8_t bytes : kUniformSizes) {
      for (const int kind : {0, 1, 2}) {  // a store, a load, a load with sign
        if (kind == 2 && bytes >= 4) continue;
        for (const int mask : kMaskSources) {
          UniformPlan plan;
          plan.address = static_cast<Address>(address);
          plan.access.bytes = bytes;
          plan.access.sign_extend = kind == 2;
          plan.is_store = kind == 0;
          plan.mask = mask;
          f(plan);
          plan.as_quadwords = kind == 1 && bytes % 8 == 0;
          if (plan.as_quadwords) f(plan);
          if (::testing::Test::HasFailure()) return;
          if (mask != kConstantMask || kind != 0 || bytes > 4) continue;
          for (const uint64_t constant : kConstants) {
            plan.constant = constant;
            f(plan);
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

// Up to a dword is stored, and everything is loaded, at known addresses without looking at each
// lane.
bool NeedsNoHelp(const UniformPlan& plan) {
  if (plan.address >= Address::kHalfParts) return false;
  return !plan.is_store || plan.access.Dwords() == 1;
}

TEST(UniformAccesses, WithinMemory) {
  ForAllPlans([](const UniformPlan& form) {
    for (const int32_t imm : {0, 4, -4096, 8191}) {
      UniformPlan plan = form;
      plan.imm = imm;
      UniformAccess access(plan);
      access.FindWindows();
      for (const uint64_t mask : kUniformMasks) {
        access.Check({1024, 2048, 4100, 512}, mask, NeedsNoHelp(plan));
        access.Check({0, 16, 32, 0, 48, 0, 8, 24}, mask, NeedsNoHelp(plan));
        EXPECT_FALSE(access.faulted());
      }
      access.Check({77, 1030, 33, 9, 11}, access.Random());
      access.Check({1024, 1020, 1028, 1024}, access.Random() & access.Random());
    }
  });
}

// The first run asks for the window, whichever lanes there are.
TEST(UniformAccesses, WithoutAWindow) {
  ForAllPlans([](const UniformPlan& plan) {
    for (const uint64_t mask : kUniformMasks) {
      UniformAccess access(plan);
      access.Check({1024, 2048, 4100, 512}, mask);
      access.Check({1024, 2048, 4100, 512}, mask);
    }
  });
}

TEST(UniformAccesses, AtTheEndsOfMemory) {
  ForAllPlans([](const UniformPlan& form) {
    for (const int32_t imm : {0, -16}) {
      UniformPlan plan = form;
      plan.imm = imm;
      UniformAccess access(plan);
      access.FindWindows();
      const int64_t rows = plan.address == Address::kFirstPart ? 63 * 4
                           : plan.address == Address::kRows    ? 3 * 64
                                                               : 0;
      const int64_t last = static_cast<int64_t>(GuestPages::kSize) - plan.access.bytes - rows;
      access.Check({0}, ~uint64_t{0}, NeedsNoHelp(plan));
      // Bytes and words are loaded with what follows them.
      access.Check({last}, ~uint64_t{0}, NeedsNoHelp(plan) && plan.access.bytes >= 4);
      EXPECT_FALSE(access.faulted());
      for (const int64_t beyond : {last + 1, int64_t{-1}, int64_t{1} << 20, int64_t{1} << 40}) {
        for (const uint64_t mask : kUniformMasks) access.Check({beyond}, mask);
        access.Check({beyond}, ~uint64_t{0});
        // That of the last address may be none of the constant's lanes.
        EXPECT_TRUE(access.faulted() || ~plan.constant != 0);
        // Some runs only. High dwords of their own are known to be anything.
        if (RunOf(plan.address) == ir::kLanes || (beyond >> 32 > 0 && !plan.HasHighVgpr()))
          continue;
        for (size_t run = 0; run < 4; ++run) {
          std::vector<int64_t> offsets = {64, 128, 192, 256};
          offsets[run] = beyond;
          for (const uint64_t mask : kFewMasks) access.Check(offsets, mask);
          access.Check(offsets, access.Random());
        }
      }
      access.Check({4096}, ~uint64_t{0}, NeedsNoHelp(plan));
    }
  });
}

// Under another MXCSR, with many values in registers, and two times in a row.
TEST(UniformAccesses, AmongOtherThings) {
  ForAllPlans([](const UniformPlan& form) {
    for (const int variant : {0, 1, 2, 3, 4}) {
      UniformPlan plan = form;
      plan.other_environment = variant == 0;
      plan.kept = variant == 1 ? 3 : variant == 2 ? 8 : variant == 3 ? 12 : 0;
      plan.twice = variant >= 3;
      UniformAccess access(plan);
      for (const uint64_t mask : kFewMasks) {
        access.Check({1024, 2048, 4100, 512}, mask);
        access.Check({0, 4, 32, 3, 48, 0, 8, 24}, mask);
        access.Check({0, 1024, int64_t{1} << 30, 8}, mask);
      }
    }
  });
}

}  // namespace
}  // namespace gcnjit::backend
