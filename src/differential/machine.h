// Guest memory of a fixed shape and everything else that a wave needs to run; one for the process,
// reused by all programs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/memory/guest_memory.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::differential {

class Machine {
 public:
  // From data() upwards: data, then a part that the guest may only read, then scratch. Addresses
  // below and beyond are no guest memory.
  static constexpr uint64_t kDataBytes = 16 * 1024;
  static constexpr uint64_t kReadOnlyBytes = 4 * 1024;
  static constexpr uint64_t kScratchPerLane = 256;
  static constexpr uint64_t kScratchBytes = kScratchPerLane * runtime::kLanes;
  static constexpr uint64_t kMemoryBytes = kDataBytes + kReadOnlyBytes + kScratchBytes;
  static constexpr uint64_t kCodeBytes = 64 * 1024;
  static constexpr uint32_t kLdsBytes = 4 * 1024;
  static constexpr uint32_t kGdsBytes = 64 * 1024;
  static constexpr uint64_t kAlignment = 64 * 1024;  // of data()

  Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  uint64_t data() const { return data_; }
  uint64_t scratch() const { return data_ + kDataBytes + kReadOnlyBytes; }
  uint64_t code() const { return code_; }

  // Data, the read-only part and scratch.
  std::span<std::byte> memory() {
    return {reinterpret_cast<std::byte*>(data_), static_cast<size_t>(kMemoryBytes)};
  }
  runtime::GuestMemory& guest_memory() { return *memory_; }
  std::span<std::byte> lds() { return lds_; }
  std::span<std::byte> gds() { return gds_; }
  // What compiled code may know of the wave's group.
  void SetGroup(const std::array<uint32_t, 3>& size, uint32_t id_vgprs);
  // Writes machine code to code().
  void LoadCode(std::span<const uint32_t> words);

  runtime::DispatchState dispatch;
  runtime::WorkgroupState group;

 private:
  std::shared_ptr<runtime::GuestMemory> memory_;
  uint64_t data_ = 0;
  uint64_t code_ = 0;
  std::vector<std::byte> lds_;
  std::vector<std::byte> gds_;
  std::atomic<bool> stop_{false};
};

}  // namespace gcnjit::differential
