// Writing past the limit of a file's size (RLIMIT_FSIZE) ends the process by SIGXFSZ, unless the
// host program has said otherwise. Where this library writes files, it is an error like others.
#pragma once

#include <csignal>

namespace gcnjit::runtime {

// While one lives, this thread's writes beyond the limit fail with EFBIG. The signal is blocked on
// this thread only, so the host program's handling of it stays what it is.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock();
  ~FileSizeSignalBlock();
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signal_ = {};
  sigset_t before_ = {};
  bool was_pending_ = false;
};

}  // namespace gcnjit::runtime
