// Guest memory that a launch needs for as long as it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::runtime {

// Small blocks that a program's launches leave to the next one: mapping them costs more than a
// small launch does.
class SpareBlocks {
 public:
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    std::string_view label;
    GuestMemory::Access access = GuestMemory::Access::kReadOnly;
    uint64_t room = 0;  // that GuestMemory::Extend may use
  };

  explicit SpareBlocks(std::shared_ptr<GuestMemory> memory);
  ~SpareBlocks();
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;

  // A block like that, zeroed.
  std::optional<Block> Take(uint64_t bytes, std::string_view label, GuestMemory::Access access,
                            uint64_t room);
  // False: it is too large, or there are enough already.
  bool Keep(const Block& block) noexcept;

 private:
  const std::shared_ptr<GuestMemory> memory_;
  std::mutex mutex_;  // guards what follows
  std::vector<Block> blocks_;
};

// What one launch has. A launch that is refused has none.
class LaunchMemory {
 public:
  explicit LaunchMemory(LoadedProgram& program);
  ~LaunchMemory();
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

  // The launch has not been refused.
  void SetRuns() { runs_ = true; }

  // `label` lives for ever.
  Result<uint64_t> Allocate(uint64_t bytes, const char* label, GuestMemory::Access access,
                            uint64_t room = 0);

 private:
  GuestMemory& memory_;
  SpareBlocks& spare_;
  bool runs_ = false;
  std::vector<SpareBlocks::Block> blocks_;
};

}  // namespace gcnjit::runtime
