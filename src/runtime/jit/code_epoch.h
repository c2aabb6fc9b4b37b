// Which compiled code host threads may be in: code that was thrown away is freed once no thread is.
// Code comes in generations, numbered across all programs; a thread is in one at a time.
#pragma once

#include <atomic>
#include <cstdint>

namespace gcnjit::runtime {

// One for each host thread that runs compiled code.
class CodeEpoch {
 public:
  CodeEpoch();
  ~CodeEpoch();
  CodeEpoch(const CodeEpoch&) = delete;
  CodeEpoch& operator=(const CodeEpoch&) = delete;

  // From now on the thread relies on this generation. Either the caller sees afterwards that it is
  // no longer the current one, or the thread that replaces it sees this one here.
  void Enter(uint64_t generation) { generation_.store(generation, std::memory_order_seq_cst); }
  void Leave() { generation_.store(0, std::memory_order_release); }
  uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

  // Is any thread of the process in this generation?
  static bool IsAnyIn(uint64_t generation);

 private:
  std::atomic<uint64_t> generation_ = 0;
};

}  // namespace gcnjit::runtime
