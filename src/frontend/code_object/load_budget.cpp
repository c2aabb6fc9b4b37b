#include "frontend/code_object/load_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kStepsPerClock = 65536;  // far less than a millisecond
constexpr double kLongest = 1e9;            // seconds that a clock can count from now on

}  // namespace

LoadBudget::LoadBudget(uint64_t file_bytes, double timeout_seconds)
    : most_bytes_(kFreeBytes + kBytesPerFileByte * file_bytes),
      most_together_(kFreeUnpackedBytes + kUnpackedPerFileByte * file_bytes),
      timeout_seconds_(timeout_seconds),
      bytes_left_(most_bytes_),
      together_left_(most_together_),
      steps_left_(kFreeSteps + kStepsPerFileByte * file_bytes),
      next_clock_(timeout_seconds > 0 ? steps_left_ : 0) {
  if (!(timeout_seconds > 0)) return;
  end_ = std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(std::min(timeout_seconds, kLongest)));
}

bool LoadBudget::Refuse(Excess excess) {
  if (excess_ == Excess::kNone) excess_ = excess;
  bytes_left_ = together_left_ = steps_left_ = 0;
  return false;
}

bool LoadBudget::IsInTime() {
  if (excess_ != Excess::kNone) return false;
  if (!end_) return true;
  if (std::chrono::steady_clock::now() > *end_) return Refuse(Excess::kTime);
  next_clock_ = steps_left_ - std::min(steps_left_, kStepsPerClock);
  return true;
}

Error LoadBudget::error() const {
  if (excess_ == Excess::kTime) {
    return {ErrorCode::kTimeout,
            fmt::format("the file was not loaded within {} s", timeout_seconds_)};
  }
  if (excess_ == Excess::kUnpacked) {
    return {
        ErrorCode::kInvalidCodeObject,
        fmt::format("a compressed bundle unpacks to more than the {} bytes that are left for it "
                    "of {} MiB and {} for each of the file's bytes: unpack it with "
                    "clang-offload-bundler --unbundle",
                    most_together_, kFreeUnpackedBytes >> 20, kUnpackedPerFileByte)};
  }
  return {ErrorCode::kInvalidCodeObject,
          excess_ == Excess::kSteps
              ? fmt::format("what the file says takes more steps to read than {} and {} for each "
                            "of its bytes, which no compiler's file comes near",
                            kFreeSteps, kStepsPerFileByte)
              : fmt::format("what the file says takes more than {} bytes of memory: {} MiB and {} "
                            "for each of its bytes, which no compiler's file comes near",
                            most_bytes_, kFreeBytes >> 20, kBytesPerFileByte)};
}

}  // namespace gcnjit::frontend
