// Host vectors for the rivals that the auto-vectoriser cannot do: as wide as the machine allows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gcnjit::bench::native {

#ifdef __AVX512F__
inline constexpr size_t kVectorBytes = 64;
#else
inline constexpr size_t kVectorBytes = 32;
#endif
inline constexpr size_t kLanes = kVectorBytes / 4;

using Floats [[gnu::vector_size(kVectorBytes)]] = float;
using Ints [[gnu::vector_size(kVectorBytes)]] = int32_t;
using Words [[gnu::vector_size(kVectorBytes)]] = uint32_t;

}  // namespace gcnjit::bench::native
