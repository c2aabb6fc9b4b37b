#include "runtime/host/signal_chain.h"

namespace gcnjit::runtime {

bool IsHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void CallHandler(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  sigset_t blocked = action.sa_mask;
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  sigset_t before;
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (!sigismember(&blocked, signal)) pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace gcnjit::runtime
