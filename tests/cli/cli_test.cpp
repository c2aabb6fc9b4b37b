// Runs the gcnjit program as a process. Each mistake must give its exit code, a message that names
// it, and no output file.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
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

TEST_F(CliTest, UnknownChecksAreAMistake) {
  ExpectMistake(RunKernel("gfx900", "scale", {"buf:4"}, {"--global", "64", "--check=memroy"}),
                "--check 'memroy'");
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

TEST_F(CliTest, ExplainsItself) {
  for (const char* command : {"run", "info", "disasm", "isa"}) {
    const Outcome help = Gcnjit({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << help.out;
  }
  EXPECT_EQ(Gcnjit({}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"dance"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"run"}).exit_code, 2);
}

TEST_F(CliTest, PrintsIr) {
  const auto ir = [&](const std::string& option) {
    return Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", option});
  };
  const Outcome lifted = ir("--ir=before:fold");
  ASSERT_EQ(lifted.exit_code, 0) << lifted.err;
  EXPECT_NE(lifted.out.find("; kernel scale, MODE 0x"), std::string::npos) << lifted.out;
  EXPECT_NE(lifted.out.find("; v_mul_lo_u32"), std::string::npos) << lifted.out;
  EXPECT_NE(lifted.out.find("= mul.v32 "), std::string::npos);
  const Outcome optimised = ir("--ir");
  ASSERT_EQ(optimised.exit_code, 0) << optimised.err;
  EXPECT_LT(optimised.out.size(), lifted.out.size());
  EXPECT_EQ(ir("--ir=after:dce").out, optimised.out);
  const Outcome unknown = ir("--ir=after:magic");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("there is no pass 'magic'; the passes are fold, gvn, "),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(ir("--ir=during:fold").exit_code, 2);
}

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

// The line that contains `words`, from `at` on; sets `at` to its end.
std::string LineWith(const std::string& text, const std::string& words, size_t& at) {
  const size_t found = text.find(words, at);
  if (found == std::string::npos) return {};
  const size_t begin = text.rfind('\n', found) + 1;
  at = text.find('\n', found);
  return text.substr(begin, at - begin);
}

TEST_F(CliTest, PrintsHostCode) {
  for (const std::string isa : {"avx2", "avx512"}) {
    const Outcome host =
        Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=" + isa});
    ASSERT_EQ(host.exit_code, 0) << host.err;
    EXPECT_EQ(host.out.find("; kernel scale, MODE 0x"), 0u) << host.out;
    EXPECT_EQ(host.out.find("kernel stray"), std::string::npos);
    // A block, a stage, the guest's instruction, its operation and that one's code, in this order.
    size_t at = 0;
    EXPECT_FALSE(LineWith(host.out, "block 0x", at).empty());
    EXPECT_FALSE(LineWith(host.out, "\nstage 0", at).empty());
    EXPECT_FALSE(LineWith(host.out, "\nlanes: ", at).empty());
    EXPECT_EQ(LineWith(host.out, "v_mul_lo_u32 ", at).substr(0, 6), "guest ");
    EXPECT_EQ(LineWith(host.out, "= mul.v32 ", at).substr(0, 3), "  %");
    EXPECT_EQ(LineWith(host.out, "vpmulld ", at).substr(0, 16), "        vpmulld ");
    EXPECT_FALSE(LineWith(host.out, "\nend of block", at).empty());
    // The slow path of the store, under the name of the operation.
    EXPECT_FALSE(LineWith(host.out, "\nout of line", at).empty());
    EXPECT_EQ(LineWith(host.out, ": store ", at).substr(0, 8), "block 0x");
    EXPECT_FALSE(LineWith(host.out, "        call", at).empty());
    EXPECT_EQ(host.out.find("zmm") != std::string::npos, isa == "avx512");
  }
}

TEST_F(CliTest, RefusesUnknownHosts) {
  const Outcome unknown = Gcnjit({"disasm", ObjectOf("gfx900"), "--host=sse2"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--host takes avx2 or avx512, not 'sse2'"), std::string::npos)
      << unknown.err;
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--host", "--ir"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--tuning", "zen4"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--host", "--local", "64,32"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--local", "64"}).exit_code, 2);
  // What is known of addresses depends on the group's shape.
  const Outcome line =
      Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=avx2", "--local", "64"});
  const Outcome square =
      Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=avx2", "--local", "3,5"});
  EXPECT_EQ(line.exit_code, 0) << line.err;
  EXPECT_EQ(square.exit_code, 0) << square.err;
  EXPECT_NE(line.out, square.out);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--host", "--kernel", "none"}).exit_code, 2);
}

// How far ahead memory is asked for differs from processor to processor.
TEST_F(CliTest, PrintsHostCodeForOtherProcessors) {
  const auto code_for = [this](const std::string& tuning) {
    return Gcnjit(
        {"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=avx2", "--tuning=" + tuning});
  };
  const Outcome generic = code_for("generic");
  const Outcome zen4 = code_for("zen4");
  EXPECT_EQ(generic.exit_code, 0) << generic.err;
  EXPECT_EQ(zen4.exit_code, 0) << zen4.err;
  EXPECT_NE(generic.out, zen4.out);
  const Outcome unknown = code_for("z80");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--tuning takes generic, zen4, zen5, not 'z80'"), std::string::npos)
      << unknown.err;
}

TEST_F(CliTest, ListsKernelsAndInstructions) {
  const Outcome info = Gcnjit({"info", ObjectOf("gfx803"), "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const auto json = nlohmann::json::parse(info.out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["target"], "gfx803");
  EXPECT_EQ(json["kernels"].size(), 10u);
  const Outcome disasm = Gcnjit({"disasm", ObjectOf("gfx803"), "--kernel", "scale"});
  EXPECT_EQ(disasm.exit_code, 0);
  EXPECT_NE(disasm.out.find("v_mul_lo_u32"), std::string::npos) << disasm.out;
  EXPECT_NE(disasm.out.find("s_endpgm"), std::string::npos);
  EXPECT_EQ(disasm.out.find("<stray>"), std::string::npos);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx803"), "--kernel", "no_such_kernel"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"isa", "--target", "gfx900"}).exit_code, 0);
  EXPECT_EQ(Gcnjit({"isa", "--target", "gfx1100"}).exit_code, 2);
  const Outcome coverage = Gcnjit({"isa", "--coverage", "--target", "gfx803", "--json"});
  EXPECT_EQ(coverage.exit_code, 0) << coverage.err;
  const auto targets = nlohmann::json::parse(coverage.out, nullptr, false);
  EXPECT_EQ(targets.size(), 1u) << coverage.out;
  EXPECT_GT(targets["gfx803"]["tested"].get<int>(), 800);
}

}  // namespace
}  // namespace gcnjit::cli_test
