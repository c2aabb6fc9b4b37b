// gcnjit run --timeout: what counts to the time, and how far the launch had come.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

TEST_F(CliTest, SaysHowManyGroupsAreDone) {
  for (const char* engine : {"interp", "jit"}) {
    for (const char* bad : {"0", "3"}) {
      const Outcome run =
          RunKernel("gfx900", "endless_group", {"buf:4", fmt::format("u32:{}", bad)},
                    {"--global", "640", "--local", "64", "--timeout", "1", "--threads", "1",
                     "--engine", engine, "--compile-first", "--json"});
      EXPECT_EQ(run.exit_code, 5);
      // The others get on all the same.
      EXPECT_NE(run.err.find("(--timeout), 9 of its 10 work-groups done. All 1 work-groups that "
                             "were left spun without getting on"),
                std::string::npos)
          << run.err;
      const nlohmann::json json = nlohmann::json::parse(run.out);
      EXPECT_EQ(json["workgroups"], 9);
      EXPECT_EQ(json["unfinished"]["waiting"], 1);
    }
  }
}

TEST_F(CliTest, StopsLoadingAfterTheTimeout) {
  const Outcome run =
      RunKernel("gfx900", "endless", {"buf:4"}, {"--global", "64", "--timeout", "1e-9"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_NE(run.err.find("not loaded within 1e-09 s"), std::string::npos) << run.err;
}

TEST_F(CliTest, CountsFilesAndDataToTheTimeout) {
  const std::string pipe = Path("pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string output = Path("out.bin").string();
  for (const std::string& argument :
       {"in:" + pipe, std::string("rand:f32:300000000"), std::string("iota:f64:150000000")}) {
    const Outcome run =
        RunKernel("gfx900", "sum_local", {argument, "out:256:" + output, "local:256"},
                  {"--global", "64", "--timeout", "0.2"});
    EXPECT_EQ(run.exit_code, 5) << argument << run.err;
    EXPECT_NE(run.err.find("within 0.2 s (--timeout)"), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(output));
  }
}

TEST_F(CliTest, RefusesTimeoutsThatAreNoTime) {
  for (const char* time : {"nan", "-nan", "inf", "-inf", "infinity", "-1", "-0.001", "", " ", "1s",
                           "1 s", "0x10", "1e999", "one"}) {
    const Outcome run = RunKernel(
        "gfx900", "endless", {"buf:4"},
        {"--global", "64", std::string("--timeout=") + time, "--max-instructions", "100"});
    EXPECT_EQ(run.exit_code, 2) << time;
    EXPECT_NE(run.err.find("--timeout"), std::string::npos) << run.err;
  }
  for (const char* time : {"0", "1e2", "100.5", "1e300"}) {
    const Outcome run = RunKernel("gfx900", "sum_local", {"buf:256", "local:256"},
                                  {"--global", "64", "--timeout", time});
    EXPECT_EQ(run.exit_code, 0) << time << run.err;
  }
}

}  // namespace
}  // namespace gcnjit::cli_test
