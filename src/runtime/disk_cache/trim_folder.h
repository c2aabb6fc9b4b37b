// Keeps a cache's folder within its bound.
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

// Files of the cache end so; others are left alone.
inline constexpr char kEntrySuffix[] = ".region";
inline constexpr char kUnfinishedSuffix[] = ".part";

// What an entry of so many bytes takes up. Most are small, and a folder of them would hold many
// times what it was given.
constexpr uint64_t BytesOnDisk(uint64_t bytes) {
  constexpr uint64_t kBlock = 4096;
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

// If the entries are more than `max_bytes`, removes those that have not been used for longest,
// until there is room again; besides, unfinished files of writers that were killed. Returns the
// bytes that remain on disk. `folder` is an open one.
uint64_t TrimFolder(int folder, uint64_t max_bytes);

}  // namespace gcnjit::runtime
