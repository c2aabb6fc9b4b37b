#include "runtime/schedule/stop_flags.h"

#include <utility>

#include "gcnjit/cancellation.h"

namespace gcnjit {

Cancellation::Cancellation() : flags_(std::make_shared<runtime::StopFlags>()) {}

void Cancellation::Cancel() { flags_->Cancel(); }

namespace runtime {

void StopFlags::Cancel() {
  const std::scoped_lock lock(mutex_);
  is_cancelled_ = true;
  for (std::atomic<bool>* flag : flags_) *flag = true;
}

void StopFlags::Add(std::atomic<bool>& flag) {
  const std::scoped_lock lock(mutex_);
  flags_.push_back(&flag);
  if (is_cancelled_) flag = true;
}

void StopFlags::Remove(std::atomic<bool>& flag) {
  const std::scoped_lock lock(mutex_);
  std::erase(flags_, &flag);
}

CancellableRun::CancellableRun(std::shared_ptr<StopFlags> flags, std::atomic<bool>& stop)
    : flags_(std::move(flags)), stop_(stop) {
  if (flags_ != nullptr) flags_->Add(stop_);
}

CancellableRun::~CancellableRun() {
  if (flags_ != nullptr) flags_->Remove(stop_);
}

}  // namespace runtime
}  // namespace gcnjit
