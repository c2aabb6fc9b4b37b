#include "runtime/jit/translate_region.h"

#include <optional>

#include "backend_x64/host/perf_map.h"
#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"
#include "frontend/flow/merge_blocks.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/jit/start_shapes.h"

namespace gcnjit::runtime {
namespace {

// A region is at most this long; longer code is entered again where it ends.
constexpr size_t kMaxInstructions = 20'000;

frontend::LiveAtEnd LiveAtEndFor(const JitOptions& options) {
  frontend::LiveAtEnd at_end;
  if (options.exact_state) {
    at_end.live.vgprs.set();
    at_end.live.sgprs.set();
    at_end.live.scc = true;
    at_end.wide.set();
  }
  return at_end;
}

}  // namespace

TranslatedRegion TranslateRegion(const CodeMap& code, const JitOptions& options, const JitKey& key,
                                 uint64_t pc, uint64_t kernel, std::string* error) {
  TranslatedRegion region;
  const frontend::LiveAtEnd at_end = LiveAtEndFor(options);
  const CodeMap::CodeRange range = code.RangeAt(pc);
  const uint64_t code_base = range.begin;
  const frontend::LiftTarget target = {code.processor(), key.mode, key.vgpr_count, code_base};
  // What the cache keeps of the region depends on this code alone: a jump out of it ends the
  // region.
  const auto words_at = [&code, &range](uint64_t at) {
    const bool is_here = at - range.begin < range.end - range.begin;
    return is_here ? code.WordsAt(at) : std::span<const uint32_t>();
  };
  const frontend::ControlFlowGraph as_written =
      frontend::BuildCfg(code.processor(), words_at, pc, kMaxInstructions);
  const frontend::Liveness live_as_written(as_written, code.generation(), at_end);
  const std::optional<frontend::ControlFlowGraph> merged = frontend::MergeBlocks(
      as_written, live_as_written, code.generation(), frontend::CanLiftFor(target));
  std::optional<frontend::Liveness> live_merged;
  if (merged) live_merged.emplace(*merged, code.generation(), at_end);
  const frontend::ControlFlowGraph& graph = merged ? *merged : as_written;
  const frontend::Liveness& liveness = merged ? *live_merged : live_as_written;
  // Any of the code may come to be interpreted.
  region.live = live_as_written.AtBegin(as_written.entry).live;
  region.live |= liveness.AtBegin(graph.entry).live;
  region.source = as_written.source;
  ir::Function function = frontend::LiftRegion(graph, liveness, target, &region.lifted);
  if (function.blocks.empty()) return region;
  for (const ir::Block& block : function.blocks) region.blocks.push_back(block.begin);
  std::optional<workgroup::GroupCode> group;
  // What a wave's registers hold at its end is nobody's business there.
  if (pc == kernel && key.shape.waves != 0 && !options.exact_state) {
    group = workgroup::AppendGroupCode(function, GroupStartOf(key.shape, kernel));
  }
  if (group && group->is_one_block) {
    // Nothing else can be entered: other waves have code for groups of any shape.
    region.blocks = {pc};
  }
  Optimise(key.shape, group, function);
  backend::CompileOptions compile = CompileOptionsFor(options.isa, key.mode);
  compile.code_base = code_base;
  compile.ranges = backend::PerfMap::Instance() != nullptr;
  region.shapes = std::make_unique<ir::RegionShapes>(
      ir::FindLaneShapes(function, ShapeAssumptionsFor(key.shape, pc, kernel, graph, region.lifted,
                                                       function, code.generation())));
  compile.shapes = region.shapes.get();
  compile.group_lds_bytes = key.shape.LdsBytes();
  compile.group_has_barriers = group && group->has_barriers;
  if (key.shape.row_sgpr != GroupShape::kNoSgpr) compile.row_sgpr = key.shape.row_sgpr;
  compile.fixed = FixedMemoryOf(key.shape);
  compile.spans = HostCodeMap::Instance().is_enabled();
  backend::Lower(function, options.isa);
  region.code = backend::Compile(function, compile, error);
  if (region.code != nullptr && group) {
    region.code->group_wants_zeroed_lds = group->wants_zeroed_lds;
    region.code->group_is_one_block = group->is_one_block;
  }
  region.shapes->KeepBegins(region.blocks.size());  // that can be entered
  return region;
}

}  // namespace gcnjit::runtime
