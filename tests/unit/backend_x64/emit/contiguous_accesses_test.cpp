// Accesses of the indexed form in one block that have index and base in common.
#include "tests/unit/backend_x64/emit/contiguous_accesses.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ir/builder.h"

namespace gcnjit::backend::contiguous_tests {
namespace {

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

// An index that wraps around is no run for any of them.
TEST(ContiguousAccesses, IndicesThatWrapAround) {
  for (const uint32_t before : {1u, 16u, 33u, 63u, 64u}) {
    Check(kNeighbours, {MachineOf(kMiddleOfPages, 0x80000000 - before, 1, ~uint64_t{0})});
  }
}

}  // namespace
}  // namespace gcnjit::backend::contiguous_tests
