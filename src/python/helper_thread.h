// A host thread that does one piece of work after another for the thread that has it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace gcnjit::python {

class HelperThread {
 public:
  // Starts the thread; throws std::system_error where the host has none left. It lives as long as
  // the process, as does what it uses.
  static HelperThread& Start();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  // `work` has to stay until it is done. Before it is, no other may begin. It is done on the
  // processors that the caller may use.
  void Begin(const std::function<void()>& work);
  // Until the work is done, or for so long. Is it done?
  bool AwaitFor(std::chrono::milliseconds most);
  // What the last work has thrown; null: nothing.
  std::exception_ptr thrown() const { return thrown_; }

 private:
  HelperThread();
  ~HelperThread() = default;

  void Serve();
  void Set(bool has_work);
  void FollowCaller();
  // For a moment, without sleeping.
  bool SpinUntil(bool has_work) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> has_work_ = false;  // set under mutex_
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr thrown_;
  pthread_t thread_ = {};
  cpu_set_t processors_ = {};
};

}  // namespace gcnjit::python
