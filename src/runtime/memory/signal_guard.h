// Turns SIGSEGV and SIGBUS of a guest's access to the host's memory into a failure of that access,
// and hands all other ones on.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <optional>

namespace gcnjit::runtime {

// Makes compiled code that a fault at `address` has interrupted go on in another way, and returns
// true; false if no compiled code was. Async-signal-safe.
using ResumeCode = bool (*)(gregset_t& registers, uint64_t address);

// Of the whole process: what the handler asks about faults outside of the runtime's own accesses.
void SetResumeCode(ResumeCode resume);

// While there is at least one, our handler of SIGSEGV and SIGBUS is installed. A signal that is not
// a guest access's goes to what was there before: a handler, with its mask and flags; the default
// action; or it is ignored where that is what the host does with such a signal.
//
// A handler that the host program installs later comes first. It must hand on what it does not
// know, as ours does, or guest accesses to memory that has been unmapped end in it. When the last
// guard goes and ours is not the one that is installed, it stays and hands on everything.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

// While it lives, the thread does not block these signals. Programs have threads that block all,
// and a fault whose signal is blocked ends the process.
class UnblockedFaults {
 public:
  // Not `needed`: it does nothing.
  explicit UnblockedFaults(bool needed);
  ~UnblockedFaults();
  UnblockedFaults(const UnblockedFaults&) = delete;
  UnblockedFaults& operator=(const UnblockedFaults&) = delete;

 private:
  std::optional<sigset_t> before_;
};

}  // namespace gcnjit::runtime
