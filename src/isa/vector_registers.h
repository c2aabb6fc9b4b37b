// Numbers of vector registers: v0 to v255 and, where a generation has them, the accumulation
// registers a0 to a255 after them. Each is 64 lanes of 32 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace gcnjit::frontend {

inline constexpr int kMaxVgprs = 256;
inline constexpr int kFirstAccVgpr = kMaxVgprs;  // a0
inline constexpr int kVectorRegisters = 2 * kMaxVgprs;

// Numbers of registers of either kind.
struct VgprCounts {
  uint16_t vgprs = 0;
  uint16_t acc_vgprs = 0;
  constexpr bool Hold(const VgprCounts& needed) const {
    return needed.vgprs <= vgprs && needed.acc_vgprs <= acc_vgprs;
  }
  friend constexpr auto operator<=>(const VgprCounts&, const VgprCounts&) = default;
};

constexpr bool IsAccVgpr(int number) { return number >= kFirstAccVgpr; }

// "v3", "a3".
inline std::string VectorRegisterName(int number) {
  return (IsAccVgpr(number) ? "a" : "v") + std::to_string(number % kMaxVgprs);
}

}  // namespace gcnjit::frontend
