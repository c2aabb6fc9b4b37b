#include "cli/engine_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/names.h"

namespace gcnjit::cli {

using differential::Engine;

const char* const kEnginesHelp =
    "What to compare, separated by commas; the others must do as the first one does. interp: the "
    "interpreter; avx2, avx512: compiled code that keeps all registers for comparison; avx2-live, "
    "avx512-live: as kernels are compiled, which also have whole launches. Default: all that this "
    "host has";

Result<EngineList> ParseEngines(const std::string& text, bool exact_only) {
  std::vector<Engine> engines;
  if (text.empty()) {
    for (const std::string_view name : differential::EngineNames()) {
      auto engine = differential::EngineOf(name);
      if (!engine || (exact_only && !engine->exact_registers)) continue;
      engines.push_back(*std::move(engine));
    }
  }
  for (const std::string& name : SplitNames(text)) {
    auto engine = differential::EngineOf(name);
    if (!engine) {
      const bool known = std::ranges::count(differential::EngineNames(), name) != 0;
      return Error{known ? ErrorCode::kUnsupported : ErrorCode::kInvalidArgument,
                   fmt::format("--engines: {} '{}'; there are {}",
                               known ? "this host has no" : "there is no engine", name,
                               fmt::join(differential::EngineNames(), ", "))};
    }
    engines.push_back(*std::move(engine));
  }
  if (engines.size() < 2) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--engines '{}': at least two are needed for a comparison", text)};
  }
  EngineList list{std::move(engines.front()), {}};
  list.tested.assign(std::make_move_iterator(engines.begin() + 1),
                     std::make_move_iterator(engines.end()));
  return list;
}

Result<void> CheckLaunches(const EngineList& engines) {
  const auto launches = [](const Engine& engine) { return engine.prepare_launch != nullptr; };
  if (std::ranges::any_of(engines.tested, launches)) return {};
  return Error{ErrorCode::kInvalidArgument,
               "--engines: whole launches are compared in engines that end with -live"};
}

}  // namespace gcnjit::cli
