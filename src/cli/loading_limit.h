// A time limit on what comes before a launch: files that never end, code objects, buffers' data.
#pragma once

#include <signal.h>

namespace gcnjit::cli {

class LoadingLimit {
 public:
  // The process ends with kExitTimeout, and says why, a tenth of a second after so many: then what
  // has limits of its own has said it better. 0: never. One at a time; it has SIGALRM.
  explicit LoadingLimit(double seconds);
  LoadingLimit(const LoadingLimit&) = delete;
  LoadingLimit& operator=(const LoadingLimit&) = delete;
  ~LoadingLimit();

 private:
  bool is_set_ = false;
  struct sigaction before_ = {};
};

}  // namespace gcnjit::cli
