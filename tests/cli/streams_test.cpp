// What goes in and comes out by streams that are no ordinary files: full disks, closed outputs,
// devices and pipes that never end, limits of a file's size.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

class StreamsTest : public CliTest {
 protected:
  // By the shell, with what it shall do with the program's streams.
  Outcome Shell(const std::string& arguments, const std::string& streams,
                const std::string& before = "") const {
    const fs::path out = Path("stdout"), err = Path("stderr");
    const std::string line =
        fmt::format("ulimit -c 0; {} {} {} >{} 2>{} {}", before, GCNJIT_PROGRAM, arguments,
                    out.string(), err.string(), streams);
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Slurp(out), Slurp(err)};
  }
  static std::string Scale(const std::string& out) {
    return fmt::format("run {} --kernel scale --global 64 --arg {} --arg iota:u32:64 --arg u32:3",
                       ObjectOf("gfx900"), out);
  }
};

// A command line for each subcommand and kind of output.
std::vector<std::string> CommandsThatPrint(const std::string& object, const std::string& folder) {
  const std::string launch =
      object + " --kernel scale --global 64 --arg buf:256 --arg buf:256 --arg u32:3";
  return {"--version",
          "--help",
          "run --help",
          "info " + object,
          "info --json " + object,
          "disasm " + object,
          "disasm " + object + " --ir",
          "disasm --host=avx2 " + object,
          "isa",
          "isa --json",
          "completions fish",
          "run --stats " + launch,
          "run --json " + launch,
          "run --fidelity " + launch,
          "run --check=all " + launch,
          fmt::format("run {} --kernel scale --global 64 --arg out:256:- --arg buf:256 --arg u32:3",
                      object),
          "bench --time 0 --repetitions 2 " + launch,
          "diff --case " + folder + "/case.json " + launch,
          "diff --json --case " + folder + "/case.json " + launch,
          "fuzz --count 3 --engines interp,avx2"};
}

TEST_F(StreamsTest, AFullDiskIsAMistake) {
  for (const std::string& line : CommandsThatPrint(ObjectOf("gfx900"), directory_.string())) {
    SCOPED_TRACE(line);
    EXPECT_EQ(Shell(line, "").exit_code, 0);
    const Outcome full = Shell(line, ">/dev/full");
    EXPECT_EQ(full.exit_code, 2);
    EXPECT_NE(full.err.find("writ"), std::string::npos) << full.err;
    const Outcome closed = Shell(line, ">&-");
    EXPECT_EQ(closed.exit_code, 2);
    EXPECT_NE(closed.err.find("writ"), std::string::npos) << closed.err;
  }
}

// The exit code is what it would be otherwise, and nothing else is different.
TEST_F(StreamsTest, MessagesThatCannotBeWrittenAreLost) {
  for (const char* streams : {"2>/dev/full", "2>&-"}) {
    SCOPED_TRACE(streams);
    EXPECT_EQ(Shell("run /nonexistent --kernel x --global 1", streams).exit_code, 2);
    EXPECT_EQ(Shell("dance", streams).exit_code, 2);
    EXPECT_EQ(
        Shell(fmt::format("run {} --kernel trap --global 64 --arg buf:256", ObjectOf("gfx900")),
              streams)
            .exit_code,
        3);
    EXPECT_EQ(Shell(Scale("out:256:" + Path("out.bin").string()), streams).exit_code, 0);
    EXPECT_EQ(fs::file_size(Path("out.bin")), 256u);
  }
}

// Files that are opened later do not become the closed stream.
TEST_F(StreamsTest, ClosedStreamsStayClosed) {
  const std::string line = Scale("out:256:" + Path("out.bin").string());
  EXPECT_EQ(Shell(line, "<&- >&- 2>&-").exit_code, 0);
  EXPECT_EQ(ReadValues<uint32_t>("out.bin")[63], 189u);
  EXPECT_EQ(Shell(line + " --stats", ">&-").exit_code, 2);
}

TEST_F(StreamsTest, AReaderMayHaveEnough) {
  const std::string line = fmt::format(
      "bash -c 'set -o pipefail; {} disasm {} | head -n 1 >{}; echo ${{PIPESTATUS[0]}}'",
      GCNJIT_PROGRAM, ObjectOf("gfx900"), Path("line").string());
  std::FILE* const shell = ::popen((line + " 2>&1").c_str(), "r");
  char text[100] = {};
  (void)std::fread(text, 1, sizeof text - 1, shell);
  ::pclose(shell);
  // All of it went into the pipe, or SIGPIPE was the end. Nothing is said in either case.
  EXPECT_TRUE(std::string(text) == "141\n" || std::string(text) == "0\n") << text;
  EXPECT_FALSE(Slurp(Path("line")).empty());
}

// ---- Inputs

TEST_F(StreamsTest, WhatDoesNotEndIsRefused) {
  const std::string zeros = "/dev/zero", random = "/dev/urandom", out = Path("out.bin").string();
  const std::string to_launch =
      fmt::format("run {} --kernel scale --global 64 --arg out:256:{}", ObjectOf("gfx900"), out);
  const std::pair<std::string, std::string> lines[] = {
      {"info " + random, random},
      {"info " + zeros, zeros},
      {fmt::format("run {} --kernel scale --global 64", zeros), zeros},
      {"disasm " + zeros, zeros},
      {"diff --replay " + zeros, zeros},
      {fmt::format("bench {} --kernel scale --global 64", zeros), zeros},
      {fmt::format("{} --arg in:{} --arg u32:3", to_launch, zeros), zeros},
      {fmt::format("{} --arg inout:{}:{}.2 --arg u32:3", to_launch, zeros, out), zeros},
      {fmt::format("{} --arg buf:256 --arg raw:{}", to_launch, zeros), zeros}};
  for (const auto& [line, device] : lines) {
    SCOPED_TRACE(line);
    ExpectMistake(Shell(line, ""), fmt::format("cannot read '{}': it does not end", device));
  }
  ExpectMistake(Shell(fmt::format("info {}", directory_.string()), ""), "Is a directory");
}

TEST_F(StreamsTest, FilesThatAreLargerThanMemoryAreRefused) {
  const fs::path sparse = Path("sparse");
  std::ofstream(sparse) << "x";
  fs::resize_file(sparse, uint64_t{1} << 43);
  ExpectMistake(Shell("info " + sparse.string(), ""), "more than this machine's memory");
}

TEST_F(StreamsTest, PipesAreReadToTheirEnd) {
  const std::string pipe = Path("pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string line =
      fmt::format("run {} --kernel scale --global 64 --arg out:256:{} --arg in:{} --arg u32:3",
                  ObjectOf("gfx900"), Path("out.bin").string(), pipe);
  std::vector<uint32_t> values(64, 7);
  std::thread writer([&] {
    std::ofstream(pipe, std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 256);
  });
  EXPECT_EQ(Shell(line, "").exit_code, 0);
  writer.join();
  EXPECT_EQ(ReadValues<uint32_t>("out.bin"), std::vector<uint32_t>(64, 21));
  fs::remove(Path("out.bin"));
  const std::string endless = fmt::format("cat /dev/zero >{} 2>/dev/null & ", pipe);
  ExpectMistake(Shell(line, "", endless), "it does not end");
}

// Files of /proc say that they have no bytes.
TEST_F(StreamsTest, FilesOfUnknownSizeAreReadToTheirEnd) {
  const Outcome run =
      Shell(fmt::format("run {} --kernel exactly_64 --global 64 --arg inout:/proc/self/status:{}",
                        ObjectOf("gfx900"), Path("copy").string()),
            "");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(Slurp(Path("copy")).find("ctxt_switches"), std::string::npos);
}

// ---- The limit of a file's size

TEST_F(StreamsTest, OutputFilesOverTheLimitAreAMistake) {
  const std::string line = Scale("out:64K:" + Path("out.bin").string());
  // sh counts in blocks of 512 bytes.
  const Outcome small = Shell(line, "", "ulimit -f 127;");
  ExpectMistake(small, "cannot write");
  EXPECT_NE(small.err.find("File too large"), std::string::npos) << small.err;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    EXPECT_EQ(entry.path().filename().string().find("out.bin"), std::string::npos)
        << "half of a file was left";
  }
  EXPECT_EQ(Shell(line, "", "ulimit -f 128;").exit_code, 0);
  EXPECT_EQ(fs::file_size(Path("out.bin")), 65536u);
}

TEST_F(StreamsTest, StandardOutputOverTheLimitIsAMistake) {
  for (const char* limit : {"ulimit -f 0;", "ulimit -f 1;"}) {
    EXPECT_EQ(Shell("disasm " + ObjectOf("gfx900"), "", limit).exit_code, 2);
  }
}

// What exec starts finds the signal as gcnjit did.
TEST_F(StreamsTest, ExecLeavesTheSignalAlone) {
  const std::string line = "exec -- sh -c 'ulimit -f 0; echo text'";
  const std::string to = ">" + Path("file").string();
  EXPECT_EQ(Shell(line, to).exit_code, 128 + SIGXFSZ);
  EXPECT_NE(Shell(line, to, "trap '' XFSZ;").exit_code, 128 + SIGXFSZ);
}

}  // namespace
}  // namespace gcnjit::cli_test
