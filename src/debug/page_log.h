// What pages of guest memory held before they were written, interval by interval of a run, so that
// memory can be put back to what it was at the begin of any of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::debug {

class PageLog {
 public:
  explicit PageLog(const runtime::GuestMemory& memory) : memory_(memory) {}

  // An interval begins. There is one before anything is written.
  void Begin();
  // Bytes that the guest may be about to write; where it may not write, nothing is kept.
  void WillWrite(uint64_t address, uint64_t bytes);
  // Memory is what it was at the begin of interval n; the later ones are gone, and n begins anew.
  void Rewind(size_t n);
  // Interval n, not the first, becomes a part of the one before.
  void Merge(size_t n);

  // That are kept.
  uint64_t bytes() const { return pages_ * kPage; }

 private:
  static constexpr uint64_t kPage = runtime::GuestMemory::kPageBytes;
  using Contents = std::array<std::byte, kPage>;
  using Interval = std::unordered_map<uint64_t, std::unique_ptr<Contents>>;  // by address

  const runtime::GuestMemory& memory_;
  std::vector<Interval> intervals_;
  uint64_t pages_ = 0;
  uint64_t last_ = 0;  // page that was kept, in the last interval; 0: none
};

}  // namespace gcnjit::debug
