// Memory that can be mapped at several addresses and in several processes: a file in memory, which
// has a descriptor as long as this lives.
//
// Its size is sealed: no process that has a descriptor of it can take away pages that are mapped.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "gcnjit/error.h"

namespace gcnjit::runtime {

class SharedPages {
 public:
  // `bytes` zeros, whole pages. `name` (up to 200 characters) is what Import finds, too. `counter`,
  // if there is one, counts the bytes while they are there.
  static Result<std::shared_ptr<const SharedPages>> Create(
      uint64_t bytes, const std::string& name,
      std::shared_ptr<std::atomic<uint64_t>> counter = nullptr);
  // What Create has made, here or in another process, by a descriptor of it, which stays the
  // caller's. kInvalidArgument: it is of something else.
  static Result<std::shared_ptr<const SharedPages>> Import(int file);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  uint64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  int file() const { return file_; }
  // Another descriptor, which the caller has to close.
  Result<int> Export() const;
  // Are both the same memory?
  bool IsSame(const SharedPages& other) const {
    return device_ == other.device_ && inode_ == other.inode_;
  }

 private:
  SharedPages() = default;

  int file_ = -1;
  uint64_t bytes_ = 0;
  std::string name_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::shared_ptr<std::atomic<uint64_t>> counter_;
};

}  // namespace gcnjit::runtime
