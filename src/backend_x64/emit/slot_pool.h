// Places in the memory of a region's frame.
#pragma once

#include <map>
#include <vector>

namespace gcnjit::backend {

// Numbered places in memory, reused once free.
class SlotPool {
 public:
  int Take(int count = 1) {
    std::vector<int>& free = free_[count];
    if (!free.empty()) {
      const int slot = free.back();
      free.pop_back();
      return slot;
    }
    const int slot = size_;
    size_ += count;
    return slot;
  }
  // As many as have been taken there.
  void Free(int slot, int count = 1) { free_[count].push_back(slot); }
  int size() const { return size_; }

 private:
  std::map<int, std::vector<int>> free_;  // by count
  int size_ = 0;
};

}  // namespace gcnjit::backend
