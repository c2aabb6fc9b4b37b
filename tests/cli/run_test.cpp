// gcnjit run: kernels of each target, their results and faults, as files, text and JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

class CliTargetTest : public CliTest, public testing::WithParamInterface<const char*> {};

TEST_P(CliTargetTest, WritesTheOutputBuffer) {
  const Outcome run = RunKernel(GetParam(), "scale",
                                {"out:1024:" + Path("out.bin").string(), "iota:u32:256", "u32:3"},
                                {"--global", "256", "--local", "64"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto values = ReadValues<uint32_t>("out.bin");
  ASSERT_EQ(values.size(), 256u);
  for (uint32_t n = 0; n < 256; ++n) EXPECT_EQ(values[n], 3 * n);
}

TEST_P(CliTargetTest, PassesLocalMemory) {
  const Outcome run =
      RunKernel(GetParam(), "sum_local", {"out:4:" + Path("out.bin").string(), "local:256"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadValues<uint32_t>("out.bin"), std::vector<uint32_t>{2016});
}

TEST_P(CliTargetTest, ChecksFindNothingInGoodKernels) {
  const Outcome run =
      RunKernel(GetParam(), "sum_local", {"buf:4", "local:256"}, {"--global", "64", "--check"});
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
  EXPECT_EQ(run.out, "0 findings\n");
}

TEST_P(CliTargetTest, ChecksFindTheByteAfterTheBuffer) {
  const std::vector<std::string> arguments = {"buf:1024", "buf:1020", "u32:3"};
  const Outcome run =
      RunKernel(GetParam(), "scale", arguments, {"--global", "256", "--check=memory,races"});
  EXPECT_EQ(run.exit_code, 6) << run.err;
  EXPECT_NE(run.out.find("out-of-bounds in kernel 'scale'"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("0 bytes past the end of the 1,020-byte allocation 'arg 1"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("1 finding\n"), std::string::npos) << run.out;
  // Another kind is not looked for.
  const Outcome other =
      RunKernel(GetParam(), "scale", arguments, {"--global", "256", "--check=waits"});
  EXPECT_EQ(other.exit_code, 0) << other.out;
}

TEST_P(CliTargetTest, ChecksAsJson) {
  const Outcome run = RunKernel(GetParam(), "scale", {"buf:1024", "buf:1020", "u32:3"},
                                {"--global", "256", "--check", "--json"});
  EXPECT_EQ(run.exit_code, 6) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["kind"], "out-of-bounds");
  EXPECT_EQ(json["findings"][0]["site"]["lane"], 63);
  EXPECT_EQ(json["findings"][0]["site"]["workgroup"][0], 3);
  EXPECT_EQ(json["findings"][0]["access_bytes"], 4);
  EXPECT_EQ(json["engine"], "interp");
}

TEST_P(CliTargetTest, ReportsAStrayPointer) {
  const Outcome run =
      RunKernel(GetParam(), "stray", {"out:256:" + Path("out.bin").string(), "u32:5"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_FALSE(fs::exists(Path("out.bin")));
  for (const char* words :
       {"memory write fault in kernel 'stray'", "lane 5", "work-item (5, 0, 0)", "kernel + 0x",
        "past the end of the 256-byte allocation", "store_dword"}) {
    EXPECT_NE(run.err.find(words), std::string::npos) << words << "\nstderr: " << run.err;
  }
}

TEST_P(CliTargetTest, StopsAnEndlessKernel) {
  const Outcome run =
      RunKernel(GetParam(), "endless", {"buf:4"}, {"--global", "64", "--timeout", "0.2"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_NE(run.err.find("stopped after 0.2 s"), std::string::npos) << run.err;
}

TEST_P(CliTargetTest, TheGridHasAsManyDimensionsAsNumbersWereGiven) {
  const std::string object = ObjectOf(GetParam());
  const std::string out = "out:256:" + Path("out.bin").string();
  const std::pair<std::vector<std::string>, uint32_t> rows[] = {
      {{"--global", "64"}, 1},
      {{"--global", "64", "--local", "64,1,1"}, 1},
      {{"--global", "64,1"}, 2},
      {{"--global", "64,1,1"}, 3},
      {{"--global", "32,2", "--local", "32,2"}, 2},
      // The second dimension is that of groups that reach beyond the grid.
      {{"--global", "64", "--local", "64,2"}, 2}};
  for (const auto& [grid, dimensions] : rows) {
    for (const char* engine : {"interp", "jit"}) {
      std::vector<std::string> more = grid;
      more.insert(more.end(), {"--engine", engine, "--compile-first"});
      const Outcome run = RunKernel(GetParam(), "dimensions", {out}, more);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(ReadValues<uint32_t>("out.bin")[0], dimensions) << fmt::format("{}", more[1]);
    }
  }
}

TEST_P(CliTargetTest, StopsAtTheInstructionLimit) {
  for (const char* engine : {"interp", "jit"}) {
    const Outcome run = RunKernel(GetParam(), "endless", {"buf:4"},
                                  {"--global", "64", "--max-instructions", "100000", "--engine",
                                   engine, "--compile-first", "--json"});
    EXPECT_EQ(run.exit_code, 5);
    for (const char* words : {"instruction limit in kernel 'endless'", "may execute 100000",
                              "--max-instructions", "kernel + 0x"}) {
      EXPECT_NE(run.err.find(words), std::string::npos) << words << "\nstderr: " << run.err;
    }
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["status"], "timeout");
    EXPECT_EQ(json["fault"]["kind"], "instruction limit");
  }
  const Outcome enough = RunKernel(GetParam(), "sum_local", {"buf:256", "local:256"},
                                   {"--global", "64", "--max-instructions", "100000"});
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
}

TEST_P(CliTargetTest, SaysWhichInstructionsAreExact) {
  const std::vector<std::string> arguments = {"buf:256", "iota:u32:64", "u32:3"};
  const Outcome text = RunKernel(GetParam(), "scale", arguments, {"--global", "64", "--fidelity"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* words : {"executed", "s_endpgm", "exact (", "hint (", "complete in order"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
  const Outcome run =
      RunKernel(GetParam(), "scale", arguments, {"--global", "64", "--fidelity", "--json"});
  const auto json = nlohmann::json::parse(run.out);
  uint64_t all = 0;
  for (const auto& entry : json["instructions"]) all += entry["executed"].get<uint64_t>();
  EXPECT_EQ(json["wave_instructions"], all);
}

TEST_P(CliTargetTest, ReportsATrap) {
  const Outcome run = RunKernel(GetParam(), "trap", {"out:256:" + Path("out.bin").string()});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_NE(run.err.find("kernel 'trap'"), std::string::npos) << run.err;
  EXPECT_FALSE(fs::exists(Path("out.bin")));
}

INSTANTIATE_TEST_SUITE_P(Targets, CliTargetTest,
                         testing::Values("gfx600", "gfx700", "gfx803", "gfx900", "gfx906", "gfx908",
                                         "gfx90a", "gfx942"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(CliTest, TakesValuesOfEveryWidth) {
  const Outcome run = RunKernel(
      "gfx900", "add_double", {"out:512:" + Path("out.bin").string(), "f64:0.5", "u64:4294967296"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadValues<double>("out.bin"), std::vector<double>(64, 4294967296.5));
}

TEST_F(CliTest, ReadsAndReplacesAFile) {
  std::vector<uint32_t> values(64, 7);
  std::ofstream(Path("data.bin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), 256);
  const std::string data = Path("data.bin").string();
  const Outcome run =
      RunKernel("gfx900", "scale", {"inout:" + data + ":" + data, "in:" + data, "bytes:05000000"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadValues<uint32_t>("data.bin"), std::vector<uint32_t>(64, 35));
}

TEST_F(CliTest, PrintsStatisticsAsJson) {
  const Outcome run = RunKernel("gfx803", "exactly_64", {"buf:256"}, {"--global", "64", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.out;
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["waves"], 1);
  EXPECT_GT(json["wave_instructions"].get<int>(), 4);
}

TEST_F(CliTest, ReportsAFaultAsJson) {
  const Outcome run =
      RunKernel("gfx900", "stray", {"buf:256", "u32:63"}, {"--global", "64", "--json"});
  EXPECT_EQ(run.exit_code, 3);
  const auto json = nlohmann::json::parse(run.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.out;
  EXPECT_EQ(json["fault"]["lane"], 63);
  EXPECT_EQ(json["fault"]["access_bytes"], 4);
}

TEST_F(CliTest, ReportsAFaultInAFunctionBeforeTheKernel) {
  const std::string object = std::string(GCNJIT_CLI_OBJECTS) + "/callee.co";
  for (const char* engine : {"interp", "jit"}) {
    const std::vector<std::string> run = {"run",     object, "--global", "64",  "--arg",
                                          "buf:256", "-q",   "--engine", engine};
    const Outcome text = Gcnjit(run);
    EXPECT_EQ(text.exit_code, 3);
    EXPECT_NE(text.err.find("(kernel - 0x"), std::string::npos) << text.err;
    std::vector<std::string> as_json = run;
    as_json.push_back("--json");
    const auto json = nlohmann::json::parse(Gcnjit(as_json).out, nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_LT(json["fault"]["kernel_offset"].get<int64_t>(), 0);
    EXPECT_GT(json["fault"]["kernel_offset"].get<int64_t>(), -4096);
  }
  const Outcome checked = Gcnjit({"run", object, "--global", "64", "--arg", "buf:256", "--check"});
  EXPECT_NE(checked.out.find("(kernel - 0x"), std::string::npos) << checked.out << checked.err;
}

}  // namespace
}  // namespace gcnjit::cli_test
