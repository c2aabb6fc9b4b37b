// The flat apertures: what the high dword of a flat address says that it is in LDS or in scratch
// (gfx7 to gfx9).
#pragma once

#include <cstdint>

namespace gcnjit {

inline constexpr uint64_t kSharedAperture = uint64_t{0x00010000} << 32;
inline constexpr uint64_t kPrivateAperture = uint64_t{0x00020000} << 32;

}  // namespace gcnjit
