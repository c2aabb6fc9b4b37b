// The ways between the blocks of a region, those by instructions that the interpreter executes
// among them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/analysis/region_shapes.h"
#include "ir/function.h"

namespace gcnjit::ir {

class RegionFlow {
 public:
  // A block that may come next, and what the interpreter may have written until then.
  struct Way {
    size_t block = 0;
    std::bitset<kVgprs> written;
    std::bitset<kSgprs> written_sgprs;
  };

  RegionFlow(const Function& function, const ShapeAssumptions& assumptions);

  // By the block's index.
  std::vector<Way> From(size_t block) const;
  // The index of the block that begins there; nullptr: none does.
  const size_t* BlockAt(uint64_t begin) const;

 private:
  void Follow(uint64_t pc, std::vector<Way>& ways) const;

  const Function& function_;
  const ShapeAssumptions& assumptions_;
  std::unordered_map<uint64_t, size_t> block_at_;
};

}  // namespace gcnjit::ir
