// Copies that begin when signals say so, done by threads of their own as by a GPU's DMA engines.
#pragma once

#include <hsa/hsa.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "gcnjit/error.h"
#include "runtime/hsa/recorder.h"
#include "runtime/hsa/signals.h"

namespace gcnjit::hsa {

class CopyEngine {
 public:
  static constexpr unsigned kEngines = 2;  // as many threads at most

  CopyEngine(SignalPool& signals, Recorder& recorder) : signals_(signals), recorder_(recorder) {}

  struct Job {
    std::vector<amd_signal_t*> after;  // each has to become 0 first
    std::function<void()> copy;
    uint64_t bytes = 0;
    amd_signal_t* completion = nullptr;  // null: none
    const char* name = "copy";           // in traces; lives for ever
  };
  // Returns at once. Jobs whose signals are ready do not wait for others. An error: the host gives
  // no thread, and the copy will not be done.
  Result<void> Submit(Job job);

 private:
  void Run(unsigned number);
  bool IsReady(const Job& job) const;
  void Perform(const Job& job, unsigned engine);

  SignalPool& signals_;
  Recorder& recorder_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<Job> jobs_;  // not begun
  unsigned threads_ = 0;
  unsigned idle_ = 0;
};

}  // namespace gcnjit::hsa
