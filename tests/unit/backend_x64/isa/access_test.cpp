// Loads and stores of all sizes, on addresses of every order, within the window and beyond it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <random>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
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

uint64_t Functions() {
  const char* text = std::getenv("GCNJIT_BACKEND_ACCESSES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1500;
}

constexpr uint8_t kSizes[] = {1, 2, 4, 8, 12, 16};
constexpr uint64_t kAccessMasks[] = {~uint64_t{0},
                                     0,
                                     0x00000000FFFFFFFF,
                                     0xFFFF0000FFFF0000,
                                     1,
                                     0x8000000000000000,
                                     ~uint64_t{1} << 8,
                                     0x5555555555555555};

// Byte offsets of the lanes' addresses from the beginning of what they access.
enum class Order {
  kRun,
  kRunOfSlices,  // 8 or 16 lanes each
  kReverse,
  kUniform,
  kStrided,
  kSpaced,     // by up to 4 bytes
  kSpacedEnd,  // likewise, up to the memory's last byte
  kShuffled,
  kOverlapping,
  kNearlyRun,
  kEnd,      // a run that ends with the memory
  kPastEnd,  // a run that does not
  kCount,
};

class Addresses {
 public:
  Addresses(std::mt19937_64& random, uint32_t bytes, uint32_t size)
      : random_(random), bytes_(bytes), size_(size) {}

  std::array<uint32_t, ir::kLanes> Make(Order order) {
    std::array<uint32_t, ir::kLanes> at{};
    const uint32_t run = bytes_ * ir::kLanes;
    const uint32_t begin = static_cast<uint32_t>(random_() % 256) + (run + 1024 < size_ ? 512 : 0);
    const uint32_t spaced = bytes_ + static_cast<uint32_t>(random_() % 4);
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      switch (order) {
        case Order::kRun: at[lane] = begin + lane * bytes_; break;
        case Order::kRunOfSlices:
          at[lane] = begin + (lane & ~7u) * bytes_ * (lane & 16 ? 1 : 3) + (lane & 7) * bytes_;
          break;
        case Order::kReverse: at[lane] = begin + run - lane * bytes_; break;
        case Order::kUniform: at[lane] = begin; break;
        case Order::kStrided: at[lane] = begin + lane * (bytes_ + 4); break;
        case Order::kSpaced: at[lane] = begin + lane * spaced; break;
        case Order::kSpacedEnd: at[lane] = size_ - bytes_ - (63 - lane) * spaced; break;
        case Order::kShuffled: at[lane] = begin + (lane * 37 % 64) * bytes_; break;
        case Order::kOverlapping:
          at[lane] = begin + static_cast<uint32_t>(random_() % (bytes_ * 4));
          break;
        case Order::kNearlyRun:
          at[lane] = begin + lane * bytes_ + (random_() % 20 == 0 ? bytes_ : 0);
          break;
        case Order::kEnd: at[lane] = size_ - run + lane * bytes_; break;
        default: at[lane] = size_ - run + lane * bytes_ + 1 + begin % 64; break;
      }
    }
    return at;
  }
  Order Any() { return static_cast<Order>(random_() % static_cast<uint64_t>(Order::kCount)); }

 private:
  std::mt19937_64& random_;
  uint32_t bytes_;
  uint32_t size_;
};

// A block of one to three accesses. Addresses in v0:v1, v2:v3, v4:v5 (or SGPRs of those numbers,
// masks in EXEC or in s[20:21] and on, data in v8 to v11; results, as they are or worked on, to v12
// and on.
struct AccessPlan {
  MemoryAccess access;
  bool is_store = false;
  bool is_lds = false;
  bool scalar_low = false;
  bool scalar_high = false;
  bool partly_read = false;
  bool masked_by_exec = false;  // such a block has a version for all lanes
  bool worked_on = false;
  int32_t imm = 0;
  uint32_t limit = 0x10000;

  int MaskSgpr(int n) const { return masked_by_exec ? 126 : 20 + 2 * n; }
};

class AccessFunction {
 public:
  AccessFunction() : builder_(function_, Block()) {}

  void Add(int n, const AccessPlan& plan) {
    builder_.SetGuest(static_cast<uint16_t>(n));
    function_.blocks[0].guest_pcs.push_back(static_cast<uint64_t>(n));
    const Value low = Register(plan.scalar_low, 2 * n);
    // Values are numbered when code is compiled: the same mask is the same value.
    Value& mask = masks_[plan.MaskSgpr(n)];
    if (!mask) mask = builder_.Emit(Op::kGetSgpr64, Type::kU64, {}, plan.MaskSgpr(n));
    Value& limit = limits_[plan.limit];
    if (!limit) limit = builder_.U32(plan.limit);
    std::vector<Value> args = {low};
    if (!plan.is_lds) args.push_back(Register(plan.scalar_high, 2 * n + 1));
    args.push_back(mask);
    if (plan.is_lds) args.push_back(limit);
    if (plan.is_store) {
      for (int d = 0; d < plan.access.Dwords(); ++d) args.push_back(Register(false, 8 + d));
    }
    const Op op = plan.is_lds ? (plan.is_store ? Op::kStoreLds : Op::kLoadLds)
                              : (plan.is_store ? Op::kStore : Op::kLoad);
    const Value v = builder_.EmitList(op, plan.is_store ? Type::kVoid : Type::kV32, args.data(),
                                      static_cast<int>(args.size()), plan.imm, plan.access.Pack());
    if (plan.is_store) return;
    std::vector<Value> parts;
    for (int d = 0; d < plan.access.Dwords(); ++d) parts.push_back(builder_.Part(v, d));
    for (int d = 0; d < plan.access.Dwords(); ++d) {
      if (plan.partly_read && d % 2 == 0) continue;
      Value result = parts[d];
      if (plan.worked_on) {
        const Value data = Register(false, 8 + d);
        result = d % 2 == 0 ? builder_.Float(Op::kFFma, {}, 32, {data, parts[d], data})
                            : builder_.Emit(Op::kXor, Type::kV32, {parts[d], data});
      }
      results_.push_back(result);
    }
  }
  // An operation whose environment is not the block's.
  void ChangeEnvironment() {
    const Value v = Register(false, 8);
    results_.push_back(builder_.Float(Op::kFAdd, {3 << FloatEnv::kRoundShift}, 32, {v, v}));
  }
  const Function& Finish() {
    int64_t vgpr = 12;
    for (const Value v : results_) builder_.Emit(Op::kSetVgpr, Type::kVoid, {v}, vgpr++);
    builder_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ExitReason::kEnd));
    return function_;
  }

 private:
  ir::Block& Block() {
    function_.blocks.resize(1);
    function_.blocks[0].begin = 0x1000;
    return function_.blocks[0];
  }
  Value Register(bool scalar, int64_t number) {
    if (scalar) return builder_.Emit(Op::kGetSgpr, Type::kU32, {}, number);
    Value& v = vgprs_[number];
    if (!v) v = builder_.Emit(Op::kGetVgpr, Type::kV32, {}, number);
    return v;
  }

  Function function_;
  Builder builder_;
  std::vector<Value> results_;
  Value vgprs_[Machine::kVgprs];
  std::map<int, Value> masks_;
  std::map<uint32_t, Value> limits_;
};

Machine RandomAccessMachine(std::mt19937_64& random) {
  Machine machine;
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  FillRandom(random, machine.lds);
  return machine;
}

void SetMask(Machine& machine, int n, const AccessPlan& plan, uint64_t mask) {
  machine.sgpr[plan.MaskSgpr(n)] = static_cast<uint32_t>(mask);
  machine.sgpr[plan.MaskSgpr(n) + 1] = static_cast<uint32_t>(mask >> 32);
}

// Addresses and mask of access n.
void SetPlannedAddresses(Machine& machine, int n, const AccessPlan& plan,
                         const std::array<uint32_t, ir::kLanes>& offsets, uint64_t mask) {
  const uint64_t begin = plan.is_lds ? 0 : GuestPages::kBegin;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const uint64_t address = begin + (plan.scalar_low ? offsets[0] : offsets[lane]) -
                             static_cast<uint64_t>(int64_t{plan.imm});
    machine.vgpr[2 * n][lane] = static_cast<uint32_t>(address);
    machine.vgpr[2 * n + 1][lane] = static_cast<uint32_t>(address >> 32);
    machine.sgpr[2 * n] = static_cast<uint32_t>(address);
    machine.sgpr[2 * n + 1] = static_cast<uint32_t>(address >> 32);
  }
  SetMask(machine, n, plan, mask);
}

AccessPlan RandomPlan(std::mt19937_64& random) {
  constexpr int32_t kImms[] = {0, 0, 1, 4, 16, 4092, -4, -4096, 3};
  AccessPlan plan;
  plan.access.bytes = kSizes[random() % std::size(kSizes)];
  plan.access.sign_extend = plan.access.bytes < 4 && random() % 2 == 0;
  plan.is_store = random() % 2 == 0;
  plan.is_lds = random() % 3 == 0;
  plan.scalar_low = random() % 8 == 0;
  plan.scalar_high = random() % 2 == 0;
  plan.partly_read = random() % 4 == 0;
  plan.masked_by_exec = random() % 2 == 0;
  plan.worked_on = random() % 2 == 0;
  plan.imm = kImms[random() % std::size(kImms)];
  if (random() % 3 == 0) plan.limit = static_cast<uint32_t>(random() % 1100);
  return plan;
}

TEST(Accesses, DoWhatTheEvaluatorDoes) {
  uint64_t faults = 0;
  uint64_t runs = 0;
  for (uint64_t seed = 1; seed <= Functions(); ++seed) {
    std::mt19937_64 random(seed);
    const int count = 1 + static_cast<int>(random() % 3);
    AccessFunction accesses;
    std::vector<AccessPlan> plans;
    for (int n = 0; n < count; ++n) {
      if (random() % 4 == 0) accesses.ChangeEnvironment();
      plans.push_back(RandomPlan(random));
      accesses.Add(n, plans.back());
    }
    const Function& function = accesses.Finish();
    ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
    std::vector<std::unique_ptr<CompiledBlock>> blocks;
    for (const HostIsa isa : HostIsas()) {
      blocks.push_back(std::make_unique<CompiledBlock>(function, isa));
    }
    for (int run = 0; run < 12; ++run) {
      Machine machine = RandomAccessMachine(random);
      for (int n = 0; n < count; ++n) {
        const AccessPlan& plan = plans[n];
        const auto size =
            static_cast<uint32_t>(plan.is_lds ? machine.lds.size() : GuestPages::kSize);
        Addresses addresses(random, plan.access.bytes, size);
        const uint64_t mask =
            random() % 4 == 0 ? random()
                              : kAccessMasks[random() % 2 * (random() % std::size(kAccessMasks))];
        Order order = addresses.Any();
        if (order == Order::kPastEnd && random() % 4 != 0) order = Order::kRun;
        SetPlannedAddresses(machine, n, plan, addresses.Make(order), mask);
      }
      const Outcome expected = RunEvaluator(function, machine);
      faults += expected.fault.has_value();
      ++runs;
      for (size_t n = 0; n < blocks.size(); ++n) {
        const std::string difference = Difference(blocks[n]->Run(machine), expected);
        ASSERT_EQ(difference, "") << "seed " << seed << ", run " << run << ", "
                                  << NameOf(HostIsas()[n]) << '\n'
                                  << ir::Print(function);
      }
    }
  }
  // Both kinds are tested.
  EXPECT_GT(faults, runs / 100);
  EXPECT_LT(faults, runs / 2);
}

// As they are found when code is compiled: aligned runs of lanes whose distances are known.
ir::VgprShape ShapeSeen(const Machine& machine, int vgpr, int run) {
  ir::VgprShape shape{vgpr, static_cast<uint8_t>(run), 0, {}};
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    shape.offsets[lane] = machine.vgpr[vgpr][lane] - machine.vgpr[vgpr][lane & -run];
  }
  return shape;
}

// Moves each run of lanes by a number of its own, often to where memory begins or ends.
void MoveRuns(std::mt19937_64& random, Machine& machine, int vgpr, int run, uint32_t size) {
  for (int first = 0; first < ir::kLanes; first += run) {
    uint32_t by = 0;
    switch (random() % 5) {
      case 0: break;
      case 1: by = static_cast<uint32_t>(random() % 64) * 4; break;
      case 2: by = static_cast<uint32_t>(random() % size); break;
      case 3: by = size - static_cast<uint32_t>(random() % 1200); break;
      default: by = static_cast<uint32_t>(random()); break;
    }
    for (int lane = first; lane < first + run; ++lane) machine.vgpr[vgpr][lane] += by;
  }
}

// Code that knows how the lanes' addresses lie to each other, but not where.
TEST(Accesses, OfKnownShapeDoWhatTheEvaluatorDoes) {
  constexpr int kRuns[] = {64, 64, 32, 16, 8, 4};
  uint64_t faults = 0;
  uint64_t runs = 0;
  for (uint64_t seed = 1; seed <= Functions(); ++seed) {
    std::mt19937_64 random(seed);
    AccessFunction accesses;
    std::vector<AccessPlan> plans;
    const int count = 1 + static_cast<int>(random() % 3);
    for (int n = 0; n < count; ++n) {
      if (random() % 4 == 0) accesses.ChangeEnvironment();
      plans.push_back(RandomPlan(random));
      plans.back().is_lds = random() % 3 != 0;
      // Loads that have their address in common.
      const int address = random() % 2 == 0 ? 0 : n;
      if (address == 0 && n != 0 && plans[0].is_lds && !plans[0].is_store) {
        plans.back() = plans[0];
        plans.back().access.bytes = kSizes[random() % std::size(kSizes)];
        plans.back().imm += static_cast<int32_t>(random() % 64);
        accesses.Add(0, plans.back());
      } else {
        accesses.Add(n, plans.back());
      }
    }
    const Function& function = accesses.Finish();
    Machine machine = RandomAccessMachine(random);
    std::vector<ir::VgprShape> known;
    std::vector<int> run_of(count);
    const auto size_of = [&](const AccessPlan& plan) {
      return static_cast<uint32_t>(plan.is_lds ? machine.lds.size() : GuestPages::kSize);
    };
    for (int n = 0; n < count; ++n) {
      Addresses addresses(random, plans[n].access.bytes, size_of(plans[n]));
      SetPlannedAddresses(machine, n, plans[n], addresses.Make(addresses.Any()), ~uint64_t{0});
      run_of[n] = kRuns[random() % std::size(kRuns)];
      known.push_back(ShapeSeen(machine, 2 * n, run_of[n]));
      if (random() % 2 == 0) known.push_back(ShapeSeen(machine, 2 * n + 1, run_of[n]));
    }
    std::vector<std::unique_ptr<CompiledBlock>> blocks;
    for (const HostIsa isa : HostIsas()) {
      blocks.push_back(
          std::make_unique<CompiledBlock>(function, isa, FloatEnv{}, /*listing=*/false, known));
    }
    for (int run = 0; run < 12; ++run) {
      Machine moved = machine;
      for (int n = 0; n < count; ++n) {
        MoveRuns(random, moved, 2 * n, run_of[n], size_of(plans[n]));
        const uint64_t mask =
            random() % 4 == 0 ? random() : kAccessMasks[random() % std::size(kAccessMasks)];
        SetMask(moved, n, plans[n], mask);
      }
      const Outcome expected = RunEvaluator(function, moved);
      faults += expected.fault.has_value();
      ++runs;
      for (size_t n = 0; n < blocks.size(); ++n) {
        const std::string difference = Difference(blocks[n]->Run(moved), expected);
        ASSERT_EQ(difference, "") << "seed " << seed << ", run " << run << ", "
                                  << NameOf(HostIsas()[n]) << '\n'
                                  << ir::Print(function);
      }
    }
  }
  EXPECT_GT(faults, runs / 100);
  EXPECT_LT(faults, runs / 2);
}

// Low dwords that are known to lie side by side, or with gaps, say nothing of the high ones.
TEST(Accesses, OfKnownLowDwordsLookAtTheHighOnes) {
  for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}, uint8_t{8}}) {
    for (const uint32_t step : {1u, 2u, 3u, 4u, 8u}) {
      for (const bool is_store : {false, true}) {
        std::mt19937_64 random(step);
        AccessPlan plan;
        plan.access.bytes = bytes;
        plan.is_store = is_store;
        AccessFunction accesses;
        accesses.Add(0, plan);
        const Function& function = accesses.Finish();
        Machine machine = RandomAccessMachine(random);
        std::array<uint32_t, ir::kLanes> offsets;
        for (uint32_t lane = 0; lane < ir::kLanes; ++lane) offsets[lane] = lane * step;
        SetPlannedAddresses(machine, 0, plan, offsets, ~uint64_t{0});
        Machine other = machine;
        other.vgpr[1][20] ^= 1;
        for (const HostIsa isa : HostIsas()) {
          CompiledBlock block(function, isa, FloatEnv{}, /*listing=*/false,
                              {ShapeSeen(machine, 0, ir::kLanes)});
          for (const Machine* m : {&machine, &other, &machine}) {
            EXPECT_EQ(Difference(block.Run(*m), RunEvaluator(function, *m)), "")
                << NameOf(isa) << ", " << int{bytes} << " bytes, " << step << " apart";
          }
        }
      }
    }
  }
}

// What is simple is done without the runtime once the window is known.
TEST(Accesses, NeedNoCallWithinTheWindow) {
  for (const HostIsa isa : HostIsas()) {
    for (const uint8_t bytes : kSizes) {
      for (const bool is_store : {false, true}) {
        for (const uint64_t mask : kAccessMasks) {
          std::mt19937_64 random(bytes);
          AccessPlan plan;
          plan.access.bytes = bytes;
          plan.is_store = is_store;
          AccessFunction accesses;
          accesses.Add(0, plan);
          const Function& function = accesses.Finish();
          CompiledBlock block(function, isa);
          Machine machine = RandomAccessMachine(random);
          Addresses addresses(random, bytes, GuestPages::kSize);
          SetPlannedAddresses(machine, 0, plan, addresses.Make(Order::kRun), ~uint64_t{0});
          block.Run(machine);
          EXPECT_GT(block.helper_calls(), 0u);
          for (const Order order : {Order::kRun, Order::kShuffled}) {
            const uint64_t before = block.helper_calls();
            SetPlannedAddresses(machine, 0, plan, addresses.Make(order), mask);
            EXPECT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "");
            EXPECT_EQ(block.helper_calls(), before) << NameOf(isa) << " bytes " << int{bytes};
          }
        }
      }
    }
  }
}

// Slices run one after another, but the fault that counts is that of the first instruction, then
// of its first lane.
TEST(Accesses, TheFirstFaultInProgramOrderCounts) {
  for (const HostIsa isa : HostIsas()) {
    for (const int first_lane : {0, 5, 17, 40, 63}) {
      for (const int second_lane : {0, 20, 62}) {
        AccessPlan plan;
        AccessFunction accesses;
        accesses.ChangeEnvironment();
        accesses.Add(0, plan);
        accesses.Add(1, plan);
        const Function& function = accesses.Finish();
        CompiledBlock block(function, isa);
        std::mt19937_64 random(1);
        Machine machine = RandomAccessMachine(random);
        Addresses addresses(random, 4, GuestPages::kSize);
        for (const bool with_faults : {false, true}) {
          for (int n = 0; n < 2; ++n) {
            auto offsets = addresses.Make(Order::kRun);
            if (with_faults) offsets[n == 0 ? first_lane : second_lane] = 0xFFFFFF00;
            SetPlannedAddresses(machine, n, plan, offsets, ~uint64_t{0});
          }
          const Outcome outcome = block.Run(machine);
          EXPECT_EQ(Difference(outcome, RunEvaluator(function, machine)), "") << NameOf(isa);
          EXPECT_EQ(outcome.reason, with_faults ? ExitReason::kFault : ExitReason::kEnd);
        }
      }
    }
  }
}

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

}  // namespace
}  // namespace gcnjit::backend
