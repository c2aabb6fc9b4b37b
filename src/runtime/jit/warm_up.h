// When compiling a kernel pays: after so much of it has been interpreted, in all of its launches
// together.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace gcnjit::runtime {

// Wave-instructions that are interpreted of a kernel before compiling begins: what takes the
// interpreter about as long as a kernel takes to compile.
inline constexpr int64_t kWarmUp = 100'000;

// To start a wave for the interpreter takes about as long as so many instructions.
inline constexpr uint64_t kWaveStart = 16;

// Of one kernel. Any thread may use it at any time.
class WarmUp {
 public:
  // Does compiled code run? Once it does, it stays so until Restart.
  bool IsOver() const { return left_.load(std::memory_order_relaxed) <= 0; }
  void Count(uint64_t interpreted) {
    left_.fetch_sub(static_cast<int64_t>(interpreted), std::memory_order_relaxed);
  }
  void End() { left_.store(0, std::memory_order_relaxed); }
  void Restart() { left_.store(kWarmUp, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> left_ = kWarmUp;
};

// Of the kernels of a program.
class WarmUps {
 public:
  // Of the kernel that begins at this guest address. It stays where it is.
  WarmUp& Of(uint64_t kernel) {
    const std::scoped_lock lock(mutex_);
    return kernels_[kernel];
  }
  // Code of all kernels has been thrown away.
  void Restart() {
    const std::scoped_lock lock(mutex_);
    for (auto& [kernel, warm_up] : kernels_) warm_up.Restart();
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::unordered_map<uint64_t, WarmUp> kernels_;
};

}  // namespace gcnjit::runtime
