// Places in the memory of a region's frame.
#pragma once

#include <vector>

namespace gcnjit::backend {

// Numbered places in memory, reused once free.
class SlotPool {
 public:
  int Take(int count = 1) {
    if (count == 1 && !free_.empty()) {
      const int slot = free_.back();
      free_.pop_back();
      return slot;
    }
    const int slot = size_;
    size_ += count;
    return slot;
  }
  void Free(int slot) { free_.push_back(slot); }
  int size() const { return size_; }

 private:
  std::vector<int> free_;
  int size_ = 0;
};

}  // namespace gcnjit::backend
