// What a region's entry in the cache is found by: all that the compiler's output depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/disk_cache/hash.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/jit/region_cache.h"

namespace gcnjit::runtime {

// `build`: BuildId(). `code`: hash of the code range that `pc` is in, which begins at
// `range.begin`. `kernel`: see RegionCache::Find.
std::vector<std::byte> RegionKey(std::span<const std::byte> build, const JitOptions& options,
                                 const JitKey& key, const frontend::Processor& processor,
                                 CodeMap::CodeRange range, const Hash128& code, uint64_t pc,
                                 uint64_t kernel);

}  // namespace gcnjit::runtime
