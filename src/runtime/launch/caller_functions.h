// The functions that a launch's caller has it call, which may throw.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "gcnjit/launch.h"
#include "runtime/schedule/stop_flags.h"

namespace gcnjit::runtime {

// Threads of ours call them, which an exception must not leave: the first one is kept, ends the
// launch, and is thrown again on the caller's thread. Nothing is called any more after it.
class CallerFunctions {
 public:
  // `given` outlives the object.
  explicit CallerFunctions(const LaunchConfig& given);

  // With functions that do not throw.
  const LaunchConfig& config() const { return guarded_ ? *guarded_ : given_; }
  // Ends the launch. Null: there are no functions.
  const std::shared_ptr<StopFlags>& stop() const { return stop_; }
  // When nothing runs any more.
  void Rethrow();

 private:
  template <typename... T>
  std::function<void(T...)> Guard(std::function<void(T...)> function);

  const LaunchConfig& given_;
  std::optional<LaunchConfig> guarded_;
  std::shared_ptr<StopFlags> stop_;
  std::mutex mutex_;
  std::exception_ptr thrown_;  // guarded by mutex_
};

}  // namespace gcnjit::runtime
