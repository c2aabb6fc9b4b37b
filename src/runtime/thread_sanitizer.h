// What ThreadSanitizer has to be told of threads that a library hands work to: it does not see into
// libraries that are not instrumented. Nothing of it is left in other builds.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define GCNJIT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GCNJIT_TSAN 1
#endif
#endif

#ifdef GCNJIT_TSAN
#include <sanitizer/tsan_interface.h>
// For a function that runs before Taken() could be called.
#define GCNJIT_NOT_IN_TSAN __attribute__((no_sanitize("thread")))
#else
#define GCNJIT_NOT_IN_TSAN
#endif

namespace gcnjit::runtime {

// What a thread did before Given(), it did before whatever another one does after Taken(), of the
// same object. Call them where the library guarantees that.
class TsanHandover {
 public:
  void Given() {
#ifdef GCNJIT_TSAN
    __tsan_release(this);
#endif
  }
  void Taken() {
#ifdef GCNJIT_TSAN
    __tsan_acquire(this);
#endif
  }
};

}  // namespace gcnjit::runtime
