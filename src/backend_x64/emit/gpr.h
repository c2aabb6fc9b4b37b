// General-purpose registers as scalars use them.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

namespace gcnjit::backend {

// One value in one register, 32 or 64 bits wide; a u1 is 0 or 1.
inline asmjit::x86::Gp Gp(int reg, bool wide) {
  return wide ? asmjit::x86::Gp(asmjit::x86::gpq(static_cast<uint32_t>(reg)))
              : asmjit::x86::Gp(asmjit::x86::gpd(static_cast<uint32_t>(reg)));
}

inline bool FitsImmediate(uint64_t value, bool wide) {
  return !wide || static_cast<int64_t>(value) == static_cast<int32_t>(value);
}

}  // namespace gcnjit::backend
