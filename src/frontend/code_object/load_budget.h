// What loading one file may cost. Host memory and work stay in proportion to the file's size,
// whatever the numbers in it say; a time limit is the caller's own wish.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "gcnjit/error.h"

namespace gcnjit::frontend {

class LoadBudget {
 public:
  // For what is kept beside the file and its image in guest memory. Compilers' files need less than
  // twice their size.
  static constexpr uint64_t kFreeBytes = uint64_t{16} << 20;
  static constexpr uint64_t kBytesPerFileByte = 5;
  // A step is about a byte that is looked at, which most are once or twice.
  static constexpr uint64_t kFreeSteps = uint64_t{16} << 20;
  static constexpr uint64_t kStepsPerFileByte = 16;

  // For what is kept, what was compressed in the file and is looked at for a while, and images that
  // are larger than the file. Bundles for many targets, which are much alike, shrink to a
  // thirtieth.
  static constexpr uint64_t kFreeUnpackedBytes = uint64_t{56} << 20;
  static constexpr uint64_t kUnpackedPerFileByte = 7;

  // All code objects of a file share one. `timeout_seconds`, from now on; 0: no limit.
  explicit LoadBudget(uint64_t file_bytes, double timeout_seconds = 0);

  // To be asked before so many bytes more are allocated for what the file says. False: they must
  // not be, and error() says why; so it stays.
  [[nodiscard]] bool Keep(uint64_t bytes) {
    if (bytes > bytes_left_ || bytes > together_left_) return Refuse(Excess::kBytes);
    bytes_left_ -= bytes;
    together_left_ -= bytes;
    return true;
  }

  // The same for bytes that are not kept, or not for long; then they are given back.
  [[nodiscard]] bool Lend(uint64_t bytes) {
    if (bytes > together_left_) return Refuse(Excess::kUnpacked);
    together_left_ -= bytes;
    return true;
  }
  void TakeBack(uint64_t bytes) {
    if (!is_spent()) together_left_ += bytes;
  }

  // To be asked before so many steps more are done.
  [[nodiscard]] bool Look(uint64_t steps) {
    if (steps > steps_left_) return Refuse(Excess::kSteps);
    steps_left_ -= steps;
    return steps_left_ >= next_clock_ || IsInTime();
  }

  bool is_spent() const { return excess_ != Excess::kNone; }
  Error error() const;

 private:
  enum class Excess { kNone, kBytes, kUnpacked, kSteps, kTime };

  bool Refuse(Excess excess);
  bool IsInTime();

  const uint64_t most_bytes_;
  const uint64_t most_together_;
  const double timeout_seconds_;
  uint64_t bytes_left_;
  uint64_t together_left_;  // of kept and unpacked ones
  uint64_t steps_left_;
  uint64_t next_clock_;  // the clock is read when fewer steps than this are left
  std::optional<std::chrono::steady_clock::time_point> end_;
  Excess excess_ = Excess::kNone;
};

}  // namespace gcnjit::frontend
