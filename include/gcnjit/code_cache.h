// Compiled code on disk: what one process has compiled, another one takes from there, as long as
// program, processor and gcnjit are the same (docs/cache.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gcnjit/error.h"
#include "gcnjit/export.h"

namespace gcnjit {

namespace runtime {
class CacheFolder;
}

inline constexpr uint64_t kDefaultCacheBytes = uint64_t{256} << 20;

// Copies share. Any number of threads and processes may use one folder at once.
class CodeCache {
 public:
  struct Options {
    std::string folder;  // made if it is not there
    // Most bytes to keep: when there is more, what has not been used for longest goes.
    uint64_t max_bytes = kDefaultCacheBytes;
  };

  // The Error says why the folder cannot be used: it must be the user's own, and not writable to
  // other users.
  GCNJIT_API static Result<CodeCache> Open(const Options& options);

  // A move is a copy: none is ever empty.
  CodeCache(const CodeCache&) = default;
  CodeCache& operator=(const CodeCache&) = default;

  const std::shared_ptr<runtime::CacheFolder>& internal() const { return impl_; }

 private:
  explicit CodeCache(std::shared_ptr<runtime::CacheFolder> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<runtime::CacheFolder> impl_;
};

// What the environment asks for: GCNJIT_CACHE_DIR, else gcnjit in $XDG_CACHE_HOME or ~/.cache;
// GCNJIT_CACHE_SIZE; GCNJIT_CACHE=0 for none. The Error says which variable is wrong and what it
// may be; a folder that cannot be used is none.
struct ChosenCache {
  std::optional<CodeCache> cache;
  std::string text;  // the folder, or why there is no cache
};
GCNJIT_API Result<ChosenCache> CacheFromEnvironment();

}  // namespace gcnjit
