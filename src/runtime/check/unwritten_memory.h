// Which bytes of memory nothing has written, as far as that can be told: memory whose contents
// mean nothing before it is written (GuestMemory::LeaveUndefined), in pages that were untouched
// when the launch came to them first. From then on the kernel's stores count, byte by byte.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime::check {

class UnwrittenMemory {
 public:
  explicit UnwrittenMemory(const GuestMemory& memory)
      : memory_(memory), has_any_(memory.HasUndefined()) {}

  // The kernel stores these bytes.
  void Write(uint64_t address, uint64_t bytes);
  // Has nothing written any of them? Asked before the kernel reads them.
  bool Holds(uint64_t address, uint64_t bytes);

 private:
  using Page = std::bitset<GuestMemory::kPageBytes>;  // bytes that nothing has written

  // Null: there are none in the page.
  Page* PageOf(uint64_t address);

  const GuestMemory& memory_;
  const bool has_any_;
  uint64_t epoch_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;  // by number
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace gcnjit::runtime::check
