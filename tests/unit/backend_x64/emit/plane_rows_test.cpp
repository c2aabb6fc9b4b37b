// Accesses to rows of one plane in code for a work-group, whose windows are looked at once
// (emit/plane_rows.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend_x64/host/features.h"
#include "ir/builder.h"
#include "ir/parser.h"
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

struct RowAccess {
  int row = 0;
  int element = 0;
  uint8_t bytes = 4;
  int32_t imm = 0;
  bool is_store = false;
  bool is_masked = false;     // by s[4:5]
  bool is_elsewhere = false;  // in the plane at s[2:3]
  int other_shift = 0;        // so much less
  bool is_unsigned = false;   // as the plane's are otherwise
};

// The first row's index is s8, from one row to the next it is s9 ^ s10; the plane is at s[0:1].
struct Plane {
  int row_lanes = 16;
  uint8_t shift = 2;
  bool is_signed = true;
  bool is_crowded = false;  // so many values besides that a slice is less than the wave
  std::vector<RowAccess> accesses;
};

constexpr int kOthers = 16;

// As the code of all waves of a group. Loads go to v8 and on; stores have v0 to v3.
Function FunctionOfPlane(const Plane& plane) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = ir::WithWave(0x1000, 0);
  for (size_t n = 0; n < plane.accesses.size(); ++n) {
    function.blocks[0].guest_pcs.push_back(n);
  }
  Builder b(function, function.blocks[0]);
  const Value base = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0);
  const Value elsewhere = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 2);
  const Value mask = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 4);
  const Value first = b.Emit(Op::kGetSgpr, Type::kU32, {}, 8);
  const Value step =
      b.Xor(b.Emit(Op::kGetSgpr, Type::kU32, {}, 9), b.Emit(Op::kGetSgpr, Type::kU32, {}, 10));
  Value vgprs[kOthers];
  for (int n = 0; n < kOthers; ++n) vgprs[n] = b.Emit(Op::kGetVgpr, Type::kV32, {}, n);
  std::vector<Value> crowd;
  for (int n = 0; plane.is_crowded && n < 2 * kOthers; ++n) {
    crowd.push_back(b.Add(vgprs[n % kOthers], vgprs[(n * 3 + n / kOthers) % kOthers]));
  }
  const auto index = [&](const RowAccess& access) {
    const Value row = b.Add(first, b.Mul(step, b.U32(static_cast<uint32_t>(access.row))));
    const auto element = static_cast<uint32_t>(access.element);
    const Value lane = b.LaneId();
    if (plane.row_lanes == ir::kLanes) return b.Add(row, b.Add(lane, b.U32(element)));
    const auto lanes = static_cast<uint32_t>(plane.row_lanes);
    const Value rows = b.Mul(b.Lshr(lane, std::countr_zero(lanes)), step);
    return b.Add(b.Add(row, b.U32(element)), b.Add(rows, b.And(lane, b.U32(lanes - 1))));
  };
  std::vector<Value> loaded;
  for (size_t n = 0; n < plane.accesses.size(); ++n) {
    const RowAccess& access = plane.accesses[n];
    b.SetGuest(static_cast<uint16_t>(n));
    ir::MemoryAccess form;
    form.bytes = access.bytes;
    form.indexed = true;
    form.index_signed = plane.is_signed && !access.is_unsigned;
    form.index_shift = static_cast<uint8_t>(plane.shift - access.other_shift);
    std::vector<Value> args = {index(access), access.is_elsewhere ? elsewhere : base,
                               access.is_masked ? mask : b.U64(~uint64_t{0})};
    if (access.is_store) {
      for (int d = 0; d < form.Dwords(); ++d) args.push_back(vgprs[d]);
      b.EmitList(Op::kStore, Type::kVoid, args.data(), static_cast<int>(args.size()), access.imm,
                 form.Pack());
      continue;
    }
    const Value v = b.EmitList(Op::kLoad, Type::kV32, args.data(), 3, access.imm, form.Pack());
    for (int d = 0; d < form.Dwords(); ++d) loaded.push_back(b.Part(v, d));
  }
  for (size_t n = 0; n < loaded.size(); ++n) {
    b.Emit(Op::kSetVgpr, Type::kVoid, {loaded[n]}, static_cast<int64_t>(8 + n));
  }
  for (size_t n = 0; n < crowd.size() / 4; ++n) {
    const Value all = b.Xor(b.Xor(crowd[n], crowd[n + 8]), b.Xor(crowd[n + 16], crowd[n + 24]));
    b.Emit(Op::kSetVgpr, Type::kVoid, {all}, static_cast<int64_t>(n));
  }
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  return function;
}

// `at`: the address of index `first`.
Machine MachineOf(const Plane& plane, uint32_t first, uint32_t step, uint64_t at, uint64_t mask) {
  Machine machine;
  std::mt19937 random(first + step);
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  const uint64_t index =
      plane.is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(first)}) : first;
  SetPair(machine, 0, at - (index << plane.shift));
  SetPair(machine, 2, GuestPages::kBegin + 0x800 - (index << plane.shift));
  SetPair(machine, 4, mask);
  SetPair(machine, ir::kExec, ~uint64_t{0});
  machine.sgpr[8] = first;
  machine.sgpr[9] = step ^ 0x35;
  machine.sgpr[10] = 0x35;
  return machine;
}

class CheckedPlane {
 public:
  explicit CheckedPlane(const Plane& plane) : plane_(plane), function_(FunctionOfPlane(plane)) {
    EXPECT_EQ(ir::Verify(function_), std::vector<std::string>{}) << ir::Print(function_);
    for (const HostIsa isa : HostIsas()) {
      blocks_.push_back(std::make_unique<CompiledBlock>(
          function_, isa, ir::FloatEnv{}, /*listing=*/false, std::vector<ir::VgprShape>(),
          /*has_full_exec=*/true));
    }
  }

  // Twice: the second run knows windows. Did it stay in memory? If so, by itself.
  bool Check(uint32_t first, uint32_t step, uint64_t at, uint64_t mask = ~uint64_t{0}) {
    const Machine machine = MachineOf(plane_, first, step, at, mask);
    const Outcome expected = RunEvaluator(function_, machine);
    for (size_t n = 0; n < blocks_.size(); ++n) {
      for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(Difference(blocks_[n]->Run(machine), expected), "")
            << NameOf(HostIsas()[n]) << ", run " << run << ", first " << std::hex << first
            << ", step " << step << ", at " << at - GuestPages::kBegin << '\n'
            << ir::Print(function_);
      }
    }
    return !expected.fault;
  }
  // How often the runtime was asked.
  uint64_t Calls() const {
    uint64_t calls = 0;
    for (const auto& block : blocks_) calls += block->helper_calls();
    return calls;
  }
  const Function& function() const { return function_; }
  // To none: all stores are the runtime's.
  void NarrowStores() {
    for (const auto& block : blocks_) block->NarrowStores(0, 0);
  }

 private:
  const Plane plane_;
  const Function function_;
  std::vector<std::unique_ptr<CompiledBlock>> blocks_;
};

constexpr uint64_t kEnd = GuestPages::kBegin + GuestPages::kSize;
constexpr uint64_t kMiddleOfPlane = GuestPages::kBegin + GuestPages::kSize / 2;

Plane RandomPlane(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Plane plane;
  plane.row_lanes = 8 << below(4);
  plane.shift = static_cast<uint8_t>(below(4));
  plane.is_signed = below(4) != 0;
  plane.is_crowded = below(3) == 0;
  int registers = 0;
  for (uint32_t n = 2 + below(5); n != 0; --n) {
    RowAccess access;
    access.row = static_cast<int>(below(5)) - 1;
    access.element = below(2) == 0 ? 0 : static_cast<int>(below(9)) - 4;
    access.is_store = below(3) == 0;
    access.is_masked = below(4) == 0;
    access.imm = below(4) == 0 ? static_cast<int32_t>(below(64)) - 32 : 0;
    access.is_elsewhere = below(6) == 0;
    access.other_shift = plane.shift != 0 && below(8) == 0 ? 1 : 0;
    access.is_unsigned = below(8) == 0;
    access.bytes = static_cast<uint8_t>(1 << (plane.shift - access.other_shift));
    // What a lane loads and the next one loads, too.
    if (!access.is_store && access.other_shift == 0 && below(3) == 0) {
      access.bytes = static_cast<uint8_t>(plane.shift == 2 ? 8 + 4 * below(2) : 4);
      if (plane.shift == 3) access.bytes = 8;
    }
    if (!access.is_store) registers += std::max(1, access.bytes / 4);
    if (registers > 20) break;
    plane.accesses.push_back(access);
  }
  return plane;
}

// Planes in the middle of memory, at its ends, and beyond them; indices that wrap around between
// rows, within them, or only just do not.
TEST(PlaneRows, AreWhatTheirAccessesAre) {
  const uint64_t count = RandomBlocks(300);
  uint64_t within = 0, outside = 0;
  for (uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    const Plane plane = RandomPlane(random);
    CheckedPlane checked(plane);
    const uint32_t limit = plane.is_signed ? 0x80000000 : 0;
    const auto bytes = uint32_t{1} << plane.shift;
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    for (int run = 0; run < 40 && !::testing::Test::HasFailure(); ++run) {
      const uint32_t steps[] = {
          static_cast<uint32_t>(plane.row_lanes), 100, 0u - 70, 0, 1, below(300),
          static_cast<uint32_t>(random())};
      const uint32_t step = steps[below(std::size(steps))];
      const uint32_t places[] = {0,
                                 500,
                                 0u - 5,
                                 limit - below(300),
                                 limit + below(300),
                                 limit - below(4) * step - below(16)};
      const uint32_t first = places[below(std::size(places))];
      const uint64_t ats[] = {kMiddleOfPlane, GuestPages::kBegin + below(16) * bytes,
                              kEnd - below(128) * bytes,
                              GuestPages::kBegin - uint64_t{below(4)} * step * bytes,
                              kEnd - (uint64_t{below(4)} * step + below(80)) * bytes};
      const uint64_t at = ats[below(std::size(ats))] + (below(4) == 0 ? 1 : 0);
      const uint64_t mask = below(2) == 0 ? ~uint64_t{0} : uint64_t{random()} << 16;
      (checked.Check(first, step, at, mask) ? within : outside) += 1;
    }
  }
  EXPECT_GT(within, 5 * count);
  EXPECT_GT(outside, 5 * count);
}

// The runtime is asked once for the windows, and not again.
TEST(PlaneRows, AreLookedAtInLine) {
  for (const int lanes : {16, 32, 64}) {
    for (const int rows : {2, 4}) {
      for (const bool is_crowded : {false, true}) {
        Plane plane{lanes, 2, true, is_crowded, {}};
        for (int row = 0; row < rows; ++row) plane.accesses.push_back({row, 0});
        for (int row = 0; row < rows; ++row) plane.accesses.push_back({row, 0, 4, 0, true});
        // What may be loaded is not what may be stored to.
        for (const bool may_store : {true, false}) {
          CheckedPlane checked(plane);
          if (!may_store) checked.NarrowStores();
          for (int run = 0; run < 3; ++run) checked.Check(7, 100, GuestPages::kBegin + 64);
          const uint64_t calls = checked.Calls();
          for (int run = 0; run < 3; ++run) checked.Check(7, 100, GuestPages::kBegin + 64);
          EXPECT_EQ(checked.Calls() == calls, may_store) << lanes << '\n'
                                                         << ir::Print(checked.function());
        }
      }
    }
  }
}

// How far the second row is from the first one is known once that has been loaded.
TEST(PlaneRows, WaitForTheirStep) {
  ir::ParseResult parsed = ir::Parse(R"(block 0x100000000001000 instructions=2
guest 0 0x0
%1 = get_sgpr64.u64 s0
%2 = get_sgpr.u32 s8
%3 = lane_id.v32
%4 = add.v32 %2, %3
%5 = load.v32 %4, %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}
guest 1 0x1
%6 = readlane.u32 %5, 0
%7 = and.u32 %6, 127
%8 = add.u32 %2, %7
%9 = add.v32 %8, %3
%10 = load.v32 %9, %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}
set_vgpr v0, %5
set_vgpr v1, %10
exit end, 0x0
)");
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(parsed.function, isa, ir::FloatEnv{}, /*listing=*/false,
                        std::vector<ir::VgprShape>(), /*has_full_exec=*/true);
    for (uint32_t run = 0; run < 8; ++run) {
      const Machine machine = MachineOf(Plane{}, 7, run, kMiddleOfPlane, ~uint64_t{0});
      EXPECT_EQ(Difference(block.Run(machine), RunEvaluator(parsed.function, machine)), "")
          << NameOf(isa) << ", run " << run;
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
