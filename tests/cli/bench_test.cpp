// gcnjit bench: what it counts is exact; what it measures is there.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

class BenchTest : public CliTest {
 protected:
  Outcome Bench(const std::string& kernel, const std::vector<std::string>& arguments,
                const std::vector<std::string>& more) const {
    std::vector<std::string> line = {"bench", ObjectOf("gfx900"), "--kernel", kernel};
    line.insert(line.end(), more.begin(), more.end());
    for (const std::string& argument : arguments) {
      line.push_back("--arg");
      line.push_back(argument);
    }
    return Gcnjit(line);
  }
};

const std::vector<std::string> kShort = {"--repetitions", "1", "--time", "0", "--json"};

std::vector<std::string> Short(std::vector<std::string> more) {
  more.insert(more.end(), kShort.begin(), kShort.end());
  return more;
}

TEST_F(BenchTest, CountsWhatTheKernelAsksFor) {
  const std::vector<std::string> arguments = {"buf:1024", "iota:u32:256", "u32:3"};
  const Outcome bench =
      Bench("scale", arguments, Short({"--global", "256", "--engines", "interp,avx2"}));
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  const auto json = nlohmann::json::parse(bench.out);
  EXPECT_EQ(json["work_items"], 256);
  const auto& counted = json["counted"];
  EXPECT_EQ(counted["workgroups"], 4);
  EXPECT_EQ(counted["of_workgroups"], 4);
  EXPECT_EQ(counted["bytes_written"], 1024);
  EXPECT_GT(counted["bytes_read"], 1024);  // scalar loads of arguments besides
  EXPECT_LT(counted["bytes_read"], 1024 + 4 * 64);
  EXPECT_EQ(counted["flops"], 0);
  EXPECT_EQ(counted["active_lanes"], 64 * counted["vector_instructions"].get<int>());

  const Outcome run = RunKernel("gfx900", "scale", arguments, {"--global", "256", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto executed = nlohmann::json::parse(run.out)["wave_instructions"];
  EXPECT_EQ(counted["wave_instructions"], executed);
  ASSERT_EQ(json["engines"].size(), 2u);
  for (const auto& engine : json["engines"]) {
    EXPECT_EQ(engine["wave_instructions"], executed) << engine["engine"];
    EXPECT_EQ(engine["runs"], 1);
    EXPECT_GT(engine["cpu_seconds"], 0.0);
    EXPECT_GT(engine["bytes_per_second"], 0.0);
    EXPECT_GT(engine["flops_peak"], 1e9);
  }
  EXPECT_EQ(json["engines"][0]["engine"], "interp");
  EXPECT_EQ(json["engines"][1]["engine"], "avx2");
  EXPECT_GT(json["engines"][1]["compile_seconds"], 0.0);
  EXPECT_GT(json["peaks"]["memory"], 1e8);
}

TEST_F(BenchTest, CountsFloatOperationsOfActiveLanes) {
  // For each work-item of one and a half waves the addition, and one that puts the halves of the
  // converted ulong together.
  const Outcome bench = Bench("add_double", {"buf:1024", "f64:0.5", "u64:2"},
                              Short({"--global", "96", "--local", "64", "--engines", "interp"}));
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  const auto json = nlohmann::json::parse(bench.out);
  EXPECT_EQ(json["counted"]["flops"], 2 * 96);
  EXPECT_EQ(json["counted"]["bytes_written"], 96 * 8);
}

TEST_F(BenchTest, SaysWhereTheTimeGoes) {
  const Outcome bench = Bench("scale", {"buf:4M", "iota:u32:1048576", "u32:3"},
                              {"--global", "1048576", "--engines", "avx2", "--time", "0.2",
                               "--repetitions", "1", "--hot", "--json"});
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  const auto hot = nlohmann::json::parse(bench.out)["engines"][0]["hot"];
  EXPECT_GT(hot["samples"], 50);
  EXPECT_GT(hot["compiled"], 0);
  EXPECT_EQ(hot["samples"].get<int>(),
            hot["compiled"].get<int>() + hot["called"].get<int>() + hot["outside"].get<int>());
  int in_places = 0;
  bool has_access = false;
  for (const auto& place : hot["places"]) {
    in_places += place["samples"].get<int>();
    const std::string text = place["text"];
    has_access |= place["kind"] == "instruction" && text.starts_with("global_") &&
                  place["place"].get<std::string>().starts_with("scale+0x");
  }
  EXPECT_EQ(in_places, hot["compiled"]);
  EXPECT_TRUE(has_access) << hot.dump(1);
}

TEST_F(BenchTest, PrintsATable) {
  const Outcome bench =
      Bench("scale", {"buf:1024", "iota:u32:256", "u32:3"},
            {"--global", "256", "--engines", "interp,avx2", "--repetitions", "2", "--time", "0"});
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  for (const char* words : {"kernel 'scale' (gfx900), 256 work-items in 4 work-groups",
                            "peaks of a core:", "\ninterp ", "\navx2 "}) {
    EXPECT_NE(bench.out.find(words), std::string::npos) << words << " in\n" << bench.out;
  }
}

TEST_F(BenchTest, ReportsAFault) {
  const Outcome bench = Bench("stray", {"buf:256", "u32:5"}, Short({"--global", "64"}));
  EXPECT_EQ(bench.exit_code, 3);
  EXPECT_NE(bench.err.find("memory write fault in kernel 'stray'"), std::string::npos) << bench.err;
}

TEST_F(BenchTest, RefusesMistakes) {
  const std::vector<std::string> arguments = {"buf:1024", "iota:u32:256", "u32:3"};
  ExpectMistake(Bench("scale", arguments, Short({"--global", "256", "--engines", "fast"})),
                "'fast' is none of interp, avx2, avx512");
  ExpectMistake(
      Bench("scale", arguments, Short({"--global", "256", "--engines", "interp", "--hot"})),
      "add avx2 or avx512 to --engines");
  ExpectMistake(Bench("scal", arguments, Short({"--global", "256"})), "scal");
}

}  // namespace
}  // namespace gcnjit::cli_test
