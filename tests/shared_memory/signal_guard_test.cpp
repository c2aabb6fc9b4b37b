// Signals that are not a guest access's go where they would go without us. Each case is a process
// of its own.
#include "runtime/memory/signal_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "gcnjit/device.h"
#include "tests/shared_memory/fixture.h"

namespace gcnjit {
namespace {

using runtime::SignalGuard;

constexpr int kHandled = 42;
volatile uintptr_t nowhere = 8;

void Crash() { *reinterpret_cast<volatile int*>(nowhere) = 1; }

void OnSignalInfo(int, siginfo_t* info, void* context) {
  const bool is_right = info->si_addr == reinterpret_cast<void*>(nowhere) && context != nullptr;
  _exit(is_right ? kHandled : 1);
}
void OnSignal(int) { _exit(kHandled); }

struct sigaction Install(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  struct sigaction before;
  sigaction(signal, &action, &before);
  return before;
}
struct sigaction InstallInfo(int signal, void (*handler)(int, siginfo_t*, void*), int flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = flags | SA_SIGINFO;
  struct sigaction before;
  sigaction(signal, &action, &before);
  return before;
}
void (*HandlerOf(int signal))(int) {
  struct sigaction now;
  sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

// Runs `body`, which may end the process, as one that has no handlers of the test program's.
[[noreturn]] void RunAlone(const std::function<void()>& body) {
  rlimit none = {};
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  body();
  _exit(0);
}
#define EXPECT_OUTCOME(body, outcome) EXPECT_EXIT(RunAlone(body), outcome, "")

using testing::ExitedWithCode;
using testing::KilledBySignal;

TEST(SignalGuardDeathTest, HandlerFromBefore) {
  EXPECT_OUTCOME(
      [] {
        InstallInfo(SIGSEGV, OnSignalInfo);
        const SignalGuard guard;
        Crash();
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, PlainHandlerFromBefore) {
  EXPECT_OUTCOME(
      [] {
        Install(SIGSEGV, OnSignal);
        const SignalGuard guard;
        Crash();
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, HandlerFromAfter) {
  EXPECT_OUTCOME(
      [] {
        const SignalGuard guard;
        InstallInfo(SIGSEGV, OnSignalInfo);
        Crash();
      },
      ExitedWithCode(kHandled));
}

// Handlers on top of each other, of which the uppermost hands on.
struct sigaction below;
void HandOnToBelow(int signal, siginfo_t* info, void* context) {
  below.sa_sigaction(signal, info, context);
}
TEST(SignalGuardDeathTest, HandlersFromBeforeAndAfter) {
  EXPECT_OUTCOME(
      [] {
        InstallInfo(SIGSEGV, OnSignalInfo);
        const SignalGuard guard;
        below = InstallInfo(SIGSEGV, HandOnToBelow);
        Crash();
      },
      ExitedWithCode(kHandled));
}
TEST(SignalGuardDeathTest, DefaultBelowAHandlerFromAfter) {
  EXPECT_OUTCOME(
      [] {
        const SignalGuard guard;
        below = InstallInfo(SIGSEGV, HandOnToBelow);
        Crash();
      },
      KilledBySignal(SIGSEGV));
}
// Ours cannot be taken away from below another one; it goes on handing on, also when there is a
// guard again.
TEST(SignalGuardDeathTest, HandlerFromAfterOutlivesTheGuard) {
  EXPECT_OUTCOME(
      [] {
        InstallInfo(SIGSEGV, OnSignalInfo);
        {
          const SignalGuard guard;
          below = InstallInfo(SIGSEGV, HandOnToBelow);
        }
        const SignalGuard again;
        Crash();
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, Default) {
  EXPECT_OUTCOME(
      [] {
        const SignalGuard guard;
        Crash();
      },
      KilledBySignal(SIGSEGV));
  EXPECT_OUTCOME(
      [] {
        const SignalGuard guard;
        kill(getpid(), SIGBUS);
      },
      KilledBySignal(SIGBUS));
}

// A fault cannot be ignored; a signal that was sent can.
TEST(SignalGuardDeathTest, Ignored) {
  EXPECT_OUTCOME(
      [] {
        signal(SIGSEGV, SIG_IGN);
        const SignalGuard guard;
        Crash();
      },
      KilledBySignal(SIGSEGV));
  EXPECT_OUTCOME(
      [] {
        signal(SIGSEGV, SIG_IGN);
        const SignalGuard guard;
        for (int n = 0; n < 3; ++n) kill(getpid(), SIGSEGV);
      },
      ExitedWithCode(0));
}

TEST(SignalGuardDeathTest, BusError) {
  EXPECT_OUTCOME(
      [] {
        Install(SIGBUS, OnSignal);
        const SignalGuard guard;
        char name[] = "/tmp/gcnjit_signal_XXXXXX";
        const int file = mkstemp(name);
        unlink(name);
        auto* const mapped =
            static_cast<volatile char*>(mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0));
        (void)*mapped;
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, HandlerForOneSignal) {
  EXPECT_OUTCOME(
      [] {
        static std::atomic<int> calls = 0;
        Install(
            SIGSEGV, [](int) { ++calls; }, static_cast<int>(SA_RESETHAND));
        const SignalGuard guard;
        raise(SIGSEGV);
        if (calls != 1) _exit(1);
        raise(SIGSEGV);
      },
      KilledBySignal(SIGSEGV));
}

// A handler that recovers by a jump, as garbage collectors and language runtimes do.
sigjmp_buf recovery;
TEST(SignalGuardDeathTest, HandlerThatJumpsOut) {
  EXPECT_OUTCOME(
      [] {
        Install(SIGSEGV, [](int) { siglongjmp(recovery, 1); });
        const SignalGuard guard;
        volatile int times = 0;
        if (sigsetjmp(recovery, 1) != 0) times = times + 1;
        if (times < 5) Crash();
        _exit(times == 5 ? kHandled : 1);
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, HandlersMask) {
  const auto body = [](int flags, bool own_blocked) {
    struct sigaction action = {};
    static int wanted_own = 0;
    wanted_own = own_blocked;
    action.sa_handler = [](int) {
      sigset_t now;
      sigprocmask(SIG_BLOCK, nullptr, &now);
      const bool is_right =
          sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGSEGV) == wanted_own;
      _exit(is_right ? kHandled : 1);
    };
    sigaddset(&action.sa_mask, SIGUSR1);
    action.sa_flags = flags;
    sigaction(SIGSEGV, &action, nullptr);
    const SignalGuard guard;
    Crash();
  };
  EXPECT_OUTCOME([&] { body(0, true); }, ExitedWithCode(kHandled));
  EXPECT_OUTCOME([&] { body(SA_NODEFER, false); }, ExitedWithCode(kHandled));
}

// A handler for stack overflows needs a stack of its own, and we must not get in its way.
[[gnu::noinline]] int Deeper(volatile char* above) {
  volatile char frame[4096];
  frame[0] = 1;
  if (above != nullptr && above[0] == 0) return 0;  // never, which the compiler does not know
  return Deeper(frame) + frame[0];
}
TEST(SignalGuardDeathTest, StackOverflow) {
  EXPECT_OUTCOME(
      [] {
        static char storage[64 * 1024];
        stack_t stack = {};
        stack.ss_sp = storage;
        stack.ss_size = sizeof storage;
        sigaltstack(&stack, nullptr);
        Install(SIGSEGV, OnSignal, SA_ONSTACK);
        const SignalGuard guard;
        _exit(Deeper(nullptr) & 1);
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, EverythingIsPutBack) {
  EXPECT_OUTCOME(
      [] {
        Install(SIGSEGV, OnSignal);
        {
          const SignalGuard guard;
          const SignalGuard another;
          if (HandlerOf(SIGSEGV) == OnSignal) _exit(1);
        }
        if (HandlerOf(SIGSEGV) != OnSignal || HandlerOf(SIGBUS) != SIG_DFL) _exit(2);
        const SignalGuard again;
        Crash();
      },
      ExitedWithCode(kHandled));
}

TEST(SignalGuardDeathTest, ContainedDevicesInstallNothing) {
  EXPECT_OUTCOME(
      [] {
        const Device contained = *Device::Create();
        if (HandlerOf(SIGSEGV) != SIG_DFL || HandlerOf(SIGBUS) != SIG_DFL) _exit(1);
        std::optional<Device> shared = *Device::Create(MemoryMode::kShared);
        if (HandlerOf(SIGSEGV) == SIG_DFL || HandlerOf(SIGBUS) == SIG_DFL) _exit(2);
        shared.reset();
        if (HandlerOf(SIGSEGV) != SIG_DFL || HandlerOf(SIGBUS) != SIG_DFL) _exit(3);
      },
      ExitedWithCode(0));
}

// ---- With kernels that run

using SignalGuardKernelDeathTest = SharedMemoryTest;

// Signals that a process sends while a kernel runs are the program's, and the kernel goes on.
std::atomic<int> sent_signals;
TEST_P(SignalGuardKernelDeathTest, SentSignalsWhileAKernelRuns) {
  EXPECT_OUTCOME(
      [this] {
        Install(SIGSEGV, [](int) { ++sent_signals; });
        SetUp();
        const HostPages memory(1);
        const HostPages flags(1);
        const pthread_t kernel = pthread_self();
        std::thread sender([&] {
          volatile uint32_t* const flag = flags.As();
          while (*flag == 0) std::this_thread::yield();
          for (int n = 1; n <= 200; ++n) {
            pthread_kill(kernel, SIGSEGV);
            while (sent_signals < n) std::this_thread::yield();
          }
          flag[16] = 1;
        });
        const auto result = Start("use_until", 64,
                                  Arguments()
                                      .Buffer(flags.address())
                                      .Buffer(flags.address() + 64)
                                      .Buffer(memory.address())
                                      .Value(1u));
        sender.join();
        const bool is_right = result && result->status == LaunchStatus::kDone &&
                              sent_signals == 200 && memory.As()[63] == 63;
        _exit(is_right ? kHandled : 1);
      },
      ExitedWithCode(kHandled));
}
#undef EXPECT_OUTCOME

INSTANTIATE_TEST_SUITE_P(All, SignalGuardKernelDeathTest, kEnginesAndTargets, EngineAndTargetName);

}  // namespace
}  // namespace gcnjit
