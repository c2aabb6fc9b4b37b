#include "runtime/hsa/copy_engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/host/host_thread.h"
#include "runtime/hsa/clock.h"

namespace gcnjit::hsa {

Result<void> CopyEngine::Submit(Job job) {
  const std::scoped_lock lock(mutex_);
  if (idle_ == 0 && threads_ < kEngines) {
    auto thread = runtime::HostThread::Start([this, number = threads_] { Run(number); });
    if (thread) {
      thread->Detach();
      ++threads_;
    } else if (threads_ == 0) {
      return thread.error();
    }
  }
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return {};
}

bool CopyEngine::IsReady(const Job& job) const {
  return std::ranges::all_of(job.after, [](amd_signal_t* signal) {
    return SignalPool::Value(*signal).load(std::memory_order_acquire) == 0;
  });
}

void CopyEngine::Perform(const Job& job, unsigned engine) {
  const uint64_t start = Now();
  job.copy();
  const uint64_t end = Now();
  recorder_.Copied(job.name, engine, job.bytes, start, end);
  signals_.Complete(job.completion, start, end);
}

void CopyEngine::Run(unsigned number) {
  // Signals that the jobs wait for are looked at so often when nothing else happens.
  constexpr auto kPoll = std::chrono::microseconds(50);
  std::unique_lock lock(mutex_);
  while (true) {
    const auto ready = std::ranges::find_if(jobs_, [this](const Job& job) { return IsReady(job); });
    if (ready == jobs_.end()) {
      ++idle_;
      if (jobs_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, kPoll);
      }
      --idle_;
      continue;
    }
    const Job job = std::move(*ready);
    jobs_.erase(ready);
    lock.unlock();
    Perform(job, number);
    lock.lock();
  }
}

}  // namespace gcnjit::hsa
