#include "frontend/lift/lift_code.h"

#include <optional>
#include <utility>

namespace gcnjit::frontend {

LiftedCode LiftCode(const LiftTarget& target, const CodeBytes& code, uint64_t entry,
                    const LiveAtEnd& at_end, size_t most,
                    std::span<const ReadableMemory> readable) {
  const Generation generation = target.processor.generation;
  LiftedCode lifted;
  lifted.target = target;
  lifted.graph = BuildCfg(target.processor, code, entry, most, target.barriers);
  lifted.source = lifted.graph.source;
  std::optional<Liveness> liveness(std::in_place, lifted.graph, generation, at_end);
  lifted.live = liveness->AtBegin(lifted.graph.entry).live;
  if (auto merged =
          MergeBlocks(lifted.graph, *liveness, generation, CanLiftFor(target), readable)) {
    lifted.graph = *std::move(merged);
    liveness.emplace(lifted.graph, generation, at_end);
    lifted.live |= liveness->AtBegin(lifted.graph.entry).live;
  }
  lifted.function = LiftRegion(lifted.graph, *liveness, target, &lifted.statistics);
  return lifted;
}

}  // namespace gcnjit::frontend
