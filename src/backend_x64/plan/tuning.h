// What a processor model does best with: rows of tuning.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gcnjit::backend {

// How the processor is asked for what waves that stream through memory will access.
struct Tuning {
  std::string_view name = {};
  // AMD's processors of these families; 0: any that no other row is of.
  int first_family = 0;
  int last_family = 0;

  int32_t bytes_ahead = 0;  // of consecutive dwords
  // Of a block that accesses two places at most, after its loads; 0: like others.
  int32_t bytes_ahead_of_few = 0;
  // Both, where a slice is a part of the wave: so many times as far.
  int32_t times_for_parts = 1;
  bool is_second_level = false;  // into that cache, whether they are read or written
  bool asks_in_loops = true;     // of several blocks, for their next iteration
  // A launch of so many work-items had better write past the caches; 0: none had.
  uint64_t past_caches_from = 0;
  int32_t bytes_ahead_of_rows = 0;  // of each lane's stream (plan/streams.h)
};

std::span<const Tuning> Tunings();

// Of the processor that this program runs on.
const Tuning& HostTuning();

// nullptr: no row has that name.
const Tuning* FindTuning(std::string_view name);

}  // namespace gcnjit::backend
