// Prefetches of memory that later waves, or the next iteration, will probably access.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend_x64/plan/tuning.h"
#include "ir/function.h"

namespace gcnjit::backend {

inline constexpr int kCacheLine = 64;

// Where an access will be next.
struct Lookahead {
  int32_t bytes = 0;
  ir::Value step =
      {};  // instead, if there is one: by so many of the index's units, an SGPR's value
  // For the next iteration, not for the next wave. Until then the lines of a matrix's rows had
  // better be in the second-level cache: 4 KiB apart, they evict each other from the first one.
  bool is_loop = false;
  // Another load of the block is ahead of this one: by `lead` (a scalar, in units of the index), or
  // by `lead` - `lead_from` bytes. If that is little, as between neighbouring rows, earlier waves'
  // runs of that load have brought what this one accesses into the cache. None: there is no such
  // load.
  ir::Value lead = {};
  ir::Value lead_from = {};
};

// Decides, for each access of a block in turn, what to prefetch with it.
class Streams {
 public:
  Streams(const ir::Function& function, const ir::Block& block);

  // Of an access of the indexed form. Where waves stream through memory, `next_waves` bytes ahead
  // is where a later one will be. None: an earlier access has asked for it, or it is not known.
  std::optional<Lookahead> Ask(const ir::Inst& access, int32_t next_waves);
  // Does the block load from there, or nearby?
  bool IsLoaded(ir::Value index, ir::Value base) const;

 private:
  // Accesses at addresses that differ by constants. What is stored to where the block has loaded
  // from has been asked for with the load.
  struct Stream {
    int64_t lowest = INT64_MAX;  // offsets
    int64_t highest = INT64_MIN;
    bool has_load = false;
    std::vector<int64_t> asked;
  };
  using Key = std::array<uint32_t, 2>;  // index, base

  // Lanes and a number of the wave's.
  struct ScalarSum {
    ir::Value lanes, number;
  };

  static Key KeyOf(const ir::Inst& access);
  ir::Value StepOf(ir::Value index) const;
  ir::Value Distance(ir::Value index, ir::Value other) const;
  ir::Value Before(ir::Value index, ir::Value other) const;
  std::optional<ScalarSum> ScalarSumOf(ir::Value v) const;
  void FindLead(const ir::Inst& load, Lookahead& lookahead) const;

  const ir::Function& function_;
  const ir::Block& block_;
  std::map<Key, Stream> streams_;
};

}  // namespace gcnjit::backend
