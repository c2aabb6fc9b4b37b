// A folder of entries that any number of processes read and write at once. An entry is a file of
// its own, named after the hash of its key; it is written under another name and then renamed, so
// a reader finds all of it or nothing. What is read is checked: an entry that is damaged, or of
// another key, or not the user's own, is as good as none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::runtime {

class CacheFolder {
 public:
  // Is the folder, which is made if need be, good for entries? The Error says what is wrong.
  static Result<void> Check(const std::string& path);

  // `path` is absolute, and Check() has had nothing against it.
  CacheFolder(std::string path, uint64_t max_bytes);

  using Bytes = std::span<const std::byte>;
  // Is there a file for this key? It may turn out to be damaged.
  bool Has(Bytes key) const;
  std::optional<std::vector<std::byte>> Read(Bytes key) const;
  // Failures are silent: the entry is not there then.
  void Write(Bytes key, Bytes contents);

  const std::string& path() const { return path_; }

 private:
  void Account(int folder, uint64_t bytes);

  const std::string path_;
  const uint64_t max_bytes_;
  std::atomic<bool> is_writable_ = true;  // no write has failed
  std::mutex mutex_;                      // guards what follows
  std::optional<uint64_t> bytes_;         // in the folder, as far as this process knows
};

}  // namespace gcnjit::runtime
