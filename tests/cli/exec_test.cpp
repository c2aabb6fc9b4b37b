// gcnjit exec: what the program it starts gets to see, and what it says when there is none to
// start.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  std::string out;  // both outputs
};

Outcome Shell(const std::string& line) {
  Outcome outcome;
  std::FILE* pipe = ::popen((line + " 2>&1").c_str(), "r");
  char part[4096];
  for (size_t size; (size = std::fread(part, 1, sizeof part, pipe)) > 0;) {
    outcome.out.append(part, size);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

Outcome Exec(const std::string& arguments) {
  return Shell(fmt::format("{} exec {}", GCNJIT_PROGRAM, arguments));
}

class ExecTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gcnjit-exec-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string Path(const std::string& name) const { return (directory_ / name).string(); }

 private:
  fs::path directory_;
};

bool Has(const Outcome& outcome, const std::string& text) {
  return outcome.out.find(text) != std::string::npos;
}

TEST_F(ExecTest, PassesArgumentsAndExitCode) {
  const Outcome printed = Exec("--stats -- printf '%s|' --stats a -- -x");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "--stats|a|--|-x|");
  EXPECT_EQ(Exec("-- sh -c 'exit 7'").exit_code, 7);
  EXPECT_EQ(Exec("sh -c 'exit 9'").exit_code, 9);
}

TEST_F(ExecTest, TellsTheLibraryWhatWasAsked) {
  const Outcome all =
      Shell(fmt::format("cd {} && LD_LIBRARY_PATH=/old {} exec --device gfx906 --devices 3 "
                        "--engine interp --threads 2 --check=races,waits "
                        "--stats --trace run.json --html run.html -- env",
                        Path(""), GCNJIT_PROGRAM));
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_TRUE(Has(all, "GCNJIT_DEVICE=gfx906\n")) << all.out;
  EXPECT_TRUE(Has(all, "GCNJIT_DEVICES=3\n"));
  EXPECT_TRUE(Has(all, "GCNJIT_ENGINE=interp\n"));
  EXPECT_TRUE(Has(all, "GCNJIT_THREADS=2\n"));
  EXPECT_TRUE(Has(all, "GCNJIT_CHECK=races,waits\n"));
  EXPECT_TRUE(Has(all, "GCNJIT_STATS=1\n"));
  EXPECT_TRUE(Has(all, "GCNJIT_TRACE=" + Path("run.json") + "\n"));
  EXPECT_TRUE(Has(all, "GCNJIT_HTML=" + Path("run.html") + "\n"));
  const std::string folder = (fs::path(GCNJIT_PROGRAM).parent_path() / "lib/gcnjit").string();
  EXPECT_TRUE(Has(all, "LD_LIBRARY_PATH=" + folder + ":/old\n")) << all.out;
  EXPECT_TRUE(Has(all, "GCNJIT_PROGRAM=" + fs::canonical(GCNJIT_PROGRAM).string() + "\n"));
  EXPECT_FALSE(Has(all, "LD_PRELOAD"));
}

TEST_F(ExecTest, LeavesTheEnvironmentOtherwise) {
  const Outcome plain = Shell(fmt::format("GCNJIT_DEVICE=gfx803 {} exec -- env", GCNJIT_PROGRAM));
  EXPECT_TRUE(Has(plain, "GCNJIT_DEVICE=gfx803\n"));
  EXPECT_FALSE(Has(plain, "GCNJIT_ENGINE"));
  EXPECT_FALSE(Has(plain, "GCNJIT_STATS"));
  EXPECT_FALSE(Has(plain, "GCNJIT_CHECK"));
  EXPECT_FALSE(Has(plain, "GCNJIT_HTML"));
  const Outcome all_checks = Exec("--check --json -- env");
  EXPECT_TRUE(Has(all_checks, "GCNJIT_CHECK=all\n")) << all_checks.out;
  EXPECT_TRUE(Has(all_checks, "GCNJIT_STATS=json\n"));
}

TEST_F(ExecTest, FindsThatThereIsNoProgram) {
  const Outcome in_path = Exec("-- no-such-program-anywhere");
  EXPECT_EQ(in_path.exit_code, 127);
  EXPECT_TRUE(Has(in_path, "no-such-program-anywhere: not found in PATH")) << in_path.out;
  EXPECT_EQ(Exec("-- " + Path("missing")).exit_code, 127);
  // A name that the host cannot even look for.
  EXPECT_EQ(Exec("-- ./" + std::string(300, 'n')).exit_code, 127);
  std::ofstream(Path("text")) << "no program";
  const Outcome text = Exec("-- " + Path("text"));
  EXPECT_EQ(text.exit_code, 126);
  EXPECT_TRUE(Has(text, "cannot be executed")) << text.out;
  EXPECT_EQ(Exec("-- " + Path("")).exit_code, 126);
}

TEST_F(ExecTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(Exec("").exit_code, 2);
  EXPECT_EQ(Exec("--device gfx600 -- true").exit_code, 2);
  EXPECT_EQ(Exec("--devices 0 -- true").exit_code, 2);
  EXPECT_EQ(Exec("--engine gpu -- true").exit_code, 2);
  EXPECT_EQ(Exec("--threads 1025 -- true").exit_code, 2);
  const Outcome check = Exec("--check=racez -- true");
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_TRUE(Has(check, "--check 'racez': there are memory, races")) << check.out;
  EXPECT_EQ(Exec("--trace /no/such/folder/run.json -- true").exit_code, 2);
  EXPECT_EQ(Exec("--html /no/such/folder/run.html -- true").exit_code, 2);
}

// No report of an earlier run is taken for this one's.
TEST_F(ExecTest, AProgramWithoutKernelsHasAReportOfNone) {
  std::ofstream(Path("run.xml")) << "old";
  EXPECT_EQ(Exec("--junit " + Path("run.xml") + " -- false").exit_code, 1);
  std::ifstream file(Path("run.xml"));
  const std::string report{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(report.find("<testsuite name=\"gcnjit exec false\" tests=\"0\""), std::string::npos)
      << report;
}

TEST_F(ExecTest, NeedsItsLibrary) {
  fs::copy_file(GCNJIT_PROGRAM, Path("gcnjit"));
  const Outcome alone = Shell(Path("gcnjit") + " exec -- true");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_TRUE(Has(alone, "libhsa-runtime64.so.1 is neither")) << alone.out;
}

TEST_F(ExecTest, FindsItsLibraryWhereItIsInstalled) {
  const Outcome installed =
      Shell(fmt::format("cmake --install {} --prefix {}", GCNJIT_BUILD_FOLDER, Path("")));
  ASSERT_EQ(installed.exit_code, 0) << installed.out;
  const Outcome env = Shell(Path("bin/gcnjit") + " exec -- env");
  EXPECT_EQ(env.exit_code, 0) << env.out;
  EXPECT_TRUE(Has(env, "LD_LIBRARY_PATH=" + Path("lib/gcnjit"))) << env.out;
}

}  // namespace
