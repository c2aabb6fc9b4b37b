// What GCNJIT_CHECK has found in all launches. The same thing is found again in each launch of a
// kernel: it is told once and counted from then on.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "confined/loaded_lines.h"
#include "gcnjit/launch.h"

namespace gcnjit::hsa {

// The caller sees to it that one thread at a time uses it.
class CheckLog {
 public:
  // Adds those of a launch; the text tells what is new in it, with source lines, and may be empty.
  std::string Add(const LaunchResult& result, confined::LoadedLines& lines);

  // "3 findings, 512 times in all, in 12 launches; 1 note".
  std::string Summary() const;
  nlohmann::json ToJson() const;
  // One of each, with its count.
  const std::vector<Finding>& findings() const { return findings_.findings; }

 private:
  // Findings are alike if kind, kernel and places in it are.
  using Key = std::tuple<FindingKind, std::string, int64_t, int64_t>;

  // The first of each, with its count.
  struct List {
    std::map<Key, size_t> known;
    std::vector<Finding> findings;
  };
  static std::string Add(const std::vector<Finding>& found, confined::LoadedLines& lines,
                         List& list);

  List findings_;
  List notes_;
  uint64_t launches_ = 0;
  uint64_t left_out_ = 0;  // of launches that had more than LaunchConfig::check_limit
};

}  // namespace gcnjit::hsa
