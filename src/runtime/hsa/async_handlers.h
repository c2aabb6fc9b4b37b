// Functions of the host program that are to be called when a signal has some value.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <mutex>
#include <vector>

#include "gcnjit/error.h"
#include "runtime/hsa/signals.h"

namespace gcnjit::hsa {

class AsyncHandlers {
 public:
  explicit AsyncHandlers(SignalPool& signals) : signals_(signals) {}

  // Calls `handler`, from a thread that all handlers share, once the condition holds; and again, as
  // often as it does, if the handler returns true. An error: the host gives no thread.
  Result<void> Add(const Condition& condition, hsa_amd_signal_handler handler, void* argument);

 private:
  struct Entry {
    Condition condition;
    hsa_amd_signal_handler handler = nullptr;
    void* argument = nullptr;
  };
  void Run();

  SignalPool& signals_;
  std::mutex mutex_;  // guards what follows
  std::vector<Entry> added_;
  bool has_thread_ = false;
};

}  // namespace gcnjit::hsa
