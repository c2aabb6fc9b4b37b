#include "frontend/flow/block_order.h"

#include <algorithm>
#include <utility>

namespace gcnjit::frontend {

std::vector<uint32_t> BlockOrder(const ControlFlowGraph& graph) {
  std::vector<uint32_t> order;
  std::vector<uint8_t> is_found(graph.blocks.size(), 0);
  const auto add_from = [&](uint32_t root) {
    if (is_found[root] != 0) return;
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    is_found[root] = 1;
    std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};  // with the next successor
    while (!path.empty()) {
      auto& [block, next] = path.back();
      const std::vector<uint32_t>& successors = graph.blocks[block].successors;
      if (next == successors.size()) {
        order.push_back(block);
        path.pop_back();
      } else if (const uint32_t to = successors[next++]; is_found[to] == 0) {
        is_found[to] = 1;
        path.emplace_back(to, 0);
      }
    }
    std::reverse(order.begin() + begin, order.end());
  };
  add_from(graph.entry);
  for (uint32_t n = 0; n < graph.blocks.size(); ++n) add_from(n);
  return order;
}

// Blocks that lead to each other are found against the direction of control, from the first of them
// on.
std::vector<uint8_t> FindLoopBlocks(const ControlFlowGraph& graph,
                                    const std::vector<std::vector<uint32_t>>& predecessors) {
  std::vector<uint8_t> is_found(graph.blocks.size(), 0);
  std::vector<uint8_t> is_in_loop(graph.blocks.size(), 0);
  for (const uint32_t first : BlockOrder(graph)) {
    if (is_found[first] != 0) continue;
    std::vector<uint32_t> members = {first};
    is_found[first] = 1;
    for (size_t n = 0; n < members.size(); ++n) {
      for (const uint32_t from : predecessors[members[n]]) {
        if (is_found[from] != 0) continue;
        is_found[from] = 1;
        members.push_back(from);
      }
    }
    const std::vector<uint32_t>& next = graph.blocks[first].successors;
    const bool is_loop =
        members.size() > 1 || std::find(next.begin(), next.end(), first) != next.end();
    for (const uint32_t member : members) is_in_loop[member] = is_loop;
  }
  return is_in_loop;
}

}  // namespace gcnjit::frontend
