// Ranges of guest addresses that nothing has. The caller locks. What throws (std::bad_alloc)
// leaves all ranges as they were.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace gcnjit::runtime {

class AddressPool {
 public:
  // Neighbours are merged.
  void Add(uint64_t address, uint64_t bytes);
  // As Add, but not before so many bytes more have been added that the quarantine is over.
  void AddLater(uint64_t address, uint64_t bytes);
  // The bytes that are kept back at most from now on. 0, as at first: none.
  void SetQuarantine(uint64_t bytes);

  // An aligned place for so many, in the smallest range that has one; 0: there is none.
  uint64_t Find(uint64_t bytes, uint64_t alignment) const;
  bool Has(uint64_t address, uint64_t bytes) const;
  // Which Find has found, or Has says are there.
  void Take(uint64_t address, uint64_t bytes);

 private:
  struct Quarantined {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };

  using Holes = std::map<uint64_t, uint64_t>;

  void AddHole(uint64_t address, uint64_t bytes);
  void ChangeHole(Holes::iterator hole, uint64_t address, uint64_t bytes) noexcept;
  void RemoveHole(Holes::iterator hole) noexcept;
  void EndQuarantine();

  Holes holes_;                                            // address -> size
  std::set<std::pair<uint64_t, uint64_t>> holes_by_size_;  // (size, address)
  std::deque<Quarantined> quarantined_;                    // the oldest first
  uint64_t quarantined_bytes_ = 0;
  uint64_t quarantine_limit_ = 0;
};

}  // namespace gcnjit::runtime
