// Moves of one lane's element, or of scalars, between guest memory and registers.
//
// Aligned 8 bytes are moved by one instruction, also as part of more: other waves see all of them
// or nothing, which 64-bit atomic loads and stores are built on. They are plain loads and stores of
// two dwords (LLVM AMDGPUUsage, "Memory Model gfx6-gfx9": load and store atomic monotonic). A
// compiler may take a memcpy apart, which is why these are volatile accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gcnjit::runtime {

namespace element_internal {

template <typename T>
struct Piece {
  using Unaligned [[gnu::aligned(1), gnu::may_alias]] = T;
  static void Load(std::byte* to, const std::byte* from) {
    const T value = *reinterpret_cast<const volatile Unaligned*>(from);
    std::memcpy(to, &value, sizeof value);
  }
  static void Store(std::byte* to, const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    *reinterpret_cast<volatile Unaligned*>(to) = value;
  }
};

// Calls move(Piece, offset) for each piece of `bytes` bytes.
template <typename F>
inline void ForEachPiece(uint32_t bytes, const F& move) {
  uint32_t at = 0;
  for (; bytes - at >= 8; at += 8) move(Piece<uint64_t>{}, at);
  if ((bytes & 4) != 0) {
    move(Piece<uint32_t>{}, at);
    at += 4;
  }
  if ((bytes & 2) != 0) {
    move(Piece<uint16_t>{}, at);
    at += 2;
  }
  if ((bytes & 1) != 0) move(Piece<uint8_t>{}, at);
}

}  // namespace element_internal

// `from` is in guest memory.
inline void LoadElement(void* to, const void* from, uint32_t bytes) {
  element_internal::ForEachPiece(bytes, [&](auto piece, uint32_t at) {
    piece.Load(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at);
  });
}

// `to` is in guest memory.
inline void StoreElement(void* to, const void* from, uint32_t bytes) {
  element_internal::ForEachPiece(bytes, [&](auto piece, uint32_t at) {
    piece.Store(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at);
  });
}

}  // namespace gcnjit::runtime
