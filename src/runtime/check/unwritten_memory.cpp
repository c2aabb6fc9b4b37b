#include "runtime/check/unwritten_memory.h"

#include <algorithm>
#include <cstddef>

namespace gcnjit::runtime::check {

UnwrittenMemory::Page* UnwrittenMemory::PageOf(uint64_t address) {
  if (epoch_ != memory_.epoch()) {
    // Other memory may be there now.
    epoch_ = memory_.epoch();
    pages_.clear();
    last_number_ = ~uint64_t{0};
  }
  const uint64_t number = address / GuestMemory::kPageBytes;
  if (number == last_number_) return last_;
  const auto [page, is_new] = pages_.try_emplace(number);
  if (is_new && memory_.IsUntouched(address)) {
    page->second = std::make_unique<Page>();
    page->second->set();
  }
  last_number_ = number;
  last_ = page->second.get();
  return last_;
}

void UnwrittenMemory::Write(uint64_t address, uint64_t bytes) {
  if (!has_any_) return;
  for (uint64_t at = address; at != address + bytes; ++at) {
    if (Page* page = PageOf(at)) page->reset(at % GuestMemory::kPageBytes);
  }
}

// Bytes that are not 0 have been written by something else meanwhile.
bool UnwrittenMemory::Holds(uint64_t address, uint64_t bytes) {
  if (!has_any_) return false;
  for (uint64_t at = address; at != address + bytes; ++at) {
    const Page* page = PageOf(at);
    if (page == nullptr || !page->test(at % GuestMemory::kPageBytes)) return false;
  }
  const auto* const memory = reinterpret_cast<const std::byte*>(address);
  return std::all_of(memory, memory + bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace gcnjit::runtime::check
