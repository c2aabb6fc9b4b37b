// Which host instructions compiled code may use, and what this processor does best with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcnjit::backend {

enum class HostIsa { kAvx2, kAvx512 };

std::string_view NameOf(HostIsa isa);

// Can this processor run code for `isa`? AVX-512 means F, BW, CD, DQ and VL.
bool HostHas(HostIsa isa);

// How this processor is best asked for what waves that stream through memory will access.
// docs/architecture.md has the figures.
struct Prefetching {
  int32_t bytes_ahead = 0;  // of consecutive dwords
  // Of a block that accesses two places at most, behind its loads; 0: like others.
  int32_t bytes_ahead_of_few = 0;
  // Both, where a slice is a part of the wave: so many times as far.
  int32_t times_for_parts = 1;
  bool is_second_level = false;  // into that cache, whether they are read or written
  // Of a loop that a slice runs by itself; 0: nothing is asked for there.
  int32_t iterations_ahead = 0;
  bool asks_in_loops = true;  // of several blocks, for their next iteration
  // Loads of streams that are behind so many cache lines wait for those; 0: nobody waits.
  int32_t lines_in_flight = 0;
  // A launch of so many work-items had better write past the caches; 0: none had.
  uint64_t past_caches_from = 0;
};
Prefetching HostPrefetching();

// The best of this processor, or what GCNJIT_FORCE_ISA=avx2|avx512 asks for. If that is not a name,
// or not of this processor, `why_not` says so and there is no result.
std::optional<HostIsa> ChooseHostIsa(std::string* why_not);

}  // namespace gcnjit::backend
