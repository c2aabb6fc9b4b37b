// High dwords of the flat apertures. runtime/wave_state.h has the same: frontend knows no runtime.
#pragma once

#include <cstdint>

namespace gcnjit::frontend {

inline constexpr uint64_t kSharedBase = uint64_t{0x00010000} << 32;
inline constexpr uint64_t kPrivateBase = uint64_t{0x00020000} << 32;

}  // namespace gcnjit::frontend
