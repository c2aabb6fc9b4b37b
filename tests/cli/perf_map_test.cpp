// gcnjit run --perf-map: the file that tells perf the names of compiled code.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

struct MapEntry {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  std::string name;
};

// What the process told perf; the file is deleted.
std::vector<MapEntry> TakePerfMap(pid_t process) {
  const fs::path path = fmt::format("/tmp/perf-{}.map", process);
  std::ifstream file(path);
  std::vector<MapEntry> entries;
  MapEntry entry;
  while (file >> std::hex >> entry.begin >> entry.bytes >> std::ws &&
         std::getline(file, entry.name)) {
    entries.push_back(entry);
  }
  EXPECT_TRUE(entries.empty() || file.eof());
  fs::remove(path);
  return entries;
}

TEST_F(CliTest, NamesBlocksForPerf) {
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> options = {"--global", "64", "--compile-first", "--timeout", "0.2"};
    options.insert(options.end(), more.begin(), more.end());
    return RunKernel("gfx900", "endless", {"buf:4"}, options);
  };
  EXPECT_TRUE(TakePerfMap(run({}).process).empty());
  EXPECT_TRUE(TakePerfMap(run({"--perf-map", "--engine", "interp"}).process).empty());
  std::vector<MapEntry> map = TakePerfMap(run({"--perf-map"}).process);
  const auto has = [&](const std::string& name) {
    return std::any_of(map.begin(), map.end(), [&](const auto& e) { return e.name == name; });
  };
  EXPECT_TRUE(has("gcnjit:enter"));
  EXPECT_TRUE(has("gcnjit:endless+0x0"));
  // The loop is a block of its own; its load has a slow path.
  const auto loop = std::find_if(map.begin(), map.end(), [](const MapEntry& e) {
    return e.name.starts_with("gcnjit:endless+0x") && !e.name.ends_with("+0x0") &&
           e.name.find('(') == std::string::npos;
  });
  ASSERT_NE(loop, map.end());
  EXPECT_TRUE(has(loop->name + " (out of line)"));
  std::sort(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (size_t n = 0; n < map.size(); ++n) {
    EXPECT_GT(map[n].bytes, 0u) << map[n].name;
    const uint64_t end_before = n == 0 ? 0 : map[n - 1].begin + map[n - 1].bytes;
    EXPECT_GE(map[n].begin, end_before) << map[n].name;
  }
}

}  // namespace
}  // namespace gcnjit::cli_test
