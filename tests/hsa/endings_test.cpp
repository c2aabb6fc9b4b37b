// GCNJIT_STATS, GCNJIT_TRACE and GCNJIT_CHECK when a signal ends the program: what comes out, and
// that the program ends by that signal. Each case runs in a process of its own.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

constexpr int kFatal[] = {SIGHUP, SIGINT, SIGTERM, SIGABRT};
constexpr int kSent[] = {SIGHUP, SIGINT, SIGTERM};

const std::string kTable =
    "^gcnjit:  launches .*\ngcnjit: +1 +100 .* add_one\ngcnjit: 0 copies .*\n"
    "gcnjit: [0-9]+ regions compiled .*\n";

[[noreturn]] void Sleep() {
  while (true) pause();
}

class EndingsDeathTest : public KernelTest {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {}

  // Runs a kernel to its end.
  void Begin(const char* variable, const std::string& value) {
    setenv(variable, value.c_str(), 1);
    KernelTest::SetUp();
    const hsa_signal_t done = Signal(1);
    Submit(queue_, Packet("add_one", {Address(Allocate<uint32_t>(100))}, 100, 64, done));
    if (!Done(done)) _exit(77);
  }
  // Starts a kernel that does not end.
  void BeginEndless() {
    uint32_t* values = Allocate<uint32_t>(2, kFine);
    values[0] = values[1] = 0;
    Submit(queue_, Packet("say_and_wait", {Address(values), Address(values + 1)}, 1, 1, {0}));
    while (__atomic_load_n(values, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  }
  // A path for this test alone: others run at the same time.
  static std::string File(const char* name) {
    std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(test, '/', '_');
    return testing::TempDir() + "gcnjit_ending_" + test + "_" + name;
  }
  static nlohmann::json Json(const std::string& path) {
    const std::vector<char> text = ReadFile(path.c_str());
    return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  }
  // stderr takes nothing until the pipe is read.
  static void MakeStuckPipe(int (&ends)[2]) {
    if (pipe(ends) != 0) _exit(1);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], "x", 1) == 1) {
    }
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], STDERR_FILENO);
  }
  static void WriteErrorsTo(const std::string& path) {
    dup2(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
  }
};

// By each of the signals.
class EachEndingDeathTest : public EndingsDeathTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, EachEndingDeathTest, testing::ValuesIn(kFatal));

TEST_F(EndingsDeathTest, TheTableComes) {
  for (const int signal : kFatal) {
    const auto sent = [&] {
      Begin("GCNJIT_STATS", "1");
      kill(getpid(), signal);
      Sleep();
    };
    EXPECT_EXIT(sent(), testing::KilledBySignal(signal), kTable + "$") << strsignal(signal);
    const auto raised_by_a_thread = [&] {
      Begin("GCNJIT_STATS", "1");
      std::thread([&] { raise(signal); }).join();
      Sleep();
    };
    EXPECT_EXIT(raised_by_a_thread(), testing::KilledBySignal(signal), kTable + "$");
  }
  const auto aborts = [&] {
    Begin("GCNJIT_STATS", "1");
    std::abort();
  };
  EXPECT_EXIT(aborts(), testing::KilledBySignal(SIGABRT), kTable + "$");
}

TEST_P(EachEndingDeathTest, JsonIsWhole) {
  const std::string path = File("report.json");
  const int signal = GetParam();
  const auto run = [&] {
    WriteErrorsTo(path);
    Begin("GCNJIT_STATS", "json");
    BeginEndless();
    kill(getpid(), signal);
    Sleep();
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(signal), "");
  const nlohmann::json report = Json(path);
  ASSERT_TRUE(report.is_object());
  ASSERT_EQ(report["kernels"].size(), 1u);
  EXPECT_EQ(report["kernels"][0]["kernel"], "add_one");
  ASSERT_EQ(report["unfinished"].size(), 1u);
  EXPECT_EQ(report["unfinished"][0]["kernel"], "say_and_wait");
  EXPECT_GT(report["unfinished"][0]["nanoseconds"], 0u);
  std::remove(path.c_str());
}

TEST_P(EachEndingDeathTest, TraceIsWhole) {
  const std::string path = File("trace.json");
  const int signal = GetParam();
  std::remove(path.c_str());
  const auto run = [&] {
    Begin("GCNJIT_TRACE", path);
    BeginEndless();
    kill(getpid(), signal);
    Sleep();
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(signal), "");
  const nlohmann::json trace = Json(path);
  ASSERT_TRUE(trace.is_array());
  std::string kernels;
  for (const auto& event : trace) {
    if (event["ph"] != "M")
      kernels += event["ph"].get<std::string>() + event["name"].get<std::string>() + ' ';
  }
  EXPECT_EQ(kernels, "Xadd_one Bsay_and_wait ");
  std::remove(path.c_str());
}

TEST_F(EndingsDeathTest, SummaryOfChecksComes) {
  const auto run = [&] {
    Begin("GCNJIT_CHECK", "all");
    kill(getpid(), SIGTERM);
    Sleep();
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGTERM), "^gcnjit: 0 findings, in 1 launch\n$");
}

TEST_F(EndingsDeathTest, UnfinishedKernelsAreTold) {
  const auto idle = [&] {
    Begin("GCNJIT_UNFINISHED", "1");
    kill(getpid(), SIGTERM);
    Sleep();
  };
  EXPECT_EXIT(idle(), testing::KilledBySignal(SIGTERM), "^gcnjit: no kernel was running\n$");
  const auto busy = [&] {
    Begin("GCNJIT_UNFINISHED", "1");
    BeginEndless();
    kill(getpid(), SIGTERM);
    Sleep();
  };
  EXPECT_EXIT(busy(), testing::KilledBySignal(SIGTERM),
              "^gcnjit: not finished after [0-9.]+ s, in queue 0: say_and_wait\n$");
  const auto exits = [&] {
    Begin("GCNJIT_UNFINISHED", "1");
    std::exit(3);
  };
  EXPECT_EXIT(exits(), testing::ExitedWithCode(3), "^$");
  const auto wrong = [] {
    setenv("GCNJIT_UNFINISHED", "yes", 1);
    std::exit(hsa_init() == HSA_STATUS_ERROR ? 0 : 1);
  };
  EXPECT_EXIT(wrong(), testing::ExitedWithCode(0), "GCNJIT_UNFINISHED=yes: it may be 1 or 0");
}

// A kernel's memory fault, and what HIP does upon another fault.
TEST_F(EndingsDeathTest, FaultsLeaveTheTable) {
  const auto memory = [&] {
    Begin("GCNJIT_STATS", "1");
    Submit(queue_, Packet("add_one", {0}, 100, 64, {0}));
    Sleep();
  };
  EXPECT_EXIT(memory(), testing::KilledBySignal(SIGABRT),
              "memory read fault in kernel 'add_one'(.*\n)*gcnjit:  launches .*\n"
              "gcnjit: +1 +100 .* add_one\n(.*\n)*gcnjit: not finished after .*: add_one\n$");
  const auto trap = [&] {
    Begin("GCNJIT_STATS", "1");
    uint32_t* values = Allocate<uint32_t>(2, kFine);
    values[0] = 1;
    hsa_queue_t* queue = nullptr;
    const auto abort = [](hsa_status_t, hsa_queue_t*, void*) { std::abort(); };
    EXPECT_OK(hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_MULTI, abort, nullptr, UINT32_MAX,
                               UINT32_MAX, &queue));
    Submit(queue, Packet("wait_and_trap", {Address(values), Address(values + 1)}, 1, 1, {0}));
    Sleep();
  };
  EXPECT_EXIT(trap(), testing::KilledBySignal(SIGABRT),
              "kernel 'wait_and_trap'(.*\n)*gcnjit:  launches .*\ngcnjit: +1 +100 .* add_one\n");
}

// The host program's own handlers, installed before ours.

TEST_F(EndingsDeathTest, HandlerThatGoesOnIsCalled) {
  for (const int signal : kSent) {
    static volatile sig_atomic_t calls;
    const auto run = [&] {
      ::signal(signal, [](int) { calls = calls + 1; });
      Begin("GCNJIT_STATS", "1");
      raise(signal);
      raise(signal);
      if (calls != 2) _exit(1);
      write(STDERR_FILENO, "on\n", 3);
      std::exit(7);
    };
    // Once, at the end.
    EXPECT_EXIT(run(), testing::ExitedWithCode(7), "^on\n" + kTable.substr(1) + "$");
  }
}

TEST_F(EndingsDeathTest, HandlerThatEndsByTheSignalIsFollowed) {
  for (const int signal : kFatal) {
    const auto run = [&] {
      ::signal(signal, [](int number) {
        write(STDERR_FILENO, "mine\n", 5);
        ::signal(number, SIG_DFL);
        raise(number);
      });
      Begin("GCNJIT_STATS", "1");
      raise(signal);
      Sleep();
    };
    // SIGABRT cannot be taken back, so there the report comes first.
    const std::string text = signal == SIGABRT ? kTable + "mine\n$" : "^mine\n" + kTable.substr(1);
    EXPECT_EXIT(run(), testing::KilledBySignal(signal), text) << strsignal(signal);
  }
}

TEST_F(EndingsDeathTest, HandlerGetsWhatItAskedFor) {
  const auto run = [&] {
    struct sigaction action = {};
    action.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
      sigset_t blocked;
      sigprocmask(SIG_BLOCK, nullptr, &blocked);
      const bool right = signal == SIGTERM && info->si_pid == getpid() && context != nullptr &&
                         sigismember(&blocked, SIGUSR1) == 1 && sigismember(&blocked, SIGINT) == 0;
      if (!right) _exit(1);
    };
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGTERM, &action, nullptr);
    Begin("GCNJIT_STATS", "1");
    raise(SIGTERM);
    write(STDERR_FILENO, "on\n", 3);
    raise(SIGTERM);  // SA_RESETHAND: it is the default action's now
    Sleep();
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGTERM), "^on\n" + kTable.substr(1) + "$");
}

TEST_F(EndingsDeathTest, IgnoredSignalsStayIgnored) {
  for (const int signal : kSent) {
    const auto run = [&] {
      ::signal(signal, SIG_IGN);
      Begin("GCNJIT_STATS", "1");
      kill(getpid(), signal);
      write(STDERR_FILENO, "on\n", 3);
      std::exit(0);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^on\n" + kTable.substr(1) + "$");
  }
}

// And afterwards.
TEST_F(EndingsDeathTest, LaterHandlerReplacesOurs) {
  for (const int signal : kFatal) {
    const auto run = [&] {
      Begin("GCNJIT_STATS", "1");
      ::signal(signal, [](int) { _exit(9); });
      raise(signal);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(9), "^$");
  }
}

TEST_F(EndingsDeathTest, NothingIsInstalledUnlessAReportIsWanted) {
  const auto run = [&] {
    Begin("GCNJIT_STATS", "0");
    for (const int signal : kFatal) {
      struct sigaction action = {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_DFL) _exit(1);
    }
    _exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

// A process that was forked off ends at once, and says nothing, by a signal or otherwise.
TEST_F(EndingsDeathTest, ForkedProcessesReportNothing) {
  // True: it took less than one waits for a report that does not come. Once in so many attempts is
  // enough, on a machine with much else to do.
  const auto is_quick = [](const std::function<void()>& end, int status) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto begin = std::chrono::steady_clock::now();
      const pid_t child = fork();
      if (child == 0) {
        end();
        _exit(99);
      }
      int found = 0;
      waitpid(child, &found, 0);
      if (found != status) return false;
      const auto time = std::chrono::steady_clock::now() - begin;
      if (time < std::chrono::milliseconds(900)) return true;
    }
    return false;
  };
  const auto run = [&](const std::function<void()>& end, int status) {
    Begin("GCNJIT_STATS", "1");
    if (!is_quick(end, status)) _exit(1);
    write(STDERR_FILENO, "on\n", 3);
    std::exit(0);
  };
  const std::string once = "^on\n" + kTable.substr(1) + "$";
  EXPECT_EXIT(run([] { raise(SIGTERM); }, SIGTERM), testing::ExitedWithCode(0), once);
  EXPECT_EXIT(run([] { std::exit(4); }, 4 << 8), testing::ExitedWithCode(0), once);
}

// stderr takes nothing any more: the process ends all the same, and leaves no part of a trace.
TEST_P(EachEndingDeathTest, ReportThatDoesNotGetOnIsGivenUp) {
  const std::string folder = File("stuck");
  const int signal = GetParam();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const auto run = [&] {
    int ends[2];
    MakeStuckPipe(ends);
    setenv("GCNJIT_STATS", "1", 1);
    alarm(10);
    Begin("GCNJIT_TRACE", folder + "/trace.json");
    raise(signal);
    Sleep();
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(signal), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

// A program that exits is interrupted in the middle of its report, which comes out all the same: a
// signal does not make the thread that writes it wait for itself.
TEST_F(EndingsDeathTest, SignalDuringTheReportOfAnExit) {
  const std::string path = File("late.json");
  const auto run = [&] {
    std::remove(path.c_str());
    int ends[2];
    MakeStuckPipe(ends);
    setenv("GCNJIT_STATS", "1", 1);
    alarm(10);
    Begin("GCNJIT_TRACE", path);
    std::thread([&ends] {
      sigset_t term;
      sigemptyset(&term);
      sigaddset(&term, SIGTERM);
      pthread_sigmask(SIG_BLOCK, &term, nullptr);
      usleep(200'000);
      kill(getpid(), SIGTERM);
      usleep(200'000);
      char bytes[4096];
      while (read(ends[0], bytes, sizeof bytes) > 0) {
      }
    }).detach();
    std::exit(0);
  };
  // It is ended by whichever is first once the report is out.
  const auto either = [](int status) { return status == 0 || status == SIGTERM; };
  EXPECT_EXIT(run(), either, "");
  EXPECT_TRUE(Json(path).is_array());
  std::remove(path.c_str());
}

}  // namespace
}  // namespace gcnjit::hsa_tests
