// Moves of one lane's element, or of scalars, between guest memory and registers.
//
// Aligned 8 bytes are moved by one instruction, also as part of more: other waves see all of them
// or nothing, which 64-bit atomic loads and stores are built on. They are plain loads and stores of
// two dwords (LLVM AMDGPUUsage, "Memory Model gfx6-gfx9": load and store atomic monotonic). Nor do
// aligned 16 bytes come apart, of which no memory model speaks: rocPRIM's look-back keeps a flag
// and its value in as many (lookback_scan_state). A compiler may take a memcpy apart, which is why
// these are volatile accesses.
//
// Processors with AVX move aligned 16 bytes at once: AMD64 manual, volume 2, 7.3.2, "Access
// Atomicity", of any load or store; Intel SDM, volume 3, "Guaranteed Atomic Operations", of MOVDQA
// and its like, without masks. An element may be unaligned, which MOVDQA refuses; compiled code
// also moves several elements with one instruction, and loads with VINSERTF128, VINSERTI32X4 and
// VBROADCASTF128. An aligned element in them is relied on to move as it would by MOVDQA: they
// access memory like it, and where that is in pieces, because it is 32 or 64 bytes or crosses a
// cache line, these end at multiples of 16 bytes. Masked stores and gathers are not relied on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gcnjit::runtime {

namespace element_internal {

template <uint32_t kBytes>
struct Word;
template <>
struct Word<16> {
  using Type [[gnu::vector_size(16)]] = uint64_t;
};
template <>
struct Word<8> {
  using Type = uint64_t;
};
template <>
struct Word<4> {
  using Type = uint32_t;
};
template <>
struct Word<2> {
  using Type = uint16_t;
};
template <>
struct Word<1> {
  using Type = uint8_t;
};

template <uint32_t kBytes>
struct Piece {
  using Type = typename Word<kBytes>::Type;
  using Unaligned [[gnu::aligned(1), gnu::may_alias]] = Type;
  static void Load(std::byte* to, const std::byte* from) {
    const Type value = *reinterpret_cast<const volatile Unaligned*>(from);
    std::memcpy(to, &value, sizeof value);
  }
  static void Store(std::byte* to, const std::byte* from) {
    Type value;
    std::memcpy(&value, from, sizeof value);
    *reinterpret_cast<volatile Unaligned*>(to) = value;
  }
};

// Calls move(Piece, offset) for each piece of `bytes` bytes: a constant, as a rule, of which
// nothing is left but the moves if this is not called.
template <typename F>
[[gnu::always_inline]] inline void ForEachPiece(uint32_t bytes, const F& move) {
  uint32_t at = 0;
  for (; bytes - at >= 16; at += 16) move(Piece<16>{}, at);
  const auto rest = [&](auto piece, uint32_t size) {
    if ((bytes & size) == 0) return;
    move(piece, at);
    at += size;
  };
  rest(Piece<8>{}, 8);
  rest(Piece<4>{}, 4);
  rest(Piece<2>{}, 2);
  rest(Piece<1>{}, 1);
}

}  // namespace element_internal

// `from` is in guest memory.
[[gnu::always_inline]] inline void LoadElement(void* to, const void* from, uint32_t bytes) {
  element_internal::ForEachPiece(bytes, [&](auto piece, uint32_t at) {
    piece.Load(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at);
  });
}

// `to` is in guest memory.
[[gnu::always_inline]] inline void StoreElement(void* to, const void* from, uint32_t bytes) {
  element_internal::ForEachPiece(bytes, [&](auto piece, uint32_t at) {
    piece.Store(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at);
  });
}

}  // namespace gcnjit::runtime
