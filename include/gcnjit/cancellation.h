// Ending launches before they are done.
#pragma once

#include <memory>

#include "gcnjit/export.h"

namespace gcnjit {

namespace runtime {
class StopFlags;
}

// Copies share. Give one to launches (LaunchConfig::cancellation), keep another.
class Cancellation {
 public:
  GCNJIT_API Cancellation();
  // A move is a copy: none is ever empty.
  Cancellation(const Cancellation&) = default;
  Cancellation& operator=(const Cancellation&) = default;
  // Ends the launches that have it, also those that begin later, with LaunchStatus::kCancelled.
  // From any thread; returns at once, and a launch ends as soon as after a time-out.
  GCNJIT_API void Cancel();

  const std::shared_ptr<runtime::StopFlags>& internal() const { return flags_; }

 private:
  std::shared_ptr<runtime::StopFlags> flags_;
};

}  // namespace gcnjit
