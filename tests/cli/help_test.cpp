// --help fits a screen and begins with an example; progress is for terminals; mistakes name the
// command that helps.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

const char* const kCommands[] = {"exec", "run",  "debug", "bench",       "info",  "disasm",
                                 "isa",  "fuzz", "diff",  "completions", "manual"};

class HelpTest : public CliTest {
 protected:
  Outcome Help(const std::string& command) const { return Gcnjit({command, "--help"}); }

  // What comes to a terminal of that width as stderr.
  std::string OnTerminal(std::vector<std::string> arguments, unsigned short width = 80) const {
    int terminal = -1, end = -1;
    winsize size = {24, width, 0, 0};
    EXPECT_EQ(::openpty(&terminal, &end, nullptr, nullptr, &size), 0);
    arguments.insert(arguments.begin(), GCNJIT_PROGRAM);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(Path("stdout").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDOUT_FILENO);
      ::dup2(end, STDERR_FILENO);
      ::close(terminal);
      ::close(end);
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(end);
    std::string text;
    char part[4096];
    for (ssize_t got = 0; (got = ::read(terminal, part, sizeof part)) > 0;) {
      text.append(part, static_cast<size_t>(got));
    }
    ::close(terminal);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0) << text;
    return text;
  }

  std::vector<std::string> ShortBench() const {
    return {"bench",         std::string(GCNJIT_CLI_OBJECTS) + "/profile.co",
            "--kernel",      "uneven",
            "--global",      "128",
            "--time",        "0",
            "--repetitions", "2",
            "--engines",     "interp",
            "--arg",         "buf:1024"};
  }
};

TEST_F(HelpTest, FitsAScreen) {
  for (const char* command : kCommands) {
    const Outcome help = Help(command);
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    std::istringstream lines(help.out);
    size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(line.size(), 100u) << command << ": " << line;
    }
    EXPECT_LE(count, 50u) << help.out;
  }
}

TEST_F(HelpTest, BeginsWithAnExample) {
  for (const char* command : kCommands) {
    const std::string text = Help(command).out;
    const size_t example = text.find(std::string("\n\nExample:\n  gcnjit ") + command + " ");
    EXPECT_NE(example, std::string::npos) << text;
    EXPECT_LT(example, text.find("\nOptions:\n")) << command;
    EXPECT_NE(text.find("\n  -h,--help "), std::string::npos) << command;
    EXPECT_NE(text.find("\n  -q,--quiet "), std::string::npos) << command;
    EXPECT_TRUE(text.find("Usage: gcnjit " + std::string(command) + " [OPTIONS]") !=
                std::string::npos);
  }
}

TEST_F(HelpTest, SaysWhatValuesMayBe) {
  const std::string run = Help("run").out;
  for (const char* words : {"  --engine interp|jit ", "(jit)\n", "  --check[=KINDS] ",
                            "  --timeout SECONDS ", "Usage: gcnjit run [OPTIONS] CODE_OBJECT\n",
                            "  TYPE:VALUE ", "More examples: man gcnjit-run\n"}) {
    EXPECT_NE(run.find(words), std::string::npos) << words << " in\n" << run;
  }
  const std::string all = Gcnjit({"--help"}).out;
  for (const char* command : kCommands) {
    EXPECT_NE(all.find(std::string("\n  ") + command + "  "), std::string::npos) << all;
  }
}

TEST_F(HelpTest, MistakesNameTheNextCommand) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "'gcnjit --help'"},
      {{"dance"}, "'gcnjit --help'"},
      {{"run"}, "'gcnjit run --help'"},
      {{"bench", "x.co", "--no-such-option"}, "'gcnjit bench --help'"},
      {{"fuzz", "--count", "none"}, "'gcnjit fuzz --help'"},
      {{"run", ObjectOf("gfx900"), "--kernel", "scal", "--global", "64"}, "'gcnjit info'"},
  };
  for (const auto& [line, next] : mistakes) {
    const Outcome outcome = Gcnjit(line);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(next), std::string::npos) << outcome.err;
  }
  const Outcome fault = RunKernel("gfx900", "stray", {"buf:256", "u32:5"});
  EXPECT_EQ(fault.exit_code, 3);
  EXPECT_NE(fault.err.find("Next: 'gcnjit debug'"), std::string::npos) << fault.err;
}

TEST_F(HelpTest, ProgressIsALineOnATerminal) {
  const std::string text = OnTerminal(ShortBench());
  EXPECT_NE(text.find("\r\033[Kcounting"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\033[Kinterp: repetition 2"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST_F(HelpTest, ProgressIsNoWiderThanTheTerminal) {
  const std::string text = OnTerminal(ShortBench(), 12);
  size_t lines = 0;
  for (size_t at = text.find("\033[K"); at != std::string::npos; ++lines) {
    const size_t end = text.find('\r', at);
    EXPECT_LE(std::min(end, text.size()) - at - 3, 11u) << text;
    at = text.find("\033[K", at + 3);
  }
  EXPECT_GT(lines, 3u);
}

TEST_F(HelpTest, QuietAndFilesHaveNoProgress) {
  std::vector<std::string> line = ShortBench();
  EXPECT_EQ(Gcnjit(line).err, "");
  line.push_back("--quiet");
  EXPECT_EQ(OnTerminal(line), "");
}

TEST_F(HelpTest, QuietKeepsMistakesAndResults) {
  Outcome fault = RunKernel("gfx900", "stray", {"buf:256", "u32:5"}, {"--global", "64", "-q"});
  EXPECT_EQ(fault.exit_code, 3);
  EXPECT_NE(fault.err.find("memory write fault"), std::string::npos);
  EXPECT_EQ(fault.err.find("Next:"), std::string::npos);
  const Outcome run = RunKernel("gfx900", "scale", {"buf:256", "iota:u32:64", "u32:3"},
                                {"--global", "64", "--quiet", "--stats"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("wave-instructions"), std::string::npos);
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

}  // namespace
}  // namespace gcnjit::cli_test
