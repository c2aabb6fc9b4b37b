// Mistakes that --help and docs promise an answer to: each command line with its exit code, words
// of its message and nothing on standard output.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "mistakes.h"

namespace gcnjit::cli_test {
namespace {

TEST_F(MessagesTest, Commands) {
  ExpectEach({
      {{}, "subcommand"},
      {{"dance"}, "there is no command 'dance'\n"},
      {{"rnu", "x"}, "there is no command 'rnu'; is 'run' meant?"},
      {{"disam", "--help"}, "there is no command 'disam'; is 'disasm' meant?"},
      {{std::string(1000, 'x')}, "there is no command 'xxx"},
      {{"--dance"}, "--dance"},
  });
  for (const char* command :
       {"exec", "run", "bench", "info", "disasm", "isa", "fuzz", "diff", "completions", "manual"}) {
    ExpectEach({{{command, "--no-such-option"}, "--no-such-option"}});
    const Outcome help = Gcnjit({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Example:\n  gcnjit "), std::string::npos) << command;
  }
  for (const char* command : {"exec", "run", "bench", "info", "disasm", "completions", "manual"}) {
    ExpectEach({{{command}, "is required"}});
  }
  ExpectEach({
      {{"completions", "csh"}, "csh"},
      {{"manual", "/dev/null/pages"}, "/dev/null/pages"},
  });
  EXPECT_EQ(Gcnjit({"--version"}).exit_code, 0);
}

TEST_F(MessagesTest, Files) {
  for (const std::string command : {"run", "bench", "diff", "info", "disasm"}) {
    std::vector<std::string> begin = {command};
    if (command != "info" && command != "disasm") begin.insert(begin.end(), {"--global", "64"});
    ExpectEach(
        {
            {{"@/none"}, "cannot open '"},
            {{"@/folder"}, "folder"},
            {{"@/text"}, "text, not machine code"},
            {{"CO", "--target", "gfx906"}, "gfx906"},
        },
        begin);
  }
}

// What run, bench and diff take.
TEST_F(MessagesTest, Launches) {
  for (const char* command : {"run", "bench", "diff"}) {
    ExpectEach(
        {
            {{}, "give the grid: --global X[,Y[,Z]], in work-items"},
            {{"--global", "x"}, "--global 'x': expected X[,Y[,Z]], whole numbers up to 4294967295"},
            {{"--global", "1,2,3,4"}, "--global '1,2,3,4': expected X[,Y[,Z]]"},
            {{"--global", "64", "--local", "1,"}, "--local '1,': expected"},
            {{"--global", "64", "--local", "4294967296"}, "--local '4294967296': expected"},
            {{"--global", "64", "--offset", "-1"}, "--offset '-1': expected"},
            {{"--global", "64", "--offset", "18446744073709551616"}, "up to 18446744073709551615"},
            {{"--global", "64", "--kernarg", "@/none"}, "cannot open '"},
            {{"--global", "64", "--arg"}, "--arg"},
        },
        {command, "CO", "--kernel", "scale"});
  }
}

TEST_F(MessagesTest, Arguments) {
  const std::pair<const char*, const char*> rows[] = {
      {"buf", "'buf': expected KIND:..., see 'gcnjit run --help'"},
      {"buff:4", "'buff' is no kind of argument, see 'gcnjit run --help'"},
      {"in:@/none", "cannot open '"},
      {"in:@/folder", "folder"},
      {"out:256", "expected out:BYTES:PATH"},
      {"out:x:@/y", "expected out:BYTES:PATH"},
      {"out:4:@/none/y", "cannot write"},
      {"inout:@/text", "expected inout:PATH:OUTPATH"},
      {"inout:@/text:", "expected inout:PATH:OUTPATH"},
      {"inout:@/none:y", "cannot open '"},
      {"buf:", "'' is no size in bytes"},
      {"buf:1T", "'1T' is no size in bytes"},
      {"buf:-1", "'-1' is no size in bytes"},
      {"buf:129G", "a buffer has at most 128G"},
      {"buf:99999999999G", "a buffer has at most 128G"},
      {"out:129G:@/y", "a buffer has at most 128G"},
      {"local:many", "'many' is no size in bytes"},
      {"local:65K", "a work-group has at most 65536 bytes of local memory"},
      {"iota:f31:4", "'f31' is no type"},
      {"iota:u32", "'' is no count"},
      {"iota:u32:x", "'x' is no count"},
      {"iota:u64:128G", "a buffer has at most 128G"},
      {"iota:u8:128G", "--arg 'iota:u8:128G': its 137438953472 bytes are more than"},
      {"iota:u32:4:1", "'1' is no seed"},
      {"rand:u32:4:x", "'x' is no seed"},
      {"rand:u32:4:", "'' is no seed"},
      {"i8:128", "'128' is no value of type i8"},
      {"u8:-1", "'-1' is no value of type u8"},
      {"u16:0x10000", "'0x10000' is no value of type u16"},
      {"i64:9223372036854775808", "is no value of type i64"},
      {"f32:one", "'one' is no value of type f32"},
      {"f64:", "'' is no value of type f64"},
      {"raw:@/none", "cannot open '"},
      {"bytes:", "expected pairs of hexadecimal digits"},
      {"bytes:123", "expected pairs of hexadecimal digits"},
      {"bytes:12zz", "'zz' is no hexadecimal byte"},
  };
  for (const auto& [argument, words] : rows) {
    ExpectEach({{{"--arg", argument}, words}},
               {"run", "CO", "--kernel", "scale", "--global", "64"});
  }
}

TEST_F(MessagesTest, Run) {
  ExpectEach(
      {
          {{"--engine", "gpu"}, "--engine"},
          {{"--threads", "-1"}, "--threads: '-1' is no whole number from 0 to 4294967295"},
          {{"--threads", "two"}, "--threads: 'two' is no whole number"},
          {{"--threads", "1.5"}, "--threads: '1.5' is no whole number"},
          {{"--threads", "4294967296"}, "--threads: '4294967296' is no whole number"},
          {{"--timeout", "soon"}, "--timeout"},
          {{"--max-instructions", "-5"}, "'-5' is no whole number from 0 to 18446744073709551615"},
          {{"--max-instructions", "18446744073709551616"}, "is no whole number"},
          {{"--check", "--check-limit", "-1"}, "--check-limit: '-1' is no whole number from 1"},
          {{"--check", "--fidelity"}, "excludes"},
          {{"--check=memroy"}, "--check 'memroy': there are memory, races"},
          {{"--check", "--check-limit", "0"}, "--check-limit: '0' is no whole number from 1"},
      },
      {"run", "CO", "--kernel", "scale", "--global", "64"});
  ExpectEach(
      {
          {{"--json"}, "--json and --arg 'out:256:-' both write to standard output"},
          {{"--stats"}, "--stats and --arg 'out:256:-'"},
          {{"--fidelity"}, "--fidelity and --arg 'out:256:-'"},
          {{"--check"}, "--check and --arg 'out:256:-'"},
          {{"--junit", "-"}, "--junit and --arg 'out:256:-'"},
          {{"--junit", "/dev/stdout"}, "--junit and --arg 'out:256:-'"},
      },
      {"run", "CO", "--kernel", "scale", "--global", "64", "--arg", "out:256:-", "--arg", "buf:256",
       "--arg", "u32:3"});
}

TEST_F(MessagesTest, Listings) {
  ExpectEach({
      {{"disasm", "CO", "--source", "--ir"}, "excludes"},
      {{"disasm", "CO", "--source", "--host"}, "excludes"},
      {{"disasm", "CO", "--ir", "--host"}, "excludes"},
      {{"disasm", "CO", "--local", "64"}, "requires --host"},
      {{"disasm", "CO", "--tuning", "zen4"}, "requires --host"},
      {{"disasm", "CO", "--ir=during:fold"}, "--ir takes before:PASS or after:PASS"},
      {{"disasm", "CO", "--ir=before:magic"}, "there is no pass 'magic'; the passes are fold"},
      {{"disasm", "CO", "--host=sse2"}, "--host takes avx2 or avx512, not 'sse2'"},
      {{"disasm", "CO", "--host=avx2", "--tuning", "z80"}, "--tuning takes generic"},
      {{"disasm", "CO", "--host=avx2", "--local", "0"}, "--local"},
      {{"isa", "--target", "gfx1100"}, "gfx1100"},
      {{"isa", "--target", "gfx906:xnack-:xnack+"}, "is no target"},
      {{"isa", "--target", "gfx900:"}, "is no target"},
      {{"isa", "--coverage", "--target", "pentium"}, "pentium"},
  });
}

TEST_F(MessagesTest, Comparisons) {
  ExpectEach(
      {
          {{"--engines", "interp,gpu"}, "--engines: 'gpu' is none of interp, avx2, avx512"},
          {{"--engines", ","}, "--engines: '' is none of interp, avx2, avx512"},
          {{"--engines", "interp", "--hot"}, "--hot looks at compiled code"},
          {{"--repetitions", "0"}, "--repetitions: '0' is no whole number from 1"},
          {{"--top", "-1"}, "--top: '-1' is no whole number"},
          {{"--time", "601"}, "--time: '601' is no number of seconds, from 0 to 600"},
          {{"--time", "-1"}, "--time: '-1' is no number of seconds"},
          {{"--time", "nan"}, "--time: 'nan' is no number of seconds"},
          {{"--time", "inf"}, "--time: 'inf' is no number of seconds"},
      },
      {"bench", "CO", "--kernel", "scale", "--global", "64", "--arg", "buf:256", "--arg", "buf:256",
       "--arg", "u32:1"});
  ExpectEach({
      {{"fuzz", "--gen", "gfx1100"}, "'gfx1100' is no target"},
      {{"fuzz", "--engines", "gpu"}, "--engines: there is no engine 'gpu'; there are interp, "},
      {{"fuzz", "--engines", "interp"}, "--engines 'interp': at least two are needed"},
      {{"fuzz", "--count", "0"}, "--count: '0' is no whole number from 1"},
      {{"fuzz", "--count", "-1"}, "--count: '-1' is no whole number"},
      {{"fuzz", "--seed", "-1"}, "--seed: '-1' is no whole number from 0"},
      {{"fuzz", "--count", "1", "--sweep"}, "excludes"},
      {{"fuzz", "--time", "0"}, "--time: '0' is no number of seconds"},
      {{"fuzz", "--states", "0"}, "--states: '0' is no whole number from 1 to 4294967295"},
      {{"fuzz", "--failures", "0"}, "--failures: '0' is no whole number from 1"},
      {{"fuzz", "--sweep=V_ADD_F31"}, "--sweep: there is no instruction 'V_ADD_F31'"},
      {{"fuzz", "--quick"}, "--quick is for a sweep"},
      {{"fuzz", "--gen", "gfx900:"}, "'gfx900:' is no target"},
      {{"diff"}, "give CODE_OBJECT and --global, or --replay FILE"},
      {{"diff", "--replay", "@/none"}, "cannot open '"},
      {{"diff", "--replay", "@/text"}, "this is no case that 'gcnjit diff' wrote"},
      {{"diff", "CO", "--global", "1", "--engines", "interp"}, "at least two are needed"},
      {{"diff", "CO", "--global", "1", "--engines", "interp,gpu"}, "there is no engine 'gpu'"},
      {{"diff", "CO", "--global", "1", "--case", "@/none/case.json"}, "cannot write"},
  });
}

TEST_F(MessagesTest, Exec) {
  ExpectEach({
      {{"exec", "--device", "gfx1100", "true"}, "--device"},
      {{"exec", "--devices", "17", "true"}, "--devices"},
      {{"exec", "--engine", "gpu", "true"}, "--engine"},
      {{"exec", "--threads", "1025", "true"}, "--threads"},
      {{"exec", "--timeout", "0", "true"}, "--timeout"},
      {{"exec", "--trace", "@/none/run.json", "true"}, "cannot write"},
      {{"exec", "--check=echo", "true"}, "If that is the program: gcnjit exec --check -- echo"},
      {{"exec", "--check", "--"}, "PROGRAM is required"},
      {{"exec", "--"}, "PROGRAM is required"},
      {{"exec", "--junit", "-", "true"}, "--junit -: standard output is the program's"},
      {{"exec", "--html", "-", "true"}, "--html -: standard output is the program's"},
      {{"exec", "--trace", "-", "true"}, "--trace -: standard output is the program's"},
      {{"exec", "--html", "@/x", "--junit", "@/x", "true"}, "--html and --junit both write to '"},
      {{"exec", "--device", "gfx906:xnack-:xnack+", "true"}, "is no target ID"},
      {{"exec", "--device", "gfx900:", "true"}, "is no target ID"},
  });
  const Outcome missing = Gcnjit({"exec", "no-such-program"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_NE(missing.err.find("not found in PATH; is it ./no-such-program?"), std::string::npos)
      << missing.err;
}

// The exit codes of --help, each by the command that has it.
TEST_F(MessagesTest, ExitCodes) {
  const std::vector<std::string> grid = {"--global", "64"};
  const auto run = [&](const char* command, const char* kernel, std::vector<std::string> more) {
    std::vector<std::string> line = {command, "CO", "--kernel", kernel, "--global", "64"};
    line.insert(line.end(), more.begin(), more.end());
    return Run(line).exit_code;
  };
  const std::vector<std::string> stray = {"--arg", "buf:256", "--arg", "u32:5"};
  const auto with = [](std::vector<std::string> line, std::initializer_list<const char*> more) {
    line.insert(line.end(), more.begin(), more.end());
    return line;
  };
  const std::string case_file = Path("case.json");
  EXPECT_EQ(run("run", "exactly_64", {"--arg", "buf:256"}), 0);
  EXPECT_EQ(run("run", "stray", stray), 3);
  EXPECT_EQ(run("bench", "stray", with(stray, {"--time", "0", "--repetitions", "1"})), 3);
  EXPECT_EQ(run("diff", "stray", with(stray, {"--case", case_file.c_str()})), 3);
  EXPECT_EQ(run("diff", "scale",
                {"--arg", "buf:256", "--arg", "iota:u32:64", "--arg", "u32:3", "--engines",
                 "interp,wrong:V_MUL_LO_U32:V_MUL_HI_U32", "--case", case_file}),
            4);
  EXPECT_EQ(Run({"diff", "--replay", case_file}).exit_code, 4);
  EXPECT_EQ(run("run", "endless", {"--arg", "buf:4", "--timeout", "0.1"}), 5);
  EXPECT_EQ(
      run("run", "scale", {"--arg", "buf:252", "--arg", "buf:256", "--arg", "u32:3", "--check"}),
      6);
  // A fault or a time-out is told before findings.
  EXPECT_EQ(run("run", "stray", with(stray, {"--check"})), 3);
  EXPECT_EQ(run("run", "endless", {"--arg", "buf:4", "--check", "--max-instructions", "1000"}), 5);
}

// Only run prints what HIP's kernels print.
TEST_F(MessagesTest, HipsPrintfElsewhere) {
  for (const char* command : {"diff", "bench"}) {
    std::vector<std::string> line = {command,    "HIP", "--kernel", "hello",
                                     "--global", "64",  "--arg",    "i32:7"};
    if (command == std::string("diff")) line.insert(line.end(), {"--case", "@/case.json"});
    const Outcome run = Run(line);
    EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
    EXPECT_NE((run.out + run.err).find("printf"), std::string::npos) << run.out << run.err;
  }
}

// A cache that cannot be used is no error, and --stats says why.
TEST_F(MessagesTest, Caches) {
  struct Row {
    const char* variable;
    std::string value;
    int exit_code;
    const char* words;
  };
  const std::vector<Row> rows = {
      {"GCNJIT_CACHE", "0", 0, "off, by GCNJIT_CACHE=0"},
      {"GCNJIT_CACHE", "maybe", 2, "GCNJIT_CACHE=maybe: it may be 0 or 1"},
      {"GCNJIT_CACHE_SIZE", "much", 2, "GCNJIT_CACHE_SIZE=much: it may be a number of bytes"},
      {"GCNJIT_CACHE_DIR", Path("link"), 0, "is a symbolic link; name what it points to"},
      {"GCNJIT_CACHE_DIR", Path("text"), 0, "is not a folder"},
      {"GCNJIT_CACHE_DIR", Path("open"), 0, "others may write to it; 'chmod go-w'"},
      {"GCNJIT_CACHE_DIR", "/proc/none", 0, "cannot be made"},
  };
  for (const Row& row : rows) {
    ::setenv(row.variable, row.value.c_str(), 1);
    const Outcome run = Run({"run", "CO", "--kernel", "exactly_64", "--global", "64", "--arg",
                             "buf:256", "--compile-first", "--json"});
    ::unsetenv(row.variable);
    EXPECT_EQ(run.exit_code, row.exit_code) << row.value << run.err;
    EXPECT_NE((run.out + run.err).find(row.words), std::string::npos)
        << row.words << "\nin: " << run.out << run.err;
  }
}

}  // namespace
}  // namespace gcnjit::cli_test
