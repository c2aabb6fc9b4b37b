#include "runtime/schedule/worker_pool.h"

#include <immintrin.h>
#include <pthread.h>

#include <new>
#include <utility>

#include "runtime/host/host_thread.h"

namespace gcnjit::runtime {
namespace {

// What is waited for is often about to come: the next of many small launches, the other threads'
// last groups. Sleeping and being woken takes longer.
constexpr int kSpins = 1000;

}  // namespace

WorkerPool& WorkerPool::Make() {
  alignas(WorkerPool) static std::byte storage[sizeof(WorkerPool)];
  // A forked process has none of the threads, and the mutex as some thread had left it.
  pthread_atfork(nullptr, nullptr, [] { new (storage) WorkerPool; });
  return *new (storage) WorkerPool;
}

WorkerPool& WorkerPool::Instance() {
  static WorkerPool& pool = Make();
  return pool;
}

void WorkerPool::Job::Invite() {
  // An offer of no call would be taken again and again.
  if (is_offered_ || count_ <= 1) return;
  is_offered_ = true;
  pool_.Offer(*this);
}

void WorkerPool::Run(unsigned count, const Work& work) {
  Job job(*this, work, count);
  try {
    work(0, job);
  } catch (...) {
    if (!job.is_offered_) throw;
    const std::scoped_lock lock(mutex_);
    job.failure_ = std::current_exception();
  }
  if (!job.is_offered_) return;
  Withdraw(job);
  if (job.failure_) std::rethrow_exception(job.failure_);
}

void WorkerPool::Offer(Job& job) {
  bool wakes = false;
  {
    const std::scoped_lock lock(mutex_);
    Grow(job.count_ - 1);
    if (threads_ == 0) return;
    Job** last = &first_;
    while (*last != nullptr) last = &(*last)->next_job_;
    *last = &job;
    offers_.fetch_add(1, std::memory_order_release);
    wakes = sleeping_ != 0;
  }
  if (wakes) offered_.notify_one();
}

// Takes back the calls that no thread has made, and waits for those that are made.
void WorkerPool::Withdraw(Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    for (Job** at = &first_; *at != nullptr; at = &(*at)->next_job_) {
      if (*at != &job) continue;
      *at = job.next_job_;
      break;
    }
  }
  for (int n = 0; n < kSpins && job.running_.load(std::memory_order_acquire) != 0; ++n) _mm_pause();
  // Even if it is over: the last thread holds the mutex until it has no use for the job.
  std::unique_lock lock(mutex_);
  job.done_.wait(lock, [&] { return job.running_.load(std::memory_order_relaxed) == 0; });
}

// To so many threads, or as many as there can be.
void WorkerPool::Grow(unsigned threads) {
  while (threads_ < threads) {
    auto thread = HostThread::Start([this] { Serve(); });
    if (!thread) return;
    thread->Detach();
    ++threads_;
  }
}

void WorkerPool::Serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    WaitForOffer(lock);
    Job& job = *first_;
    const unsigned number = job.next_++;
    job.running_.fetch_add(1, std::memory_order_relaxed);
    if (job.next_ == job.count_) first_ = job.next_job_;
    // Each wakes the next one, so that the thread with the job does not have to wake all.
    const bool wakes = first_ != nullptr && sleeping_ != 0;
    lock.unlock();
    if (wakes) offered_.notify_one();
    std::exception_ptr failure;
    try {
      job.work_(number, job);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !job.failure_) job.failure_ = std::move(failure);
    if (job.running_.fetch_sub(1, std::memory_order_release) == 1) job.done_.notify_one();
  }
}

void WorkerPool::WaitForOffer(std::unique_lock<std::mutex>& lock) {
  while (first_ == nullptr) {
    const unsigned seen = offers_.load(std::memory_order_relaxed);
    lock.unlock();
    for (int n = 0; n < kSpins && offers_.load(std::memory_order_acquire) == seen; ++n) _mm_pause();
    lock.lock();
    if (first_ != nullptr || offers_.load(std::memory_order_relaxed) != seen) continue;
    ++sleeping_;
    offered_.wait(lock, [this] { return first_ != nullptr; });
    --sleeping_;
  }
}

}  // namespace gcnjit::runtime
