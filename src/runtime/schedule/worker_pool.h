// Host threads that help the one that launches a kernel. They stay for the next launch.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace gcnjit::runtime {

class WorkerPool {
 public:
  // One for the process, never destroyed: its threads may wait for work while the process ends. A
  // process that was forked begins with an empty one.
  static WorkerPool& Instance();

  // Calls work(0) on this thread and, at the same time, work(1), work(2) and so on up to
  // work(count - 1) on others: on as many as the host gives, and only those that come before
  // work(0) has returned. So the work must get done however few take part. Returns when all calls
  // have returned; what one of them has thrown is thrown here.
  void Run(unsigned count, const std::function<void(unsigned)>& work);

 private:
  // One Run, on the stack of its thread.
  struct Job {
    const std::function<void(unsigned)>& work;
    const unsigned count;
    unsigned next = 1;                  // call that is to be made
    std::atomic<unsigned> running = 0;  // calls on threads of the pool
    std::exception_ptr failure = nullptr;
    std::condition_variable done = {};
    Job* behind = nullptr;
  };

  WorkerPool() = default;
  static WorkerPool& Make();

  void Offer(Job& job);
  void Withdraw(Job& job);
  void Grow(unsigned threads);
  void Serve();
  void WaitForOffer(std::unique_lock<std::mutex>& lock);

  std::atomic<unsigned> offers_ = 0;  // counts Offer
  std::mutex mutex_;                  // guards what follows, and jobs
  std::condition_variable offered_;
  Job* first_ = nullptr;  // jobs with calls that are to be made, oldest first
  unsigned threads_ = 0;
  unsigned sleeping_ = 0;
};

}  // namespace gcnjit::runtime
