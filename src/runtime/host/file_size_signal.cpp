#include "runtime/host/file_size_signal.h"

#include <cerrno>
#include <ctime>

namespace gcnjit::runtime {

FileSizeSignalBlock::FileSizeSignalBlock() {
  sigemptyset(&signal_);
  sigaddset(&signal_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  sigset_t pending = {};
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
}

FileSizeSignalBlock::~FileSizeSignalBlock() {
  const int kept_errno = errno;
  // Takes the signal that a write has left: the kernel sends it to the thread that wrote.
  constexpr timespec kNow = {};
  while (!was_pending_ && sigtimedwait(&signal_, nullptr, &kNow) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = kept_errno;
}

}  // namespace gcnjit::runtime
