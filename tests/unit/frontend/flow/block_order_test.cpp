// Which blocks are in loops.
#include "frontend/flow/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gcnjit::frontend {
namespace {

using EdgesByBlock = std::vector<std::vector<uint32_t>>;

ControlFlowGraph GraphWith(const EdgesByBlock& successors) {
  ControlFlowGraph graph;
  for (const std::vector<uint32_t>& next : successors) {
    graph.blocks.emplace_back().successors = next;
  }
  return graph;
}

std::vector<uint8_t> LoopsOf(const EdgesByBlock& successors) {
  std::vector<std::vector<uint32_t>> predecessors(successors.size());
  for (uint32_t n = 0; n < successors.size(); ++n) {
    for (const uint32_t to : successors[n]) predecessors[to].push_back(n);
  }
  return FindLoopBlocks(GraphWith(successors), predecessors);
}

bool Reaches(const EdgesByBlock& successors, uint32_t from, uint32_t to) {
  std::vector<uint32_t> found = successors[from];
  for (size_t n = 0; n < found.size(); ++n) {
    for (const uint32_t next : successors[found[n]]) {
      if (std::find(found.begin(), found.end(), next) == found.end()) found.push_back(next);
    }
  }
  return std::find(found.begin(), found.end(), to) != found.end();
}

TEST(BlockOrder, LoopsAreFound) {
  EXPECT_EQ(LoopsOf({{1, 2}, {2}, {}}), (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(LoopsOf({{1}, {1, 2}, {}}), (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(LoopsOf({{1}, {2, 3}, {1}, {}}), (std::vector<uint8_t>{0, 1, 1, 0}));
}

// Of blocks that the entry leads to, those that lead back to themselves, and no others. Others lead
// into the code by ways that the graph does not have.
TEST(BlockOrder, OfRandomGraphs) {
  std::mt19937 engine(1);
  const auto random = [&engine] { return static_cast<uint32_t>(engine()); };
  for (int round = 0; round < 2000; ++round) {
    const auto count = static_cast<uint32_t>(2 + random() % 8);
    EdgesByBlock successors(count);
    for (uint32_t n = 0; n < count; ++n) {
      for (uint32_t edge = random() % 3; edge > 0; --edge) {
        const uint32_t to = random() % count;
        if (n != 0 || to != 0) successors[n].push_back(to);
      }
    }
    const bool all_reached = [&] {
      for (uint32_t n = 1; n < count; ++n) {
        if (!Reaches(successors, 0, n)) return false;
      }
      return true;
    }();
    const std::vector<uint8_t> loops = LoopsOf(successors);
    for (uint32_t n = 0; n < count; ++n) {
      if (Reaches(successors, n, n)) {
        EXPECT_TRUE(loops[n]) << n;
      } else if (all_reached) {
        EXPECT_FALSE(loops[n]) << n;
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::frontend
