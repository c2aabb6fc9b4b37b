// Source lines in what gcnjit says, of code that each compiler has made with -g.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

class LinesTest : public CliTest, public testing::WithParamInterface<const char*> {
 protected:
  std::string Object() const {
    return fmt::format("{}/lines-{}.co", GCNJIT_CLI_OBJECTS, GetParam());
  }

  Outcome On(const std::string& command, const std::string& kernel, const std::string& buffer,
             const std::vector<std::string>& more) const {
    std::vector<std::string> line = {command, Object(), "--kernel", kernel,    "--arg",
                                     buffer,  "--arg",  "u32:3",    "--local", "64"};
    line.insert(line.end(), more.begin(), more.end());
    return Gcnjit(line);
  }
};

void ExpectInOrder(const std::string& text, std::initializer_list<const char*> all) {
  size_t at = 0;
  for (const char* words : all) {
    at = text.find(words, at);
    ASSERT_NE(at, std::string::npos) << words << "\nin: " << text;
  }
}

TEST_P(LinesTest, Fault) {
  const Outcome run = On("run", "multiply", "buf:4096", {"--global", "65536"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  ExpectInOrder(run.err, {"source     ", "lines.h:3 in put\n", "inlined at ",
                          "lines.h:9 in put_product\n", "inlined at ", "lines.h:14 in multiply\n"});
  const Outcome json = On("run", "multiply", "buf:4096", {"--global", "65536", "--json"});
  const auto source = nlohmann::json::parse(json.out)["fault"]["source"];
  ASSERT_EQ(source.size(), 3u) << json.out;
  EXPECT_EQ(source[1]["line"], 9);
  EXPECT_EQ(source[1]["function"], "put_product");
}

TEST_P(LinesTest, Finding) {
  const Outcome run = On("run", "collide", "buf:4096", {"--global", "256", "--check"});
  EXPECT_EQ(run.exit_code, 6) << run.out << run.err;
  ExpectInOrder(run.out,
                {"source     ", "lines.h:3 in put\n", "inlined at ", "lines.h:19 in collide\n"});
  // The other party of a race has a place, too.
  ExpectInOrder(run.out, {"global-race", "source     ", "earlier    ", "source     ",
                          "lines.h:19 in collide\n"});
}

TEST_P(LinesTest, Divergence) {
  const Outcome run = On("diff", "multiply", "buf:4096",
                         {"--global", "256", "--engines", "interp,wrong:V_MUL_LO_U32:V_MUL_HI_U32",
                          "--case", Path("case.json").string()});
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectInOrder(run.out, {"v_mul_lo_u32", "source: ", "lines.h:6 in product\n", "inlined at ",
                          "lines.h:9 in put_product\n", "lines.h:14 in multiply\n"});
}

TEST_P(LinesTest, FaultOfAllEngines) {
  const std::vector<std::string> more = {"--global", "65536", "--case", Path("case.json").string()};
  const Outcome run = On("diff", "multiply", "buf:4096", more);
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  ExpectInOrder(run.out, {"the same fault: memory write fault in kernel 'multiply'", "source     ",
                          "lines.h:3 in put\n", "lines.h:14 in multiply\n"});
  const Outcome launch = On("run", "multiply", "buf:4096", {"--global", "65536", "--json"});
  std::vector<std::string> as_json = more;
  as_json.push_back("--json");
  const auto of_diff = nlohmann::json::parse(On("diff", "multiply", "buf:4096", as_json).out);
  auto of_run = nlohmann::json::parse(launch.out)["fault"];
  for (const char* same : {"kind", "instruction", "kernel_offset", "source", "access_bytes"}) {
    EXPECT_EQ(of_diff["fault"][same], of_run[same]) << same;
  }
  // Groups run one after another, so it is the first work-item that does not fit.
  EXPECT_EQ(of_diff["fault"]["work_item"], nlohmann::json({1024, 0, 0}));
}

TEST_P(LinesTest, HotPlaces) {
  const Outcome run = On("bench", "multiply", "buf:256K",
                         {"--global", "65536", "--engines", "avx2", "--time", "0.2",
                          "--repetitions", "1", "--hot", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  bool has_line = false;
  const auto json = nlohmann::json::parse(run.out);
  for (const auto& place : json["engines"][0]["hot"]["places"]) {
    const auto& source = place["source"];
    has_line |= !source.empty() && source[0]["file"].get<std::string>().ends_with("lines.h");
  }
  EXPECT_TRUE(has_line) << run.out;
}

TEST_P(LinesTest, Disassembly) {
  const Outcome plain = Gcnjit({"disasm", Object(), "--kernel", "multiply"});
  const Outcome run = Gcnjit({"disasm", Object(), "--kernel", "multiply", "--source"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  ExpectInOrder(run.out, {"lines.h:3 in put\n", "lines.h:9 in put_product\n",
                          "// |   out[at] = value;\n", "store_dword"});
  // Without the comments it is what it is without --source.
  std::string rest;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//")) rest += line + "\n";
  }
  EXPECT_EQ(rest, plain.out);
}

INSTANTIATE_TEST_SUITE_P(Compilers, LinesTest,
                         testing::Values("clang14", "clang15", "clang19", "hipcc",
                                         "clang14.relocatable", "clang15.relocatable",
                                         "clang19.relocatable"));

class NoLinesTest : public CliTest {};

TEST_F(NoLinesTest, CodeWithoutDebugInformation) {
  const Outcome run = RunKernel("gfx900", "stray", {"buf:256", "u32:5"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.err.find("source"), std::string::npos) << run.err;
}

// The process that reads debug information, by hand.
TEST_F(NoLinesTest, TheConfinedProcessHasLimits) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execl(GCNJIT_PROGRAM, "gcnjit", "(confined)", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  const std::string name = "_ZN1n1fIiEEvPT_\n";
  const uint64_t request[2] = {2, name.size()};  // confined::RequestKind::kNames
  ASSERT_EQ(::write(ends[0], request, sizeof request), ssize_t{sizeof request});
  ASSERT_EQ(::write(ends[0], name.data(), name.size()), static_cast<ssize_t>(name.size()));
  uint64_t size = 0;
  ASSERT_EQ(::read(ends[0], &size, sizeof size), ssize_t{sizeof size});
  std::string answer(size, '\0');
  ASSERT_EQ(::read(ends[0], answer.data(), size), static_cast<ssize_t>(size));
  EXPECT_EQ(answer, "void n::f<int>(int*)\n");

  const std::string process = fmt::format("/proc/{}/", child);
  EXPECT_NE(Slurp(process + "status").find("\nSeccomp:\t2\n"), std::string::npos);
  std::istringstream limits(Slurp(process + "limits"));
  int seen = 0;
  for (std::string line; std::getline(limits, line);) {
    const auto is = [&](const char* words) { return line.starts_with(words); };
    const std::string value = line.substr(std::min<size_t>(26, line.size()), 20);
    if (is("Max file size") || is("Max core file size")) seen += value.starts_with("0 ");
    if (is("Max cpu time")) seen += value.starts_with("5 ");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (is("Max address space")) seen += value.starts_with("1073741824 ");
#else
    if (is("Max address space")) ++seen;
#endif
  }
  EXPECT_EQ(seen, 4) << limits.str();
  ::close(ends[0]);  // it ends by itself
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// From now on this process, and what it executes, gets no pairs of sockets.
bool DenySockets() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Then there is no such process: the report is whole all the same.
TEST_F(NoLinesTest, AProcessThatDoesNotStartIsMentioned) {
  const std::string object = fmt::format("{}/lines-clang15.co", GCNJIT_CLI_OBJECTS);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(Path("stderr").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    if (DenySockets()) {
      ::execl(GCNJIT_PROGRAM, "gcnjit", "run", object.c_str(), "--kernel", "multiply", "--global",
              "65536", "--arg", "buf:4096", "--arg", "u32:3", nullptr);
    }
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  const std::string said = Slurp(Path("stderr"));
  ExpectInOrder(said, {"no source lines are shown: no socket", "memory write fault", "  at  ",
                       "  address  ", "  where  "});
  EXPECT_EQ(said.find("lines.h"), std::string::npos) << said;
}

}  // namespace
}  // namespace gcnjit::cli_test
