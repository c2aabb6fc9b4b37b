// Blocks of which something is taken for granted after guards: where these hold, they must be what
// they were.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/evaluator.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::backend {

struct GuardedRegisters {
  std::array<uint32_t, 128> sgprs = {};
  std::array<std::array<uint32_t, ir::kLanes>, 2> vgprs = {};
  bool operator==(const GuardedRegisters&) const = default;
};

// After a block that has begun with an id's first lane in s8 and a bound in s9.
inline GuardedRegisters Execute(const ir::Function& function, uint32_t first, uint32_t bound) {
  GuardedRegisters registers;
  registers.sgprs[8] = first;
  registers.sgprs[9] = bound;
  uint32_t vgprs[2][ir::kLanes] = {};
  ir::EvaluatorState state;
  state.sgpr = registers.sgprs.data();
  state.vgpr = vgprs;
  // Wherever a block stores: it is what it writes to registers that counts.
  state.memory = [](uint64_t, void*, uint32_t, bool) { return true; };
  ir::Evaluate(function, function.blocks[0], state);
  for (size_t n = 0; n < std::size(vgprs); ++n) {
    std::copy(std::begin(vgprs[n]), std::end(vgprs[n]), registers.vgprs[n].begin());
  }
  return registers;
}

// For each guard the block up to there, with its condition in s22.
inline std::vector<ir::Function> Guards(const ir::Function& function) {
  std::vector<ir::Function> guards;
  for (size_t n = 0; n < function.blocks[0].insts.size(); ++n) {
    if (function[function.blocks[0].insts[n]].op != ir::Op::kGuard) continue;
    ir::Function until = function;
    ir::Block& block = until.blocks[0];
    const ir::Value guard = block.insts[n];
    block.insts.resize(n);
    ir::Builder builder(until, block);
    builder.Emit(ir::Op::kSetSgpr, ir::Type::kVoid, {builder.Zext(until[guard].args[0])}, 22);
    block.insts.push_back(function.blocks[0].insts.back());
    guards.push_back(std::move(until));
  }
  return guards;
}

// Where its guards hold, the block must be what it was: near all numbers where sums wrap around or
// change their sign. How often they hold; 0: nothing is taken for granted.
inline int CountHolding(bool (*assume)(ir::Function&), const std::string& text) {
  ir::ParseResult parsed = ir::Parse(text);
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  if (parsed.error) return 0;
  const ir::Function before = parsed.function;
  if (!assume(parsed.function)) return 0;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  const std::vector<ir::Function> guards = Guards(parsed.function);
  int holding = 0;
  for (const uint32_t edge : {0u, 64u, 1u << 31, 0u - 64, 1u << 20, 1u << 28}) {
    for (uint32_t n = 0; n < 136; ++n) {
      for (const uint32_t bound : {edge, edge + 3, 0u, UINT32_MAX, 1u << 30, edge * 4 + 300}) {
        const uint32_t id = edge - 66 + n;
        const bool hold = std::ranges::all_of(guards, [&](const ir::Function& guard) {
          return Execute(guard, id, bound).sgprs[22] == 1;
        });
        if (!hold) continue;
        ++holding;
        EXPECT_EQ(Execute(parsed.function, id, bound), Execute(before, id, bound))
            << id << ", " << bound << '\n'
            << ir::Print(parsed.function);
        if (testing::Test::HasFailure()) return 0;
      }
    }
  }
  return holding;
}

}  // namespace gcnjit::backend
