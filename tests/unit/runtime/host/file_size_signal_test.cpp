// Writing past RLIMIT_FSIZE within a library (runtime/host/file_size_signal.h).
#include "runtime/host/file_size_signal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace gcnjit::runtime {
namespace {

// A file in which no byte may be written, for the process's default handling of SIGXFSZ.
class Full {
 public:
  Full() : file_(std::tmpfile()) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none = {0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~Full() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::fclose(file_);
  }
  // errno of writing; 0: it was written.
  int Write() const { return ::write(::fileno(file_), "x", 1) == 1 ? 0 : errno; }

 private:
  std::FILE* file_;
  rlimit before_ = {};
};

bool IsBlocked() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, SIGXFSZ) == 1;
}

bool IsPending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGXFSZ) == 1;
}

TEST(FileSizeSignalTest, WritingIsAnErrorWhereItIsBlocked) {
  const Full full;
  {
    const FileSizeSignalBlock block;
    EXPECT_EQ(full.Write(), EFBIG);
    EXPECT_EQ(full.Write(), EFBIG);
    EXPECT_TRUE(IsPending());
  }
  // Unblocked with the signal pending, the process would have ended here.
  EXPECT_FALSE(IsBlocked());
  EXPECT_FALSE(IsPending());
}

TEST(FileSizeSignalTest, TheHostProgramsHandlingStays) {
  struct sigaction before = {}, after = {};
  ::sigaction(SIGXFSZ, nullptr, &before);
  { const FileSizeSignalBlock block; }
  ::sigaction(SIGXFSZ, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);

  // A host program that blocks it, and has one pending, finds both as they were.
  const Full full;
  sigset_t signal, old;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal, &old);
  EXPECT_EQ(full.Write(), EFBIG);
  {
    const FileSizeSignalBlock block;
    EXPECT_EQ(full.Write(), EFBIG);
  }
  EXPECT_TRUE(IsBlocked());
  EXPECT_TRUE(IsPending());
  constexpr timespec kNow = {};
  sigtimedwait(&signal, nullptr, &kNow);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

TEST(FileSizeSignalDeathTest, ItIsTheEndElsewhere) {
  EXPECT_EXIT(
      {
        const Full full;
        (void)full.Write();
      },
      testing::KilledBySignal(SIGXFSZ), "");
}

}  // namespace
}  // namespace gcnjit::runtime
