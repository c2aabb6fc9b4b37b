// Blocks of several loads and stores of the indexed form, run on lanes that are a run, or not.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend::contiguous_tests {

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
inline Function FunctionOfAccesses(const std::vector<Access>& accesses) {
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

inline constexpr uint64_t kMiddleOfPages = GuestPages::kBegin + 0x2000;

// Lane by lane: index = first + lane * step.
inline Machine MachineOf(uint64_t base, uint32_t first, uint32_t step, uint64_t mask) {
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
inline void CheckFunction(const Function& function, const std::vector<Machine>& machines,
                          int calls = -1) {
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

inline void Check(const std::vector<Access>& accesses, const std::vector<Machine>& machines,
                  int calls = -1) {
  CheckFunction(FunctionOfAccesses(accesses), machines, calls);
}

// What the waves of a group do, in one block: `first` of each.
inline std::vector<Access> GroupOf(const std::vector<uint32_t>& firsts, uint32_t shift = 0,
                                   uint8_t bytes = 4) {
  std::vector<Access> accesses;
  for (const uint32_t first : firsts) {
    accesses.push_back({.imm = 0, .bytes = bytes, .first = first, .shift = shift});
    accesses.push_back(
        {.imm = 16, .bytes = bytes, .is_store = true, .first = first, .shift = shift});
  }
  return accesses;
}

}  // namespace gcnjit::backend::contiguous_tests
