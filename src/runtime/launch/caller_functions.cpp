#include "runtime/launch/caller_functions.h"

#include <utility>

namespace gcnjit::runtime {

CallerFunctions::CallerFunctions(const LaunchConfig& given) : given_(given) {
  if (!given.progress && !given.print) return;
  stop_ = std::make_shared<StopFlags>();
  guarded_ = given;
  guarded_->progress = Guard(given.progress);
  guarded_->print = Guard(given.print);
}

template <typename... T>
std::function<void(T...)> CallerFunctions::Guard(std::function<void(T...)> function) {
  if (!function) return {};
  return [this, function = std::move(function)](T... values) {
    if (stop_->is_cancelled()) return;
    try {
      function(values...);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      stop_->Cancel();
    }
  };
}

void CallerFunctions::Rethrow() {
  const std::scoped_lock lock(mutex_);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace gcnjit::runtime
