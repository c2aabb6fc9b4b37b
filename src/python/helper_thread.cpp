#include "python/helper_thread.h"

#include <immintrin.h>

#include <thread>

namespace gcnjit::python {
namespace {

// The next of many short launches, or the end of one, is often about to come: to sleep and to be
// woken takes longer.
constexpr int kSpins = 500;

}  // namespace

HelperThread& HelperThread::Start() { return *new HelperThread; }

HelperThread::HelperThread() {
  std::thread thread([this] { Serve(); });
  thread_ = thread.native_handle();
  thread.detach();
}

void HelperThread::Begin(const std::function<void()>& work) {
  FollowCaller();
  work_ = &work;
  thrown_ = nullptr;
  Set(true);
}

bool HelperThread::AwaitFor(std::chrono::milliseconds most) {
  if (SpinUntil(false)) return true;
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [this] { return !has_work_; });
}

void HelperThread::Serve() {
  while (true) {
    if (!SpinUntil(true)) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return has_work_.load(); });
    }
    try {
      (*work_)();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    Set(false);
  }
}

// Gives the thread the processors that the caller may use now.
void HelperThread::FollowCaller() {
  cpu_set_t now;
  if (pthread_getaffinity_np(pthread_self(), sizeof(now), &now) != 0) return;
  if (CPU_EQUAL(&now, &processors_) != 0) return;
  if (pthread_setaffinity_np(thread_, sizeof(now), &now) == 0) processors_ = now;
}

// The thread that waits uses what the other has written before.
void HelperThread::Set(bool has_work) {
  {
    const std::scoped_lock lock(mutex_);
    has_work_.store(has_work, std::memory_order_release);
  }
  changed_.notify_one();
}

bool HelperThread::SpinUntil(bool has_work) const {
  for (int n = 0; n < kSpins; ++n) {
    if (has_work_.load(std::memory_order_acquire) == has_work) return true;
    _mm_pause();
  }
  return false;
}

}  // namespace gcnjit::python
