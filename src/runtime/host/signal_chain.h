// What a handler of a signal hands on to: the action that was there before it.
#pragma once

#include <signal.h>

namespace gcnjit::runtime {

// A handler, and neither the default action nor ignoring?
bool IsHandler(const struct sigaction& action);

// Calls a handler as the kernel would have, with its mask. Async-signal-safe.
void CallHandler(const struct sigaction& action, int signal, siginfo_t* info, void* context);

}  // namespace gcnjit::runtime
