#include "tests/unit/backend_x64/single_step.h"

#include <signal.h>
#include <x86intrin.h>

#include <stdexcept>

namespace gcnjit::backend {
namespace {

constexpr unsigned long long kTrapFlag = 0x100;

void (*current_step)() = nullptr;
struct sigaction before;

// The kernel clears the flag for the handler and sets it again after it.
void HandleTrap(int) { current_step(); }

}  // namespace

SingleStep::SingleStep(void (*step)()) {
  current_step = step;
  struct sigaction action {};
  action.sa_handler = HandleTrap;
  if (sigaction(SIGTRAP, &action, &before) != 0) throw std::runtime_error("no SIGTRAP handler");
  __writeeflags(__readeflags() | kTrapFlag);
}

SingleStep::~SingleStep() {
  __writeeflags(__readeflags() & ~kTrapFlag);
  sigaction(SIGTRAP, &before, nullptr);
}

}  // namespace gcnjit::backend
