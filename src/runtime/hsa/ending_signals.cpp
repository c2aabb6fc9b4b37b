#include "runtime/hsa/ending_signals.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iterator>
#include <utility>

#include "runtime/host/host_thread.h"
#include "runtime/host/signal_chain.h"
#include "runtime/hsa/clock.h"

namespace gcnjit::hsa {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM, SIGABRT};
constexpr size_t kSignalCount = std::size(kSignals);

// Without a step of the report for so long, the process ends.
constexpr uint64_t kPatience = kTicksPerSecond;

// Written before our handlers are installed, and never while they are, so that handlers may read
// them without a lock.
pid_t process = 0;
struct sigaction previous[kSignalCount];

// SA_RESETHAND has done its work.
std::atomic<bool> previous_is_used[kSignalCount];

// Futexes, and not file descriptors, which a host program may close.
std::atomic<uint32_t> asked = 0;  // 1: there is to be a report
std::atomic<uint32_t> steps = 0;  // changes when the report gets on, and when it is finished
std::atomic<bool> is_finished = false;

void Wait(std::atomic<uint32_t>& word, uint32_t value, const timespec* time) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, time, nullptr, 0);
}

void WakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

sigset_t EndingSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

// What follows, up to OnSignal, is async-signal-safe: system calls and atomics.

// Returns when the report is finished, or does not get on.
void AskForReport() {
  asked = 1;
  WakeAll(asked);
  uint32_t seen = steps.load();
  uint64_t until = Now() + kPatience;
  while (!is_finished.load()) {
    if (const uint32_t now = steps.load(); now != seen) {
      seen = now;
      until = Now() + kPatience;
    }
    const uint64_t time = Now();
    if (time >= until) return;
    const timespec left = {0, static_cast<long>(std::min(until - time, kTicksPerSecond - 1))};
    Wait(steps, seen, &left);
  }
}

// Lets the default action happen.
void EndBy(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
  raise(signal);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
}

// Has the host program's handler left it to the default action, for when it has returned?
bool WillEnd(int signal) {
  struct sigaction action = {};
  sigset_t pending;
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL &&
         sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

size_t IndexOf(int signal) {
  size_t n = 0;
  while (kSignals[n] != signal) ++n;
  return n;
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const int kept_errno = errno;
  const size_t n = IndexOf(signal);
  const struct sigaction& action = previous[n];
  const bool is_ours = getpid() == process;
  const bool once = (action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
  const bool hands_on = runtime::IsHandler(action) && !(once && previous_is_used[n].exchange(true));
  if (is_ours && (signal == SIGABRT || !hands_on)) AskForReport();
  if (hands_on) {
    runtime::CallHandler(action, signal, info, context);
    if (is_ours && WillEnd(signal)) AskForReport();
  } else {
    EndBy(signal);
  }
  errno = kept_errno;
}

void Install(size_t n) {
  sigaction(kSignals[n], nullptr, &previous[n]);
  const bool is_ignored = !runtime::IsHandler(previous[n]) && previous[n].sa_handler == SIG_IGN;
  if (is_ignored) return;
  struct sigaction ours = {};
  ours.sa_sigaction = OnSignal;
  // System calls that the host program's handler interrupts go on or not as it has asked.
  constexpr int kKept = SA_RESTART | SA_ONSTACK;
  const int kept = runtime::IsHandler(previous[n]) ? previous[n].sa_flags & kKept : kKept;
  ours.sa_flags = SA_SIGINFO | kept;
  if (runtime::IsHandler(previous[n])) ours.sa_mask = previous[n].sa_mask;
  sigaction(kSignals[n], &ours, nullptr);
}

void RunReporter(const std::function<void()>& report) {
  while (asked.load() == 0) Wait(asked, 0, nullptr);
  try {
    report();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gcnjit: the report is not complete: %s\n", error.what());
  }
  is_finished = true;
  ReportGetsOn();
}

}  // namespace

Result<void> ReportAtEndingSignals(std::function<void()> report) {
  // The thread handles no signal: it would wait for itself.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  auto thread = runtime::HostThread::Start([report = std::move(report)] { RunReporter(report); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!thread) return thread.error();
  thread->Detach();
  process = getpid();
  for (size_t n = 0; n < kSignalCount; ++n) Install(n);
  return {};
}

void ReportGetsOn() {
  steps.fetch_add(1);
  WakeAll(steps);
}

EndingSignalsBlock::EndingSignalsBlock() {
  const sigset_t set = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

EndingSignalsBlock::~EndingSignalsBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace gcnjit::hsa
