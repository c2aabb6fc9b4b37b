// Memory of the host process that is no allocation of ours, for the guest to access at its own
// address (MemoryMode::kShared): the malloc heap, stacks, mapped files.
//
// Which addresses are accessible is looked up in a snapshot of the process's mappings, which is
// taken again when it does not have what is asked for. It may be out of date the other way round:
// the host program may unmap memory at any time. So each access is guarded (guarded_access.h), and
// one that the snapshot allowed may still fail.
//
// Not accessible: the JIT's code through the mapping it is written by, the kernel's pages [vvar]
// and [vsyscall], and what the creator excludes. All the rest of the process is, our own heap
// included: a kernel with a wild pointer can do what a function of the host program with a wild
// pointer can do.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/memory/guarded_access.h"
#include "runtime/memory/signal_guard.h"

namespace gcnjit::runtime {

class HostMemory {
 public:
  enum Access : uint8_t { kRead = 1, kWrite = 2 };

  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint8_t access = 0;  // of Access
  };

  // `excluded`: what the guest may not access here. nullptr: the process's mappings cannot be read.
  static std::unique_ptr<HostMemory> Create(std::vector<Range> excluded);
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // Any thread may call these, at any time; bytes is 1 to 64. False: the guest may not access all
  // of them; some may have been written.
  bool Read(uint64_t address, void* to, uint32_t bytes);
  bool Write(uint64_t address, const void* from, uint32_t bytes);
  // *old = the value at `address`, atomically replaced by f(value). Naturally aligned.
  template <typename T, typename F>
  bool Update(uint64_t address, F f, T* old) {
    const auto at = reinterpret_cast<T*>(address);
    if (!Read(address, old, sizeof(T)) || !IsAccessible(address, sizeof(T), kRead | kWrite)) {
      return false;
    }
    GuardedExchange exchange = GuardedExchange::kDiffers;
    while (exchange == GuardedExchange::kDiffers) {
      exchange = GuardedCompareExchange(at, old, f(*old));
    }
    return exchange == GuardedExchange::kDone;
  }

  // Addresses around `address` that may be accessed like it, so far as is known; begin == end: it
  // may not be.
  Range AccessibleAround(uint64_t address, uint8_t access);
  bool IsAccessible(uint64_t address, uint32_t bytes, uint8_t access);
  // Looks anew what is accessible: an access has failed that was taken to be.
  void Refresh();
  // Changes with each snapshot that is taken, for tests: where nothing is mapped or unmapped, none
  // is.
  uint64_t generation() const { return generation_.load(); }

  // "16 bytes past the end of the host's memory 0x... to 0x... (rw, [heap])", for fault reports.
  std::string Describe(uint64_t address) const;

 private:
  explicit HostMemory(std::vector<Range> excluded) : excluded_(std::move(excluded)) {}

  bool TakeSnapshot();
  void Add(Range range);
  const Range* Find(uint64_t address) const;
  bool Covers(uint64_t address, uint32_t bytes, uint8_t access) const;

  const SignalGuard guard_;
  const std::vector<Range> excluded_;  // ascending
  // Of the snapshot; different for each of the process, so that what a thread remembers of one is
  // not taken for another's.
  std::atomic<uint64_t> generation_ = 0;
  std::mutex mutex_;           // guards what follows
  std::vector<Range> ranges_;  // ascending; neighbours that are alike are one
};

}  // namespace gcnjit::runtime
