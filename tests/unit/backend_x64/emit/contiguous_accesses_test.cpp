// Accesses of the indexed form in one block that have index and base in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

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

struct Access {
  int index = 0;  // VGPR: 0 or 1
  int base = 0;   // SGPR pair: 0 or 2
  int32_t imm = 0;
  uint8_t bytes = 4;
  bool is_store = false;
  bool is_masked = false;  // by s[4:5]
  // The index is instead s8, the lane and this, added up and then shifted by so much.
  std::optional<uint32_t> first = {};
  uint32_t shift = 0;

  bool operator==(const Access&) const = default;
};

// Loads go to v8 and on; stores have v4 to v7.
Function FunctionOfAccesses(const std::vector<Access>& accesses) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  for (size_t n = 0; n < accesses.size(); ++n) function.blocks[0].guest_pcs.push_back(n);
  Builder b(function, function.blocks[0]);
  Value vgprs[8];
  for (int n = 0; n < 8; ++n) vgprs[n] = b.Emit(Op::kGetVgpr, Type::kV32, {}, n);
  const Value bases[2] = {b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0),
                          b.Emit(Op::kGetSgpr64, Type::kU64, {}, 2)};
  const Value mask = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 4);
  const Value first = b.Emit(Op::kGetSgpr, Type::kU32, {}, 8);
  std::map<std::pair<uint32_t, uint32_t>, Value> sums;  // by `first` and `shift`
  std::vector<std::pair<int, Value>> loaded;
  int result = 8;
  for (size_t n = 0; n < accesses.size(); ++n) {
    const Access& access = accesses[n];
    b.SetGuest(static_cast<uint16_t>(n));
    ir::MemoryAccess form;
    form.bytes = access.bytes;
    form.indexed = true;
    form.index_signed = true;
    form.index_shift = static_cast<uint8_t>(2 - access.shift);
    Value index = vgprs[access.index];
    if (access.first) {
      Value& sum = sums[{*access.first, 0}];
      if (!sum) sum = b.Add(first, b.Add(b.LaneId(), b.U32(*access.first)));
      Value& shifted = sums[{*access.first, access.shift}];
      if (!shifted) shifted = b.Shl(sum, access.shift);
      index = shifted;
    }
    std::vector<Value> args = {index, bases[access.base / 2],
                               access.is_masked ? mask : b.U64(~uint64_t{0})};
    if (access.is_store) {
      for (int d = 0; d < form.Dwords(); ++d) args.push_back(vgprs[4 + d]);
      b.EmitList(Op::kStore, Type::kVoid, args.data(), static_cast<int>(args.size()), access.imm,
                 form.Pack());
      continue;
    }
    const Value v = b.EmitList(Op::kLoad, Type::kV32, args.data(), 3, access.imm, form.Pack());
    for (int d = 0; d < form.Dwords(); ++d) loaded.emplace_back(result++, b.Part(v, d));
  }
  for (const auto& [vgpr, v] : loaded) b.Emit(Op::kSetVgpr, Type::kVoid, {v}, vgpr);
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  return function;
}

constexpr uint64_t kMiddleOfPages = GuestPages::kBegin + 0x2000;

// Lane by lane: index = first + lane * step.
Machine MachineOf(uint64_t base, uint32_t first, uint32_t step, uint64_t mask) {
  Machine machine;
  std::mt19937 random(first + step);
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[0][lane] = first + lane * step;
    machine.vgpr[1][lane] = 5 + lane;
  }
  SetPair(machine, 0, base - (static_cast<uint64_t>(int64_t{static_cast<int32_t>(first)}) << 2));
  SetPair(machine, 2, kMiddleOfPages + 0x400);
  SetPair(machine, 4, mask);
  machine.sgpr[8] = first;
  SetPair(machine, ir::kExec, ~uint64_t{0});
  return machine;
}

// The second run goes the fast ways. `calls`: of the runtime then, if that is known.
void CheckFunction(const Function& function, const std::vector<Machine>& machines, int calls = -1) {
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
    for (const Machine& machine : machines) {
      const Outcome expected = RunEvaluator(function, machine);
      for (int run = 0; run < 2; ++run) {
        const uint64_t before = block.helper_calls();
        ASSERT_EQ(Difference(block.Run(machine), expected), "")
            << NameOf(isa) << ", run " << run << '\n'
            << ir::Print(function);
        if (run == 1 && calls >= 0) {
          EXPECT_EQ(block.helper_calls() - before, static_cast<uint64_t>(calls)) << NameOf(isa);
        }
      }
    }
  }
}

void Check(const std::vector<Access>& accesses, const std::vector<Machine>& machines,
           int calls = -1) {
  CheckFunction(FunctionOfAccesses(accesses), machines, calls);
}

const std::vector<Access> kUpdate = {{.imm = 0}, {.imm = 0, .is_store = true}};
const std::vector<Access> kNeighbours = {
    {.imm = -4}, {.imm = 4}, {.imm = 0}, {.base = 2, .imm = 8}, {.imm = 0, .is_store = true}};

TEST(ContiguousAccesses, RunsAndOthers) {
  for (const auto& accesses : {kUpdate, kNeighbours}) {
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0})}, 0);
    // The runtime finds each window once: a first access whose lanes are no run leaves nothing that
    // the others could take for an address.
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}),
                     MachineOf(kMiddleOfPages, 7, 2, ~uint64_t{0}),
                     MachineOf(kMiddleOfPages, 3, 0, ~uint64_t{0}),
                     MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0})});
  }
}

// So many values that a slice is a part of the wave: where one slice's lanes are a run, and the
// next one's are not.
TEST(ContiguousAccesses, OfOneSliceOnly) {
  std::vector<Access> accesses;
  for (int32_t n = 0; n < 14; ++n) accesses.push_back({.imm = 4 * n});
  for (const uint32_t slice : {16u, 32u}) {
    Machine machine = MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0});
    Check(accesses, {machine}, 0);
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      if (lane / slice % 2 == 1) machine.vgpr[0][lane] += lane * 3;
    }
    Check(accesses, {machine});
  }
}

TEST(ContiguousAccesses, UnderMasks) {
  const std::vector<Access> accesses = {
      {.imm = 0, .is_masked = true}, {.imm = 16}, {.imm = 0, .is_store = true, .is_masked = true}};
  for (const uint64_t mask : {uint64_t{0}, uint64_t{1} << 63, uint64_t{0xFFFF00FF0F055001}}) {
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, mask)}, 0);
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 3, mask), MachineOf(kMiddleOfPages, 7, 1, mask)});
  }
}

// One of the accesses is beyond the end, or beyond the window, and the others are not.
TEST(ContiguousAccesses, AtTheEndsOfMemory) {
  const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
  // The first one need not be the lowest, or the highest.
  const std::vector<Access> inner = {{.imm = 0},
                                     {.imm = 8},
                                     {.imm = -8},
                                     {.imm = 4, .is_store = true},
                                     {.imm = -4, .is_store = true}};
  for (const auto& accesses : {kUpdate, kNeighbours, inner}) {
    for (int32_t dwords = -3; dwords <= 66; ++dwords) {
      const auto distance = static_cast<uint64_t>(int64_t{dwords} * 4);
      for (const uint64_t at : {GuestPages::kBegin + distance, end - distance}) {
        const Machine there = MachineOf(at, 7, 1, ~uint64_t{0});
        Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}), there});
        Check(accesses, {there});
      }
    }
  }
}

TEST(ContiguousAccesses, OffsetsThatAreFarApart) {
  for (const int32_t first : {-8191, -4096, 0, 4095, 8191}) {
    for (const int32_t second : {-8191, -4096, 0, 4095, 8191}) {
      Check({{.imm = first}, {.imm = second}, {.imm = 0}},
            {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}),
             MachineOf(kMiddleOfPages, 7, 2, ~uint64_t{0}), MachineOf(0x1000, 7, 1, ~uint64_t{0}),
             MachineOf(0, 7, 1, ~uint64_t{0})});
    }
  }
}

// Elements of other sizes, other indices and other bases are other runs.
TEST(ContiguousAccesses, NotOfOtherForms) {
  Check({{.bytes = 8}, {.bytes = 4}, {.bytes = 16}, {.bytes = 8, .is_store = true}},
        {MachineOf(kMiddleOfPages, 6, 2, ~uint64_t{0}),
         MachineOf(kMiddleOfPages, 6, 1, ~uint64_t{0})});
  Check({{.index = 0}, {.index = 1}, {.base = 2}, {.index = 1, .base = 2}},
        {MachineOf(kMiddleOfPages, 6, 1, ~uint64_t{0}),
         MachineOf(kMiddleOfPages, 6, 2, ~uint64_t{0})});
}

// What the waves of a group do, in one block: `first` of each.
std::vector<Access> GroupOf(const std::vector<uint32_t>& firsts, uint32_t shift = 0,
                            uint8_t bytes = 4) {
  std::vector<Access> accesses;
  for (const uint32_t first : firsts) {
    accesses.push_back({.imm = 0, .bytes = bytes, .first = first, .shift = shift});
    accesses.push_back(
        {.imm = 16, .bytes = bytes, .is_store = true, .first = first, .shift = shift});
  }
  return accesses;
}
const std::vector<uint32_t> kWaves = {0, 64, 128, 192};

// How often code that is not out of line looks at a window, and adds up lanes.
std::pair<int, int> ChecksAndSums(const std::vector<Access>& accesses, HostIsa isa) {
  const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true, {},
                            /*has_full_exec=*/true);
  const std::string text = block.listing().substr(0, block.listing().find("\nout of line"));
  const auto count = [&text](const std::string& what) {
    int found = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++found;
    return found;
  };
  return {count("sub rcx, qword ptr [rdx"), count("vpaddd")};
}

TEST(ContiguousAccesses, WavesHaveOneLookAtTheirWindows) {
  for (const uint32_t shift : {0u, 1u, 2u}) {
    const std::vector<Access> accesses = GroupOf(kWaves, shift);
    if (HostHas(HostIsa::kAvx512)) {
      EXPECT_EQ(ChecksAndSums(accesses, HostIsa::kAvx512), (std::pair{2, 0}))
          << "the first load's and the first store's";
    }
    // Also where they are no run any more, because an index is beyond its range.
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0})}, shift == 0 ? 0 : -1);
    for (const uint32_t first : {0x7FFFFF00u, 0x7FFFFF40u, 0xFFFFFF40u, 0x3FFFFF80u, 0x1FFFFFC0u}) {
      Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}),
                       MachineOf(kMiddleOfPages, first, 1, ~uint64_t{0})});
    }
  }
}

TEST(ContiguousAccesses, WavesAtTheEndsOfMemory) {
  const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
  for (const uint32_t shift : {0u, 2u}) {
    const std::vector<Access> accesses = GroupOf(kWaves, shift);
    const Machine inside = MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0});
    for (const int32_t dwords : {-5,  -4,  -1,  0,   1,   63,  64,  65,  66,  127, 128,
                                 130, 191, 192, 195, 255, 256, 257, 259, 260, 261}) {
      const auto distance = static_cast<uint64_t>(int64_t{dwords} * 4);
      for (const uint64_t at : {GuestPages::kBegin + distance, end - distance}) {
        const Machine there = MachineOf(at, 7, 1, ~uint64_t{0});
        Check(accesses, {inside, there});
        Check(accesses, {there, inside});
      }
    }
  }
}

// Where a slice is not the wave, the look is before all slices.
TEST(ContiguousAccesses, SlicesHaveOneLookForTheWave) {
  const auto looks_in_slices = [](const std::vector<Access>& accesses) {
    const std::string text =
        CompiledBlock(FunctionOfAccesses(accesses), HostIsa::kAvx2, {}, /*listing=*/true, {},
                      /*has_full_exec=*/true)
            .listing();
    int looks = 0;
    for (size_t at = 0; (at = text.find("align 32", at)) != std::string::npos;) {
      const size_t end = text.find("next slice", at);
      for (; (at = text.find("sub rcx, qword ptr [rdx", at)) < end; ++at) ++looks;
      at = end;
    }
    return looks;
  };
  for (const uint32_t shift : {0u, 2u}) {
    const std::vector<Access> apart = {
        {.imm = 4, .first = 3, .shift = shift},
        {.base = 2, .imm = 0, .is_store = true, .is_masked = true, .first = 3, .shift = shift}};
    EXPECT_EQ(looks_in_slices(apart), 0);
    for (const uint64_t mask : {~uint64_t{0}, uint64_t{0}, uint64_t{0xFFFF00FF0F055001}}) {
      Check(apart, {MachineOf(kMiddleOfPages, 6, 1, mask), MachineOf(0x1000, 6, 1, mask),
                    MachineOf(kMiddleOfPages, 6, 1, mask)});
    }
  }
  EXPECT_EQ(looks_in_slices({{.imm = 0}, {.index = 1, .base = 2, .is_store = true}}), 2)
      << "of VGPRs nothing is known";
}

// It is for other loads, too, as far as these may be from it.
TEST(ContiguousAccesses, SlicesHaveOneLookForNeighbours) {
  const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
  for (const uint32_t shift : {0u, 2u}) {
    const std::vector<Access> loads = {{.imm = 0, .first = 3, .shift = shift},
                                       {.imm = -8, .first = 3, .shift = shift},
                                       {.imm = 12, .first = 67, .shift = shift}};
    for (const int32_t dwords : {-5, -2, 0, 1, 2, 5, 63, 64, 67, 70, 127, 128, 130, 133, 136}) {
      const auto distance = static_cast<uint64_t>(int64_t{dwords} * 4);
      for (const uint64_t at : {GuestPages::kBegin + distance, end - distance}) {
        Check(loads,
              {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}), MachineOf(at, 7, 1, ~uint64_t{0})});
      }
    }
    // The last lanes of one, or of its neighbour, are beyond the index's range.
    const std::vector<Access> alone = {loads[0]};
    for (const uint32_t before : {3u, 4u, 10u, 19u, 20u, 35u, 36u, 51u, 52u, 66u, 67u, 99u, 130u}) {
      const uint32_t first = (0x80000000u >> shift) - before;
      for (const auto& accesses : {alone, loads}) {
        Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0}),
                         MachineOf(kMiddleOfPages, first, 1, ~uint64_t{0})});
      }
    }
  }
}

// The number that it begins with is wanted as long, though the index is there already.
TEST(ContiguousAccesses, SlicesOfALaterStage) {
  std::string text =
      "block 0x1000 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s0\n%2 = get_sgpr.u32 s8\n"
      "%3 = add.u32 %2, 5\n%4 = lane_id.v32\n%5 = add.v32 %4, %3\n"
      "%6 = load.v32 %5, %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}\n"
      "%7 = readlane.u32 %6, 40\n";
  // Other scalars, in whatever place is free.
  for (int n = 0; n < 20; ++n) {
    const std::string scalar = "%" + std::to_string(20 + n);
    text += scalar + " = mul.u32 %7, " + std::to_string(2 * n + 3) + "\n%" +
            std::to_string(50 + n) + " = xor.v32 %" + (n == 0 ? "6" : std::to_string(49 + n)) +
            ", " + scalar + "\n";
  }
  // After another stage, in which these have been used.
  text +=
      "%80 = readlane.u32 %69, 1\n%81 = add.v32 %69, %80\n"
      "store %5, %1, 0xffffffffffffffff:u64, %81 {bytes=4, index=sext<<2, offset=8}\n"
      "exit end, 0x4\n";
  const ir::ParseResult parsed = ir::Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  Machine machine = MachineOf(kMiddleOfPages, 7, 1, ~uint64_t{0});
  // All of those could be indices.
  const uint32_t small = 2;
  std::memcpy(&machine.memory[kMiddleOfPages - GuestPages::kBegin + (5 + 40) * 4], &small,
              sizeof small);
  CheckFunction(parsed.function, {machine});
}

// Those that come first need not be the lowest, and they may be far apart, or of other forms.
TEST(ContiguousAccesses, WavesInAnyOrder) {
  const std::vector<Machine> machines = {MachineOf(kMiddleOfPages, 300, 1, ~uint64_t{0}),
                                         MachineOf(GuestPages::kBegin, 7, 1, ~uint64_t{0}),
                                         MachineOf(kMiddleOfPages, 300, 1, ~uint64_t{0})};
  const std::vector<std::vector<uint32_t>> orders = {
      {64, 0, 192, 128}, {0, 2048, 64}, {0, 0, 1, 65}, {0, 0xFFFFFFC0, 64}, {5}};
  for (const auto& order : orders) {
    for (const uint8_t bytes : {uint8_t{4}, uint8_t{8}, uint8_t{2}}) {
      Check(GroupOf(order, 0, bytes), machines);
    }
    std::vector<Access> accesses = GroupOf(order);
    accesses.push_back({.imm = 4});
    accesses.push_back({.imm = 0, .first = 64, .shift = 1});
    accesses.push_back({.imm = 8, .is_store = true, .is_masked = true, .first = 64});
    Check(accesses, machines);
  }
}

// An index of which another operation reads a lane, too.
TEST(ContiguousAccesses, IndicesThatAreWantedElsewhere) {
  if (!HostHas(HostIsa::kAvx512)) return;
  const std::vector<Access> waves = GroupOf({0, 64});
  EXPECT_EQ(ChecksAndSums(waves, HostIsa::kAvx512).second, 0);
  // By a shift, or for elements that are no run: then one of the two sums is there.
  for (const Access& other :
       {Access{.imm = 0, .first = 64, .shift = 1}, Access{.imm = 0, .bytes = 8, .first = 64}}) {
    std::vector<Access> accesses = waves;
    accesses.push_back(other);
    EXPECT_EQ(ChecksAndSums(accesses, HostIsa::kAvx512).second, 4);
    Check(accesses, {MachineOf(kMiddleOfPages, 6, 1, ~uint64_t{0})});
  }
}

// How many parts of loads are made of registers, on AVX-512; none with other instructions.
void ExpectShifted(const std::vector<Access>& accesses, int parts) {
  for (const HostIsa isa : HostIsas()) {
    const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true);
    const std::string& text = block.listing();
    int found = 0;
    for (size_t at = 0; (at = text.find("valignd", at)) != text.npos; ++at) ++found;
    EXPECT_EQ(found, isa == HostIsa::kAvx512 ? parts : 0) << text;
  }
  for (const uint64_t mask : {~uint64_t{0}, uint64_t{0}, uint64_t{0xFFFF00FF0F055001}}) {
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, mask)});
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 2, mask), MachineOf(kMiddleOfPages, 7, 1, mask),
                     MachineOf(0x1000, 7, 1, mask), MachineOf(kMiddleOfPages, 7, 0, mask)});
  }
}

// A run of each slice, but not of the wave: s8 + (lane & mask), as rows of a small grid have it.
TEST(ContiguousAccesses, IndicesOfRows) {
  for (const uint32_t row : {8u, 16u, 32u, 64u}) {
    SCOPED_TRACE(row);
    Function function;
    function.blocks.resize(1);
    function.blocks[0].begin = 0x1000;
    function.blocks[0].guest_pcs.push_back(0);
    Builder b(function, function.blocks[0]);
    b.SetGuest(0);
    const Value first = b.Emit(Op::kGetSgpr, Type::kU32, {}, 8);
    const Value base = b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0);
    const Value index = b.Add(first, b.And(b.LaneId(), b.U32(row - 1)));
    ir::MemoryAccess form;
    form.bytes = 4;
    form.indexed = true;
    form.index_signed = true;
    form.index_shift = 2;
    const Value args[] = {index, base, b.U64(~uint64_t{0})};
    const Value v = b.EmitList(Op::kLoad, Type::kV32, args, 3, 0, form.Pack());
    b.Emit(Op::kSetVgpr, Type::kVoid, {v}, 9);
    b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
    CheckFunction(function, {MachineOf(kMiddleOfPages, 100, 1, ~uint64_t{0})});
  }
}

TEST(ContiguousAccesses, NeighboursComeFromRegisters) {
  for (int32_t dwords = -17; dwords <= 17; ++dwords) {
    const int parts = dwords != 0 && std::abs(dwords) < 16 ? 3 : 0;
    for (const bool is_masked : {false, true}) {
      ExpectShifted({{.imm = 8}, {.imm = 8 + 4 * dwords, .is_masked = is_masked}}, parts);
    }
  }
  // One after the store, which may be to where both loads are from.
  ExpectShifted({{.imm = 0}, {.imm = 4}, {.imm = 4, .is_store = true}}, 3);
}

TEST(ContiguousAccesses, NeighboursThatDoNot) {
  ExpectShifted({{.imm = 0, .is_masked = true}, {.imm = 4}}, 0);
  ExpectShifted({{.imm = 0}, {.imm = 4, .is_store = true}, {.imm = 8}}, 0);
  ExpectShifted({{.imm = 0}, {.imm = 4, .is_store = true, .is_masked = true}, {.imm = 8}}, 0);
  ExpectShifted({{.imm = 0, .is_store = true}, {.imm = 4}, {.imm = 8}}, 0);
  ExpectShifted({{.imm = 0}, {.imm = 2}, {.imm = 5}}, 0);
  ExpectShifted({{.imm = 0, .bytes = 2}, {.imm = 4, .bytes = 2}}, 0);
  ExpectShifted({{.base = 0, .imm = 0}, {.base = 2, .imm = 4}}, 0);
}

// How many parts of stores may go past the caches, by listing; what they store is the same wherever
// cache lines begin.
void ExpectPastCaches(const std::vector<Access>& accesses, bool does) {
  const Function function = FunctionOfAccesses(accesses);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/true);
    EXPECT_EQ(block.listing().find("vmovntdq") != std::string::npos, does) << block.listing();
    for (const bool exceeds_caches : {false, true}) {
      if (exceeds_caches) block.ExceedCaches();
      for (const uint32_t distance : {0u, 4u, 16u, 32u, 60u, 64u, 0u}) {
        for (const uint32_t step : {1u, 2u}) {
          const Machine machine = MachineOf(kMiddleOfPages + distance, 7, step, 0xFFFF00FF0F055001);
          const Outcome expected = RunEvaluator(function, machine);
          ASSERT_EQ(Difference(block.Run(machine), expected), "")
              << NameOf(isa) << ", " << distance << '\n'
              << ir::Print(function);
        }
      }
    }
  }
}

// What a wave stores after a barrier may tell others of what another one has stored before.
TEST(ContiguousAccesses, StoresOfWavesThatWaitDoNotGoPastTheCaches) {
  const Function function = FunctionOfAccesses({{.imm = 0, .is_store = true}});
  for (const HostIsa isa : HostIsas()) {
    for (const bool has_barriers : {false, true}) {
      CompileOptions options;
      options.isa = isa;
      options.layout = Machine::Layout();
      options.notes.listing = true;
      options.group.has_barriers = has_barriers;
      std::string error;
      const auto region = Compile(function, options, &error);
      ASSERT_NE(region, nullptr) << error;
      EXPECT_EQ(region->notes.listing.find("vmovntdq") == std::string::npos, has_barriers);
    }
  }
}

TEST(ContiguousAccesses, LastStoresGoPastTheCaches) {
  const Access store = {.imm = 0, .is_store = true};
  ExpectPastCaches({store}, true);
  ExpectPastCaches({{.base = 2}, store}, true);
  ExpectPastCaches({{.base = 2, .is_store = true}, {.index = 1}, store}, true);
  // The block loads there, stores after it, or not from all lanes.
  ExpectPastCaches({{.imm = 8}, store}, false);
  ExpectPastCaches({store, {.base = 2, .is_store = true, .is_masked = true}}, false);
  ExpectPastCaches({{.imm = 0, .is_store = true, .is_masked = true}}, false);
  ExpectPastCaches({{.imm = 0, .bytes = 8, .is_store = true}}, false);
  ExpectPastCaches({{.imm = 0, .bytes = 2, .is_store = true}}, false);
}

// An index that wraps around is no run for any of them.
TEST(ContiguousAccesses, IndicesThatWrapAround) {
  for (const uint32_t before : {1u, 16u, 33u, 63u, 64u}) {
    Check(kNeighbours, {MachineOf(kMiddleOfPages, 0x80000000 - before, 1, ~uint64_t{0})});
  }
}

// The registers of the addresses that are asked for in one slice, in order, by the number of their
// first appearance; "0101" for two streams by turns.
std::string AskedByTurns(const std::vector<Access>& accesses, HostIsa isa, const Tuning& tuning) {
  CompileOptions options;
  options.tuning = &tuning;
  const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true, {},
                            /*has_full_exec=*/true, options);
  const std::string inline_code = block.listing().substr(0, block.listing().find("\nout of line"));
  std::vector<std::string> registers;
  std::string order;
  for (size_t at = 0; (at = inline_code.find("prefetch", at)) != std::string::npos; ++at) {
    const size_t begin = inline_code.find('[', at) + 1;
    const std::string name =
        inline_code.substr(begin, inline_code.find_first_of("+]", begin) - begin);
    const auto found = std::find(registers.begin(), registers.end(), name);
    order += std::to_string(found - registers.begin());
    if (found == registers.end()) registers.push_back(name);
  }
  return order;
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) all += text;
  return all;
}

TEST(ContiguousAccesses, StreamsAreAskedForByTurns) {
  const std::vector<Access> two = {
      {.imm = 0}, {.base = 2}, {.imm = 0, .is_store = true}, {.base = 2, .is_store = true}};
  const std::vector<Access> one = {{.imm = 0}, {.imm = 0, .is_store = true}};
  // The second stream has one access only.
  const std::vector<Access> single = {{.imm = 0}, {.base = 2}, {.imm = 0, .is_store = true}};
  for (const HostIsa isa : HostIsas()) {
    const int lines = isa == HostIsa::kAvx512 ? 4 : 2;  // of a slice
    for (const Tuning& tuning : Tunings()) {
      SCOPED_TRACE(tuning.name);
      for (const auto& accesses : {two, single}) {
        EXPECT_EQ(AskedByTurns(accesses, isa, tuning),
                  Repeated(tuning.is_second_level ? "00" : "01", lines));
      }
      EXPECT_EQ(AskedByTurns(one, isa, tuning), Repeated("0", lines)) << "a single stream";
    }
  }
  for (const auto& accesses : {two, one, single}) {
    for (const uint32_t step : {1u, 2u}) {
      Check(accesses, {MachineOf(kMiddleOfPages, 7, step, ~uint64_t{0})});
    }
  }
}

// How far ahead of a load the first request is, and on which side of it.
void ExpectRequestsOf(const Tuning& tuning, HostIsa isa, const std::vector<Access>& accesses,
                      bool is_few, bool is_single) {
  CompileOptions options;
  options.tuning = &tuning;
  const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true, {},
                            /*has_full_exec=*/true, options);
  const bool is_after = is_few && tuning.bytes_ahead_of_few != 0;
  const std::string& listing = block.listing();
  const size_t request = listing.find("prefetch");
  ASSERT_NE(request, std::string::npos);
  const size_t offset = listing.find("+0x", request);
  const bool is_wave = listing.find("1 slice of 64") < request;
  EXPECT_EQ(std::stoi(listing.substr(offset + 1), nullptr, 16),
            (is_after ? tuning.bytes_ahead_of_few : tuning.bytes_ahead) *
                (is_wave ? 1 : tuning.times_for_parts));
  const bool has_turn = !tuning.is_second_level && !is_single;
  EXPECT_EQ(listing.find("for later waves") < request, is_after || has_turn) << listing;
}

TEST(ContiguousAccesses, FewStreamsAreAskedForAfterTheirLoads) {
  const std::vector<Access> one = {{.imm = 0}};
  const std::vector<Access> two = {{.imm = 0}, {.base = 2}, {.base = 2, .is_store = true}};
  const std::vector<Access> three = {{.imm = 0}, {.base = 2}, {.index = 1, .is_store = true}};
  for (const HostIsa isa : HostIsas()) {
    for (const Tuning& tuning : Tunings()) {
      SCOPED_TRACE(tuning.name);
      ExpectRequestsOf(tuning, isa, one, /*is_few=*/true, /*is_single=*/true);
      ExpectRequestsOf(tuning, isa, two, /*is_few=*/true, /*is_single=*/false);
      ExpectRequestsOf(tuning, isa, three, /*is_few=*/false, /*is_single=*/false);
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
