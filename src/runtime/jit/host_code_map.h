// For profiles: from an address in compiled code to the guest instruction that it was emitted for.
// One for the process, off until a profiler turns it on, because it takes memory and compile time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "backend_x64/compile/region.h"

namespace gcnjit::runtime {

class HostCodeMap {
 public:
  static HostCodeMap& Instance();

  // Code that is compiled from now on is noted.
  void Enable() { enabled_.store(true, std::memory_order_relaxed); }
  bool is_enabled() const { return enabled_.load(std::memory_order_relaxed); }

  // Compiled with CompileOptions::spans. Code that lay there before has been freed.
  void Add(const backend::CompiledRegion& region);

  // Nothing: that is not compiled code.
  std::optional<backend::GuestSpan> Find(uint64_t host_pc) const;

 private:
  struct Region {
    uint64_t end = 0;
    std::vector<backend::GuestSpan> spans;
  };
  std::atomic<bool> enabled_ = false;
  mutable std::mutex mutex_;
  std::map<uint64_t, Region> regions_;  // by where their code begins; guarded by mutex_
};

}  // namespace gcnjit::runtime
