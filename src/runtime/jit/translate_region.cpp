#include "runtime/jit/translate_region.h"

#include <utility>
#include <vector>

#include "backend_x64/host/perf_map.h"
#include "frontend/lift/lift_code.h"
#include "runtime/jit/compile_region.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/jit/start_shapes.h"

namespace gcnjit::runtime {
namespace {

// A region is at most this long; longer code is entered again where it ends.
constexpr size_t kMaxInstructions = 20'000;

frontend::LiveAtEnd LiveAtEndFor(const JitOptions& options) {
  frontend::LiveAtEnd at_end;
  if (options.exact_state) {
    at_end.live = frontend::RegisterSet::All();
    at_end.wide.set();
  }
  return at_end;
}

}  // namespace

TranslatedRegion TranslateRegion(const CodeMap& code, const JitOptions& options, const JitKey& key,
                                 uint64_t pc, uint64_t kernel, std::string* error,
                                 const std::atomic<bool>* stop) {
  const auto go_on = [stop] {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw TranslationStopped();
  };
  go_on();
  TranslatedRegion region;
  const CodeMap::CodeRange range = code.RangeAt(pc);
  const frontend::Barriers barriers =
      key.shape.waves == 1 ? frontend::Barriers::kPass : frontend::Barriers::kWait;
  const frontend::LiftTarget target = {code.processor(), key.mode, key.vgprs, range.begin,
                                       barriers};
  // What the cache keeps of the region depends on this code alone: a jump out of it ends the
  // region.
  const auto words_at = [&code, &range](uint64_t at) {
    const bool is_here = at - range.begin < range.end - range.begin;
    return is_here ? code.WordsAt(at) : std::span<const uint32_t>();
  };
  const std::vector<frontend::ReadableMemory> readable =
      pc == kernel ? ReadableMemoryOf(key.shape) : std::vector<frontend::ReadableMemory>();
  frontend::LiftedCode lifted =
      frontend::LiftCode(target, words_at, pc, LiveAtEndFor(options), kMaxInstructions, readable);
  region.live = lifted.live;
  region.source = std::move(lifted.source);
  region.lifted = lifted.statistics;
  if (lifted.function.blocks.empty()) return region;
  for (const ir::Block& block : lifted.function.blocks) region.blocks.push_back(block.begin);
  backend::CompileOptions compile = CompileOptionsFor(options.isa, key.mode);
  compile.code_base = range.begin;
  compile.before_block = go_on;
  compile.notes.ranges = backend::PerfMap::Instance() != nullptr;
  compile.notes.spans = HostCodeMap::Instance().is_enabled();
  RegionCode made = CompileRegion(lifted, {key.shape, pc, kernel, options.exact_state}, compile);
  // Where one block is all of a group, only its begin can be entered: other waves run code that is
  // compiled for groups of any shape.
  if (made.group && made.group->is_one_block) region.blocks = {pc};
  *error = made.error;
  region.code = std::move(made.code);
  region.shapes = std::move(made.shapes);
  region.shapes->KeepBegins(region.blocks.size());  // that can be entered
  return region;
}

}  // namespace gcnjit::runtime
