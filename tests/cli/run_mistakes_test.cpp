// What gcnjit run refuses: each mistake must give its exit code, a message that names it, and no
// output file. No file, however broken, makes it crash.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

TEST_F(CliTest, UnknownChecksAreAMistake) {
  ExpectMistake(RunKernel("gfx900", "scale", {"buf:4"}, {"--global", "64", "--check=memroy"}),
                "--check 'memroy'");
}

TEST_F(CliTest, RefusesWrongArgumentLists) {
  const std::string out = "out:256:" + Path("out.bin").string();
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buf:256"}), "takes 3 arguments, 2 were given");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buf:256", "u32:1", "u32:1"}),
                "takes 3 arguments, 4 were given");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buf:256", "u64:1"}), "takes 4 bytes");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "u32:1", "u32:1"}), "is a buffer");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buf:256", "local:4"}), "is a value");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buf:256", "u32:1x"}),
                "'1x' is no value of type u32");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buf:256", "u32:4294967296"}),
                "no value of type u32");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "buff:256", "u32:1"}),
                "'buff' is no kind of argument");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "in:/nonexistent/file", "u32:1"}),
                "No such file");
  ExpectMistake(RunKernel("gfx900", "scale", {out, "bytes:123", "u32:1"}),
                "pairs of hexadecimal digits");
  ExpectMistake(RunKernel("gfx900", "scale", {"out:256:/nonexistent/x", "buf:256", "u32:1"}),
                "cannot write");
}

TEST_F(CliTest, RefusesImpossibleGeometry) {
  const std::string out = "out:256:" + Path("out.bin").string();
  const std::vector<std::string> arguments = {out, "buf:256", "u32:1"};
  ExpectMistake(RunKernel("gfx900", "scale", arguments, {"--global", "0"}),
                "no work-items along x");
  ExpectMistake(RunKernel("gfx900", "scale", arguments, {"--global", "64", "--local", "64,0"}),
                "along y");
  ExpectMistake(RunKernel("gfx900", "scale", arguments, {"--global", "64", "--local", "2048"}),
                "over the limit");
  ExpectMistake(
      RunKernel("gfx900", "scale", arguments, {"--global", "64", "--local", "65536,65536,65536"}),
      "over the limit");
  ExpectMistake(RunKernel("gfx900", "scale", arguments,
                          {"--global", "4294967295,4294967295,4294967295", "--local", "1"}),
                "too many work-groups");
  ExpectMistake(RunKernel("gfx900", "scale", arguments, {"--global", "4294967296"}),
                "whole numbers");
  ExpectMistake(RunKernel("gfx900", "scale", arguments, {"--global", "64,"}), "whole numbers");
  ExpectMistake(RunKernel("gfx900", "scale", arguments, {"--global", "-1"}), "");
  ExpectMistake(RunKernel("gfx900", "exactly_64", {out}, {"--global", "64", "--local", "32"}),
                "requires work-groups of 64 x 1 x 1");
}

TEST_F(CliTest, RefusesTooMuchLocalMemory) {
  const std::string out = "out:256:" + Path("out.bin").string();
  ExpectMistake(RunKernel("gfx900", "lds_hog", {out, "local:40K"}), "bytes of LDS");
  ExpectMistake(RunKernel("gfx900", "lds_hog", {out, "local:1G"}), "local");
  ExpectMistake(RunKernel("gfx600", "lds_hog", {out, "local:4K"}), "bytes of LDS");
  EXPECT_EQ(RunKernel("gfx900", "lds_hog", {"buf:256", "local:4K"}).exit_code, 0);
}

TEST_F(CliTest, RefusesBuffersThatDoNotFit) {
  ExpectMistake(RunKernel("gfx900", "exactly_64", {"buf:128G"}), "");
  ExpectMistake(RunKernel("gfx900", "exactly_64", {"buf:99999999999999999999"}),
                "no size in bytes");
}

TEST_F(CliTest, NamesTheKernelsThatThereAre) {
  ExpectMistake(RunKernel("gfx900", "skale", {}), "skale");
}

TEST_F(CliTest, RefusesBrokenFiles) {
  const std::string good = Slurp(ObjectOf("gfx900"));
  const auto run_bytes = [&](const std::string& bytes) {
    std::ofstream(Path("broken.co"), std::ios::binary) << bytes;
    return Gcnjit({"run", Path("broken.co").string(), "--kernel", "exactly_64", "--global", "64",
                   "--arg", "out:256:" + Path("out.bin").string()});
  };
  ExpectMistake(run_bytes(""), "broken.co");
  ExpectMistake(run_bytes("#!/bin/sh\n"), "broken.co");
  ExpectMistake(run_bytes(good.substr(0, 64)), "broken.co");
  ExpectMistake(run_bytes(good.substr(0, good.size() / 2)), "broken.co");
  std::string other_machine = good;
  other_machine[18] = 62;  // e_machine: x86-64
  ExpectMistake(run_bytes(other_machine), "broken.co");
  std::string other_target = good;
  other_target[48] = 0x36;  // e_flags: gfx1030
  ExpectMistake(run_bytes(other_target), "gfx10");
  ExpectMistake(Gcnjit({"run", "/nonexistent.co", "--kernel", "x", "--global", "1"}),
                "No such file");
}

TEST_F(CliTest, ChangedBitsNeverCrashIt) {
  const std::string good = Slurp(ObjectOf("gfx900"));
  uint32_t state = 12345;
  for (int n = 0; n < 150; ++n) {
    std::string bytes = good;
    for (int flips = 0; flips < 8; ++flips) {
      state = state * 1664525 + 1013904223;
      bytes[(state >> 4) % bytes.size()] ^= static_cast<char>(1 << (state & 7));
    }
    std::ofstream(Path("flipped.co"), std::ios::binary) << bytes;
    const Outcome run = Gcnjit({"run", Path("flipped.co").string(), "--kernel", "exactly_64",
                                "--global", "64", "--timeout", "2", "--arg", "buf:256"});
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 2 || run.exit_code == 3 ||
                run.exit_code == 5)
        << "case " << n << ": exit " << run.exit_code << "\n"
        << run.err;
    if (run.exit_code != 0) {
      EXPECT_FALSE(run.err.empty());
    }
  }
}

}  // namespace
}  // namespace gcnjit::cli_test
