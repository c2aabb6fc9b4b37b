#include "runtime/memory/signal_guard.h"

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <iterator>
#include <mutex>

#include "runtime/host/signal_chain.h"
#include "runtime/memory/guarded_access.h"

namespace gcnjit::runtime {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS};
constexpr size_t kSignalCount = std::size(kSignals);

// What was there before. Written before our handler is installed, and never while it is, so that
// it may be read without a lock.
struct sigaction previous[kSignalCount];
// SA_RESETHAND has done its work.
std::atomic<bool> previous_is_used[kSignalCount];

std::atomic<ResumeCode> resume_code = nullptr;

std::mutex mutex;  // guards what follows
int guards = 0;
bool is_placed[kSignalCount];  // ours is installed, or the program has put another over it

void Handle(int signal, siginfo_t* info, void* context);

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == Handle;
}

size_t IndexOf(int signal) { return signal == SIGSEGV ? 0 : 1; }

// Lets the default action happen: at once if the signal was sent, otherwise by doing again what
// raised it.
void UseDefault(int signal, const siginfo_t& info) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
  if (info.si_code <= 0) raise(signal);  // blocked until we return
}

void HandOn(int signal, siginfo_t* info, void* context) {
  const size_t n = IndexOf(signal);
  const struct sigaction& action = previous[n];
  if (IsHandler(action)) {
    const bool once = (action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
    if (once && previous_is_used[n].exchange(true)) {
      UseDefault(signal, *info);
    } else {
      CallHandler(action, signal, info, context);
    }
  } else if (action.sa_handler == SIG_IGN && info->si_code <= 0) {
    // Sent by a process, so it can be ignored; a fault cannot.
  } else {
    UseDefault(signal, *info);
  }
}

// Async-signal-safe: no lock, no allocation, nothing but registers and memory that does not change.
void Handle(int signal, siginfo_t* info, void* context) {
  gregset_t& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (info->si_code > 0) {  // a fault, not sent
    const auto pc = static_cast<uint64_t>(registers[REG_RIP]);
    if (const uint64_t resume = ResumeAfterGuardedAccess(pc)) {
      registers[REG_RIP] = static_cast<greg_t>(resume);
      return;
    }
    const ResumeCode resume = resume_code.load(std::memory_order_acquire);
    if (resume != nullptr && resume(registers, reinterpret_cast<uint64_t>(info->si_addr))) return;
  }
  HandOn(signal, info, context);
}

void Place(size_t n) {
  struct sigaction ours = {};
  ours.sa_sigaction = Handle;
  // On the thread's alternative stack if it has one: the host's handler may be for overflows of the
  // other one.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(kSignals[n], nullptr, &previous[n]);
  previous_is_used[n] = false;
  sigaction(kSignals[n], &ours, nullptr);
  is_placed[n] = true;
}

}  // namespace

void SetResumeCode(ResumeCode resume) { resume_code.store(resume, std::memory_order_release); }

SignalGuard::SignalGuard() {
  const std::lock_guard lock(mutex);
  if (guards++ != 0) return;
  for (size_t n = 0; n < kSignalCount; ++n) {
    // Above a handler that hands on to ours it would be called twice, and hand on to itself.
    if (!is_placed[n]) Place(n);
  }
}

SignalGuard::~SignalGuard() {
  const std::lock_guard lock(mutex);
  if (--guards != 0) return;
  for (size_t n = 0; n < kSignalCount; ++n) {
    struct sigaction now = {};
    sigaction(kSignals[n], nullptr, &now);
    if (!IsOurs(now)) continue;
    struct sigaction restored = previous[n];
    if (previous_is_used[n]) restored.sa_handler = SIG_DFL;
    sigaction(kSignals[n], &restored, nullptr);
    is_placed[n] = false;
  }
}

UnblockedFaults::UnblockedFaults(bool needed) {
  if (!needed) return;
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : kSignals) sigaddset(&ours, signal);
  pthread_sigmask(SIG_UNBLOCK, &ours, &before_.emplace());
}

UnblockedFaults::~UnblockedFaults() {
  if (before_) pthread_sigmask(SIG_SETMASK, &*before_, nullptr);
}

}  // namespace gcnjit::runtime
