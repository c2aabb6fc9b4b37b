// What `gcnjit diff` says of a difference.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "confined/loaded_lines.h"
#include "differential/kernel_diff.h"

namespace gcnjit::cli {

// Where it was found: the kernel's name and its first address, for offsets, and its source.
struct CodeName {
  std::string name;
  uint64_t begin = 0;
  confined::LoadedLines* lines = nullptr;  // null: unknown
};

// The block with the instructions that show it, the values before and after, the JIT's intermediate
// and host code of them.
std::string DescribeDivergence(const differential::Place& place, const CodeName& code,
                               const differential::Engine& tested,
                               const differential::Divergence& divergence);
nlohmann::json DivergenceToJson(const differential::Place& place, const CodeName& code,
                                const differential::Divergence& divergence);

}  // namespace gcnjit::cli
