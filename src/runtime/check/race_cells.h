// Shadow memory of the race check: for each byte, its last accesses.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gcnjit::runtime::check {

// An access, as cells remember it: number of a record and lane. 0: none.
using AccessId = uint32_t;
constexpr uint32_t kLaneBits = 6;
constexpr AccessId MakeAccessId(uint32_t record, uint32_t lane) {
  return record << kLaneBits | lane;
}
constexpr uint32_t RecordOf(AccessId id) { return id >> kLaneBits; }
constexpr int LaneOf(AccessId id) { return static_cast<int>(id & ((1u << kLaneBits) - 1)); }

struct RaceCell {
  // Of a cell that synchronises: by a plain store.
  AccessId writer = 0;
  // Two readers since then. Two are enough: of readers that a later write can conflict with, one
  // of another group, or else two waves of the present one.
  AccessId readers[2] = {};
  // The last read before the writer's write.
  AccessId read_before = 0;
  // The address is one that waves synchronise by; what happens to it is no race.
  bool synchronises = false;

  // Of a cell that synchronises, which needs no readers: the last atomic instruction; the writer,
  // if nothing else has stored since.
  AccessId& atomic() { return readers[0]; }
  AccessId& flag() { return readers[1]; }
};

// Cells of guest memory, made when they are first asked for. They stay where they are.
class CellPages {
 public:
  static constexpr uint64_t kBytes = 4096;
  // The cells of the address's page, by offset in it.
  RaceCell* PageOf(uint64_t address) {
    const uint64_t number = address / kBytes;
    if (number == last_number_) return last_->data();
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_ = page.get();
    return last_->data();
  }

 private:
  using Page = std::array<RaceCell, kBytes>;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace gcnjit::runtime::check
