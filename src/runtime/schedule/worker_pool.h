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

  class Job;
  using Work = std::function<void(unsigned number, Job& job)>;

  // Calls work(0) on this thread and, at the same time, work(1), work(2) and so on up to
  // work(count - 1) on others: from when work(0) calls job.Invite(), on as many as the host gives,
  // and only those that come before work(0) has returned. So the work must get done however few
  // take part. Returns when all calls have returned; what one of them has thrown is thrown here.
  void Run(unsigned count, const Work& work);

  // Of Run's jobs, those that other threads were invited to.
  unsigned offers() const { return offers_.load(std::memory_order_relaxed); }

  // One Run, on the stack of its thread.
  class Job {
   public:
    Job(WorkerPool& pool, const Work& work, unsigned count)
        : pool_(pool), work_(work), count_(count) {}
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // For work(0): other threads may come from now on. Again: nothing more.
    void Invite();

   private:
    friend class WorkerPool;

    WorkerPool& pool_;
    const Work& work_;
    const unsigned count_;
    bool is_offered_ = false;            // of use to the thread of the Run alone
    unsigned next_ = 1;                  // call that is to be made
    std::atomic<unsigned> running_ = 0;  // calls on threads of the pool
    std::exception_ptr failure_ = nullptr;
    std::condition_variable done_;
    Job* next_job_ = nullptr;
  };

 private:
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
