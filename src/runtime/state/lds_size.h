// How much LDS a work-group gets. The hardware allocates blocks: 64 dwords on gfx6, 128 dwords from
// gfx7 on, so a work-group's LDS reaches to the end of the last block.
//
// Sources: LLVM AMDGPUUsage, kernel descriptor, GRANULATED_LDS_SIZE (the dispatch packet's size is
// rounded up, static and dynamic together); Mesa ac_gpu_info.c, lds_encode_granularity and
// lds_alloc_granularity; Vega ISA, LDS allocation ("blocks of 128 Dwords").
#pragma once

#include <cstdint>

#include "isa/generation.h"

namespace gcnjit::runtime {

// The most that a work-group may have.
constexpr uint32_t MostLdsBytes(frontend::Generation generation) {
  return frontend::Has(generation, frontend::kLds64K) ? 64 * 1024 : 32 * 1024;
}

// What a work-group gets that asks for `bytes`, at most MostLdsBytes.
constexpr uint32_t AllocatedLdsBytes(frontend::Generation generation, uint32_t bytes) {
  const uint32_t block = frontend::Has(generation, frontend::kLds64K) ? 128 * 4 : 64 * 4;
  return (bytes + block - 1) / block * block;
}

}  // namespace gcnjit::runtime
