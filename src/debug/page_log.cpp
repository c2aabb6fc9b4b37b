#include "debug/page_log.h"

#include <cstring>

namespace gcnjit::debug {

void PageLog::Begin() {
  intervals_.emplace_back();
  last_ = 0;
}

void PageLog::WillWrite(uint64_t address, uint64_t bytes) {
  const uint64_t first = address / kPage * kPage;
  const uint64_t last = (address + bytes - 1) / kPage * kPage;
  if (first == last_ && last == last_) return;
  for (const uint64_t page : {first, last}) {
    if (!memory_.Writable(page, 1)) continue;
    std::unique_ptr<Contents>& contents = intervals_.back()[page];
    last_ = page;
    if (contents != nullptr) continue;
    contents = std::make_unique<Contents>();
    std::memcpy(contents->data(), reinterpret_cast<const void*>(page), kPage);
    ++pages_;
  }
}

void PageLog::Rewind(size_t n) {
  while (intervals_.size() > n) {
    for (const auto& [page, contents] : intervals_.back()) {
      std::memcpy(reinterpret_cast<void*>(page), contents->data(), kPage);
    }
    pages_ -= intervals_.back().size();
    intervals_.pop_back();
  }
  Begin();
}

void PageLog::Merge(size_t n) {
  Interval& into = intervals_[n - 1];
  for (auto& [page, contents] : intervals_[n]) {
    // What the earlier one has is older.
    if (!into.try_emplace(page, std::move(contents)).second) --pages_;
  }
  if (n + 1 == intervals_.size()) last_ = 0;
  intervals_.erase(intervals_.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace gcnjit::debug
