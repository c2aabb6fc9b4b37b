// Independent chains of fused multiply-adds, for files that are compiled for one instruction set
// each. Those share no other inline code with the rest of the program.
#pragma once

#include <cstddef>

namespace gcnjit::measure {

// Does rounds x kFmaFlops(lanes) flops; returns something that depends on all of them.
float FmaLoopAvx2(float seed, size_t rounds);
float FmaLoopAvx512(float seed, size_t rounds);

inline constexpr size_t kFmaChains = 12;  // more than latency (4) x units (2)
inline constexpr size_t kFmaUnroll = 4;
constexpr size_t FmaFlops(size_t lanes) { return kFmaChains * kFmaUnroll * lanes * 2; }

}  // namespace gcnjit::measure
