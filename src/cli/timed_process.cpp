#include "cli/timed_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>

#include "cli/commands.h"
#include "cli/message.h"

namespace gcnjit::cli {
namespace {

using Clock = std::chrono::steady_clock;

// For the program, and for what gcnjit's library has to say, to come to an end after SIGTERM.
constexpr std::chrono::seconds kGrace(5);

// SIGCHLD apart, those that are passed on.
constexpr int kWatched[] = {SIGCHLD, SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                            SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

// Blocks the signals while it lives, so that they can be waited for, and SIGCHLD is not ignored.
class WatchedSignals {
 public:
  WatchedSignals() {
    sigemptyset(&set_);
    for (const int signal : kWatched) sigaddset(&set_, signal);
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, &child_action_before_);
    pthread_sigmask(SIG_BLOCK, &set_, &mask_before_);
  }
  ~WatchedSignals() {
    sigaction(SIGCHLD, &child_action_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;

  // The next signal; none: `time` is over, or another signal has come.
  std::optional<siginfo_t> Wait(Clock::duration time) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const std::chrono::nanoseconds rest = time - seconds;
    const timespec wait = {seconds.count(), rest.count()};
    siginfo_t info;
    return sigtimedwait(&set_, &info, &wait) < 0 ? std::nullopt : std::optional(info);
  }

 private:
  sigset_t set_ = {};
  sigset_t mask_before_ = {};
  struct sigaction child_action_before_ = {};
};

// The time that a program has: first its own, then that after SIGTERM.
class TimeLimit {
 public:
  TimeLimit(pid_t child, const std::string& name, double seconds)
      : child_(child), name_(name), seconds_(seconds), end_(Clock::now()) {
    end_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  Clock::duration left() const { return std::max(end_ - Clock::now(), Clock::duration::zero()); }
  bool is_over() const { return stage_ != Stage::kRuns; }

  // To be called when nothing is left.
  void End() {
    if (stage_ == Stage::kRuns) {
      PrintMessage("gcnjit exec: {} has run for {} s (--timeout) and is ended\n", name_, seconds_);
      ::kill(child_, SIGTERM);
      ::kill(child_, SIGCONT);  // it may be stopped
      stage_ = Stage::kTerminated;
      end_ = Clock::now() + kGrace;
      return;
    }
    if (stage_ == Stage::kTerminated) {
      PrintMessage("gcnjit exec: {} has not ended within {} s of SIGTERM and is killed\n", name_,
                   kGrace.count());
    }
    ::kill(child_, SIGKILL);
    stage_ = Stage::kKilled;
    end_ = Clock::now() + kGrace;
  }

 private:
  enum class Stage { kRuns, kTerminated, kKilled };
  const pid_t child_;
  const std::string& name_;
  const double seconds_;
  Clock::time_point end_;
  Stage stage_ = Stage::kRuns;
};

bool IsOfJobControl(int signal) {
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// The status of a child that has ended; none: it goes on. Stops with it.
std::optional<int> EndOf(pid_t child) {
  int status = 0;
  while (true) {
    const pid_t changed = ::waitpid(child, &status, WNOHANG | WUNTRACED);
    if (changed < 0 && errno == EINTR) continue;
    if (changed != child) return std::nullopt;
    if (!WIFSTOPPED(status)) return status;
    if (IsOfJobControl(WSTOPSIG(status))) ::raise(SIGSTOP);
  }
}

int WaitFor(pid_t child, const WatchedSignals& signals, TimeLimit& limit) {
  while (true) {
    if (const std::optional<int> status = EndOf(child)) {
      if (limit.is_over()) return kExitTimedOut;
      return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
    }
    const Clock::duration left = limit.left();
    if (left == Clock::duration::zero()) {
      limit.End();
      continue;
    }
    const std::optional<siginfo_t> info = signals.Wait(left);
    if (!info || info->si_signo == SIGCHLD) continue;
    const bool is_sent = info->si_code <= 0;  // otherwise by the terminal, to the child as well
    if (is_sent && info->si_pid != child) ::kill(child, info->si_signo);
  }
}

}  // namespace

int BecomeProgram(const std::string& program, const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  const int error = errno;
  PrintMessage("gcnjit exec: {}: cannot be executed: {}\n", program, std::strerror(error));
  return error == ENOENT ? kExitNotFound : kExitNotExecutable;
}

int RunTimedProgram(const std::string& program, const std::vector<std::string>& command,
                    double seconds) {
  const pid_t parent = ::getpid();
  std::optional<WatchedSignals> signals(std::in_place);
  const pid_t child = ::fork();
  if (child < 0) {
    PrintMessage("gcnjit exec: no process for {}: {}\n", program, std::strerror(errno));
    return kExitBadInput;
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kExitTimedOut);  // it has been killed meanwhile
    signals.reset();
    ::_exit(BecomeProgram(program, command));
  }
  TimeLimit limit(child, command[0], seconds);
  return WaitFor(child, *signals, limit);
}

}  // namespace gcnjit::cli
