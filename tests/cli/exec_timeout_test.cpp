// gcnjit exec --timeout: the program's end, signals on their way to it, and job control.
#include <pty.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <thread>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class ExecTimeoutTest : public CliTest {
 protected:
  Outcome Exec(const std::string& seconds, const std::string& script) const {
    return Gcnjit({"exec", "--timeout=" + seconds, "--", "sh", "-c", script});
  }

  static bool Within(std::chrono::milliseconds time, const std::function<bool()>& is_so) {
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
      if (is_so()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return is_so();
  }

  // Starts gcnjit in a process group of its own, as a shell with job control does, with a script
  // that does not end, and waits until that runs.
  void Start(const std::string& traps = ":") {
    fs::remove(Path("pid"));
    const std::string program =
        fmt::format("cd {}; {}; echo $$ > made; mv made pid; while :; do sleep 0.05; done",
                    directory_.string(), traps);
    started_ = ::fork();
    if (started_ == 0) {
      ::setpgid(0, 0);
      ::execl(GCNJIT_PROGRAM, "gcnjit", "exec", "--timeout", "60", "--", "sh", "-c",
              program.c_str(), nullptr);
      ::_exit(127);
    }
    ASSERT_TRUE(Within(20s, [&] { return fs::exists(Path("pid")); }));
    program_ = std::stoi(Slurp(Path("pid")));
  }
  int WaitForExit() const {
    int status = 0;
    ::waitpid(started_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // 'S', 'T' and so on, as in /proc; 0: there is none.
  static char StateOf(pid_t process) {
    const std::string text = Slurp(fmt::format("/proc/{}/stat", process));
    const size_t name_end = text.rfind(')');
    return name_end == std::string::npos ? '\0' : text[name_end + 2];
  }

  pid_t started_ = 0;
  pid_t program_ = 0;
};

TEST_F(ExecTimeoutTest, IsNotSeenByAProgramThatEndsInTime) {
  EXPECT_EQ(Exec("60", "exit 0").exit_code, 0);
  EXPECT_EQ(Exec("60", "exit 7").exit_code, 7);
  EXPECT_EQ(Exec("1000000000", "exit 255").exit_code, 255);
  const Outcome quiet = Exec("60", "echo out; echo err >&2");
  EXPECT_EQ(quiet.out, "out\n");
  EXPECT_EQ(quiet.err, "err\n");
  // Signals are neither blocked nor ignored for it.
  const std::string signals = "grep -E 'SigBlk|SigIgn' /proc/self/status";
  const Outcome plain = Gcnjit({"exec", "--", "sh", "-c", signals});
  EXPECT_NE(plain.out, "");
  EXPECT_EQ(Exec("60", signals).out, plain.out);
  EXPECT_NE(Exec("60", "env").out.find("GCNJIT_UNFINISHED=1\n"), std::string::npos);
}

TEST_F(ExecTimeoutTest, EndsByASignalAreToldAsAShellDoes) {
  for (const int signal : {SIGHUP, SIGINT, SIGKILL, SIGSEGV, SIGABRT, SIGTERM}) {
    EXPECT_EQ(Exec("60", fmt::format("kill -{} $$", signal)).exit_code, 128 + signal);
  }
}

TEST_F(ExecTimeoutTest, ProgramThatCannotBeRun) {
  EXPECT_EQ(Gcnjit({"exec", "--timeout", "60", "--", "no-such-program"}).exit_code, 127);
  std::ofstream(Path("text")) << "no program";
  const Outcome text = Gcnjit({"exec", "--timeout", "60", "--", Path("text").string()});
  EXPECT_EQ(text.exit_code, 126);
  EXPECT_NE(text.err.find("cannot be executed"), std::string::npos) << text.err;
}

TEST_F(ExecTimeoutTest, EndsAProgramThatTakesTooLong) {
  const auto begin = Clock::now();
  const Outcome late = Exec("0.2", "exec sleep 60");
  EXPECT_EQ(late.exit_code, 124);
  EXPECT_EQ(late.err, "gcnjit exec: sh has run for 0.2 s (--timeout) and is ended\n");
  EXPECT_LT(Clock::now() - begin, 30s);
  // Also one that has something to say first, whatever its exit code.
  const Outcome tidy = Exec("0.2", "trap 'echo tidy; exit 0' TERM; while :; do sleep 0.05; done");
  EXPECT_EQ(tidy.exit_code, 124);
  EXPECT_EQ(tidy.out, "tidy\n");
  // One that is stopped, which is not killed for that.
  const Outcome stopped = Exec("0.2", "kill -STOP $$");
  EXPECT_EQ(stopped.exit_code, 124);
  EXPECT_EQ(stopped.err, late.err);
}

TEST_F(ExecTimeoutTest, KillsAProgramThatDoesNotEnd) {
  const Outcome deaf = Exec("0.2", "trap '' TERM; while :; do sleep 0.05; done");
  EXPECT_EQ(deaf.exit_code, 124);
  EXPECT_EQ(deaf.err,
            "gcnjit exec: sh has run for 0.2 s (--timeout) and is ended\n"
            "gcnjit exec: sh has not ended within 5 s of SIGTERM and is killed\n");
}

TEST_F(ExecTimeoutTest, RefusesWhatIsNoTime) {
  for (const char* seconds : {"0", "-1", "-0", "nan", "inf", "1e300", "1000000001", "5s", "1,5", "",
                              " 1", "0x10", "1e-400", "five"}) {
    const Outcome wrong = Exec(seconds, "exit 0");
    EXPECT_EQ(wrong.exit_code, 2) << seconds;
    EXPECT_NE(wrong.err.find("--timeout"), std::string::npos) << seconds << ": " << wrong.err;
  }
  ExpectMistake(Exec("1e300", "exit 0"),
                "'1e300' is no number of seconds, above 0 and up to 1000000000");
}

TEST_F(ExecTimeoutTest, PassesSignalsOn) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) {
    Start(fmt::format("trap 'exit {}' {}", 50 + signal, signal));
    ::kill(started_, signal);
    EXPECT_EQ(WaitForExit(), 50 + signal);
    // What there is no trap for ends the program, and gcnjit with it.
    Start();
    ::kill(started_, signal);
    EXPECT_EQ(WaitForExit(), 128 + signal);
  }
}

// Those of a terminal reach the program by themselves: it gets each once.
TEST_F(ExecTimeoutTest, DoesNotRepeatSignalsOfTheTerminal) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execl(GCNJIT_PROGRAM, "gcnjit", "exec", "--timeout", "60", "--", "sh", "-c",
            "trap 'echo one' INT; trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done",
            nullptr);
    ::_exit(127);
  }
  std::string text;
  const auto read_until = [&](const std::string& word) {
    char part[256];
    while (text.find(word) == std::string::npos) {
      const ssize_t size = ::read(terminal, part, sizeof part);
      if (size <= 0) return false;
      text.append(part, static_cast<size_t>(size));
    }
    return true;
  };
  ASSERT_TRUE(read_until("ready"));
  ASSERT_EQ(::write(terminal, "\x03", 1), 1);  // control C
  ASSERT_TRUE(read_until("one"));
  std::this_thread::sleep_for(200ms);
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << status;
  (void)read_until("no such word");
  EXPECT_EQ(text.find("one", text.find("one") + 1), std::string::npos) << text;
  ::close(terminal);
}

TEST_F(ExecTimeoutTest, StopsAndContinuesWithTheProgram) {
  Start();
  EXPECT_EQ(::getpgid(program_), started_);
  for (int turn = 0; turn < 3; ++turn) {
    ::kill(started_, SIGTSTP);
    int status = 0;
    const auto has_changed = [&] {
      return ::waitpid(started_, &status, WUNTRACED | WNOHANG) == started_;
    };
    EXPECT_TRUE(Within(20s, has_changed));
    if (!WIFSTOPPED(status)) ::kill(started_, SIGKILL);
    ASSERT_TRUE(WIFSTOPPED(status)) << status;
    EXPECT_EQ(StateOf(program_), 'T');
    ::kill(started_, SIGCONT);
    EXPECT_TRUE(Within(20s, [&] { return StateOf(program_) != 'T'; }));
  }
  ::kill(started_, SIGTERM);
  EXPECT_EQ(WaitForExit(), 128 + SIGTERM);
}

TEST_F(ExecTimeoutTest, TakesTheProgramWithItWhenItIsKilled) {
  Start();
  ::kill(started_, SIGKILL);
  EXPECT_EQ(WaitForExit(), -SIGKILL);
  const auto is_gone = [&] { return StateOf(program_) == '\0' || StateOf(program_) == 'Z'; };
  EXPECT_TRUE(Within(20s, is_gone));
  if (!is_gone()) ::kill(program_, SIGKILL);
}

}  // namespace
}  // namespace gcnjit::cli_test
