// Handles of symbols, looked up without a lock: HIP 5.7 walks all symbols of an executable once for
// each of its kernels, which for rocBLAS's 5,102 are 26 million look-ups.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gcnjit::hsa {

// Chunks of slots, each twice as large as the one before, so that none ever moves. A handle is the
// number of its slot, from 1 on, and is not used again: a stale one finds nothing.
template <typename T>
class SymbolTable {
 public:
  SymbolTable() = default;
  ~SymbolTable() {
    for (const auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  // By one thread at a time. 0: there is no place left.
  uint64_t Add(const T* symbol) {
    const uint64_t handle = last_ + 1;
    const Place place = PlaceOf(handle);
    if (place.chunk >= chunks_.size()) return 0;
    if (chunks_[place.chunk].load(std::memory_order_relaxed) == nullptr) {
      auto slots = std::make_unique<Slot[]>(kFirst << place.chunk);
      chunks_[place.chunk].store(slots.release(), std::memory_order_release);
    }
    chunks_[place.chunk].load(std::memory_order_relaxed)[place.slot].store(
        symbol, std::memory_order_release);
    last_ = handle;
    return handle;
  }

  // Of a handle that Add gave.
  void Remove(uint64_t handle) {
    const Place place = PlaceOf(handle);
    chunks_[place.chunk].load(std::memory_order_relaxed)[place.slot].store(
        nullptr, std::memory_order_release);
  }

  // By any thread, at any time; null: there is no such symbol.
  const T* Find(uint64_t handle) const {
    if (handle == 0) return nullptr;
    const Place place = PlaceOf(handle);
    if (place.chunk >= chunks_.size()) return nullptr;
    const Slot* const slots = chunks_[place.chunk].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : slots[place.slot].load(std::memory_order_acquire);
  }

 private:
  using Slot = std::atomic<const T*>;
  struct Place {
    size_t chunk = 0;
    uint64_t slot = 0;
  };

  static constexpr uint64_t kFirst = 64;  // slots of the first chunk
  static constexpr size_t kChunks = 32;

  // The first chunk begins at number kFirst of a count in which a chunk is a power of two.
  static Place PlaceOf(uint64_t handle) {
    constexpr size_t kFirstBits = std::countr_zero(kFirst);
    const uint64_t number = handle - 1 + kFirst;
    if (number < handle) return {kChunks, 0};  // of no handle
    const auto chunk = static_cast<size_t>(std::bit_width(number)) - 1 - kFirstBits;
    return {chunk, number - (kFirst << chunk)};
  }

  std::array<std::atomic<Slot*>, kChunks> chunks_ = {};
  uint64_t last_ = 0;
};

}  // namespace gcnjit::hsa
