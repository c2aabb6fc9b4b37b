// How the 64 lanes of an access lay to each other when the runtime last looked: where they lie like
// that again, compiled code moves them by permutations, without a look at each lane. For loads and
// stores of dwords in the indexed form whose addresses are no run, and of which nothing is known
// when they are compiled: strides that are arguments, say.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ir/types.h"

namespace gcnjit::backend {

// A part is what a register holds, 16 lanes. Its lanes are among the 32 dwords that begin with the
// lowest of them.
struct alignas(64) CachedPermutation {
  static constexpr int kParts = 4;
  static constexpr int kPartLanes = 16;
  static constexpr uint32_t kMostShift = 4;  // of an index's unit

  uint32_t offsets[ir::kLanes];  // of the lanes' indices from lane 0's
  // Of loads: which of its part's dwords a lane gets.
  uint32_t dword_of[ir::kLanes];
  // Of stores: the last lane that goes to each of the part's dwords, and whether there is one.
  uint32_t lane_of[kParts][2][kPartLanes];
  uint16_t is_written[kParts][2];
  int32_t begin[kParts];  // of the part's dwords, in bytes from the lowest lane's address
  uint32_t lowest;        // the lowest lane's index, from lane 0's
  // The greatest index of the lowest lane with which no other lane's wraps around.
  uint32_t most_unsigned;
  int32_t most_signed;
  uint32_t hits;  // accesses that have been like this since the runtime looked last
  uint32_t
      reach;  // begin of the last of all parts' dwords, in bytes from the lowest lane's address
};

// Makes the pattern of `indices`, which are counted in units of 1 << `shift` bytes. False: the
// lanes of a part lie too far from each other, or not whole dwords apart.
bool MakePermutation(const std::array<uint32_t, ir::kLanes>& indices, uint32_t shift,
                     CachedPermutation& pattern);

// What compiled code knows of one access.
struct PermutationSlot {
  static constexpr uint32_t kLeastPatience = 4;
  CachedPermutation* pattern = nullptr;  // nullptr: none
  // Accesses that may find nothing here before the runtime looks again; how many could last time.
  uint32_t misses_left = kLeastPatience;
  uint32_t patience = kLeastPatience;
};

// Patterns of one thread's accesses, by the number of the access's site.
class PermutationCache {
 public:
  PermutationSlot* slots() { return slots_.data(); }  // until the next Resize
  void Resize(size_t sites) {
    if (slots_.size() < sites) slots_.resize(sites);
  }
  void Clear();
  // The site's lanes lie like this now.
  void Learn(PermutationSlot& slot, const std::array<uint32_t, ir::kLanes>& indices,
             uint32_t shift);

 private:
  std::vector<PermutationSlot> slots_;
  std::vector<std::unique_ptr<CachedPermutation>> patterns_;
};

}  // namespace gcnjit::backend
