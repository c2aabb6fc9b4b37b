// What --kernel and --arg take, and what kernels print.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

// ---- Arguments

// An option takes the argument after it, and no more.
TEST_F(CliTest, ArgumentsAroundTheFile) {
  const std::string out = "out:256:" + Path("out.bin").string();
  const std::string file = ObjectOf("gfx900");
  const std::vector<std::string> lines[] = {
      {"--arg", out, "--arg", "iota:u32:64", "--arg", "u32:3", file},
      {"--arg", out, "--arg", "iota:u32:64", file, "--arg", "u32:3"},
      {"--arg=" + out, file, "--arg=iota:u32:64", "--arg=u32:3"},
  };
  for (const std::vector<std::string>& arguments : lines) {
    fs::remove(Path("out.bin"));
    std::vector<std::string> line = {"run", "--kernel", "scale", "--global", "64"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    const Outcome run = Gcnjit(line);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto values = ReadValues<uint32_t>("out.bin");
    ASSERT_EQ(values.size(), 64u);
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(values[n], 3 * n);
  }
}

// ---- Names

class KernelNameTest : public CliTest {
 protected:
  static std::string Hip() { return fmt::format("{}/lines-hipcc.co", GCNJIT_CLI_OBJECTS); }

  Outcome Run(const std::string& kernel, const std::vector<std::string>& arguments) const {
    std::vector<std::string> line = {"run", Hip(), "--global", "64", "--kernel", kernel};
    for (const std::string& argument : arguments) line.insert(line.end(), {"--arg", argument});
    return Gcnjit(line);
  }
};

TEST_F(KernelNameTest, AsInTheSource) {
  for (const char* name : {"_Z4stepIfEvPT_i", "void step<float>(float*, int)",
                           "step<float>(float*,int)", "step<float>", "step"}) {
    const Outcome run = Run(name, {"buf:256", "i32:3"});
    EXPECT_EQ(run.exit_code, 0) << name << ": " << run.err;
  }
  EXPECT_EQ(Run("field::sweep<unsigned int>", {"buf:256"}).exit_code, 0);
}

TEST_F(KernelNameTest, ANameOfSeveralIsRefused) {
  ExpectMistake(Run("field::sweep", {"buf:256"}), "'field::sweep' is the name of 2 kernels");
  ExpectMistake(Run("field::sweep", {"buf:256"}), "void field::sweep<float>(float*)");
}

TEST_F(KernelNameTest, UnknownNamesSuggestTheNearest) {
  ExpectMistake(Run("mulitply", {"buf:256"}), "the nearest: multiply.");
  ExpectMistake(Run("step<flaot>", {"buf:256"}), "the nearest: void step<float>(float*, int)");
  ExpectMistake(Run("sweep", {"buf:256"}), "field::sweep<");
  ExpectMistake(Run("nothing like it at all", {"buf:256"}), "it has ");
}

TEST_F(KernelNameTest, TheSameRuleInEachCommand) {
  for (const char* command : {"run", "bench", "diff"}) {
    ExpectMistake(Gcnjit({command, Hip(), "--global", "64", "--kernel", "mulitply"}),
                  "the nearest: multiply.");
    ExpectMistake(Gcnjit({command, Hip(), "--global", "64"}), "choose one with --kernel");
  }
  ExpectMistake(Gcnjit({"disasm", Hip(), "--kernel", "mulitply"}), "the nearest: multiply.");
  EXPECT_EQ(Gcnjit({"disasm", Hip(), "--kernel", "step"}).exit_code, 0);
}

TEST_F(KernelNameTest, OneKernelNeedsNoName) {
  const std::string object = fmt::format("{}/one.co", GCNJIT_CLI_OBJECTS);
  EXPECT_EQ(Gcnjit({"run", object, "--global", "64", "--arg", "buf:256"}).exit_code, 0);
  const std::string diff_case = Path("case.json").string();
  EXPECT_EQ(
      Gcnjit({"diff", object, "--global", "64", "--arg", "buf:256", "--case", diff_case}).exit_code,
      0);
}

TEST_F(KernelNameTest, AMissingFileIsToldFirst) {
  for (const char* command : {"run", "bench", "diff"}) {
    ExpectMistake(Gcnjit({command, "/nonexistent.co"}), "cannot open '/nonexistent.co'");
    ExpectMistake(Gcnjit({command, Hip()}), "--global");
  }
}

// ---- printf

class PrintTest : public CliTest, public testing::WithParamInterface<const char*> {
 protected:
  Outcome Run(const std::string& kernel, std::vector<std::string> more) const {
    std::vector<std::string> line = {
        "run", fmt::format("{}/printf-{}.co", GCNJIT_CLI_OBJECTS, GetParam()), "--kernel", kernel};
    line.insert(line.end(), more.begin(), more.end());
    return Gcnjit(line);
  }
};

TEST_P(PrintTest, Formats) {
  const float f = 1234.5678f;
  char want[1000];
  std::snprintf(want, sizeof want,
                "%d|%5d|%-5d|%05d|%x|%u|%hhd\na:b|%.2f|%e|%s|%c|%lu|%ld|%%\n"
                "1,2,3,-4|%f,%f|-1,2,3\t|%-6s|\nno arguments\n",
                3, -3, 3, 3, 255, -1u, 44, f, f, "words", 'x', 1ul << 40, -(1l << 40), 0.5, f,
                "ab");
  for (const char* engine : {"interp", "jit"}) {
    const Outcome run =
        Run("formats", {"--global", "128", "--engine", engine, "--compile-first", "--arg",
                        "buf:512", "--arg", "f32:1234.5678", "--arg", "u64:1099511627776"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, want);
    EXPECT_EQ(run.err, "");
  }
  const Outcome json = Run("formats", {"--global", "128", "--json", "--arg", "buf:512", "--arg",
                                       "f32:1234.5678", "--arg", "u64:1099511627776"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["printed"], want);
}

TEST_P(PrintTest, WhatWasPrintedBeforeAFault) {
  const Outcome run = Run("stray_print", {"--global", "64", "--arg", "buf:256"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.out, "before the fault\n");
}

TEST_P(PrintTest, AFullBufferIsTold) {
  const Outcome some = Run("many", {"--global", "64", "--arg", "buf:256", "--arg", "u32:10"});
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_EQ(std::ranges::count(some.out, '\n'), 640);
  EXPECT_EQ(some.err, "");
  const Outcome all = Run("many", {"--global", "64", "--arg", "buf:256", "--arg", "u32:8000"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_LT(std::ranges::count(all.out, '\n'), 64 * 8000);
  EXPECT_NE(all.err.find("may have found no room"), std::string::npos) << all.err;
}

// What is not printed must not disturb: there is no room in the buffer, and printf returns -1.
TEST_P(PrintTest, DiffPrintsNothing) {
  const Outcome run =
      Gcnjit({"diff", fmt::format("{}/printf-{}.co", GCNJIT_CLI_OBJECTS, GetParam()), "--kernel",
              "many", "--global", "64", "--arg", "buf:256", "--arg", "u32:3", "--case",
              Path("case.json").string()});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(run.out.find("0123"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Compilers, PrintTest,
                         testing::Values("clang14.v2", "clang14.v3", "clang14.v4", "clang19.v4",
                                         "clang19.v5"));

TEST_F(KernelNameTest, HipPrintsByHostcalls) {
  for (const std::vector<std::string>& engine :
       {std::vector<std::string>{"--engine", "interp"}, {"--compile-first"}, {"--check"}}) {
    std::vector<std::string> line = {"run",      Hip(), "--kernel", "hello",
                                     "--global", "64",  "--arg",    "i32:7"};
    line.insert(line.end(), engine.begin(), engine.end());
    const Outcome run = Gcnjit(line);
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    EXPECT_TRUE(
        run.out.starts_with("item 0 of hello, 7.50, -1099511627776\n"
                            "item 1 of hello, 7.50, -1099511627776\n"))
        << run.out;
  }
}

// The kernel goes on with what the host answers.
TEST_F(KernelNameTest, MemoryOfTheHostNeedsAHostProgram) {
  const Outcome run = Run("grab", {"out:512:" + Path("out.bin").string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("has asked the host for memory (malloc and free in kernels), which needs "
                         "a host program (gcnjit exec); the answer was 0"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(ReadValues<uint64_t>("out.bin"), std::vector<uint64_t>(64, 0));
}

}  // namespace
}  // namespace gcnjit::cli_test
