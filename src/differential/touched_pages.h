// Which pages of guest memory code accesses while it runs, told by the host's page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gcnjit::differential {

// While one lives, the first access to a page of `memory` (whole pages) is noticed. One at a time,
// and for the thread that made it.
class TouchedPages {
 public:
  explicit TouchedPages(std::span<const std::span<std::byte>> memory);
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  // Ends it: addresses of the pages, in ascending order.
  std::vector<uint64_t> Take();

 private:
  void End();

  bool is_active_ = true;
};

}  // namespace gcnjit::differential
