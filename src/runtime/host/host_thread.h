// A thread of the host. Unlike std::thread it is a value whether the host gives one, and its stack
// does not shrink with the host program's limit (RLIMIT_STACK).
#pragma once

#include <pthread.h>

#include <functional>
#include <optional>

#include "gcnjit/error.h"

namespace gcnjit::runtime {

class HostThread {
 public:
  // The error says why there is none: a limit of processes (RLIMIT_NPROC, a container's), of
  // address space, or no memory. `run` must not throw.
  static Result<HostThread> Start(std::function<void()> run);
  HostThread(HostThread&& other) noexcept;
  HostThread& operator=(HostThread&&) = delete;
  // Waits until `run` has returned.
  ~HostThread();

  // Nothing waits for it any more.
  void Detach();

 private:
  explicit HostThread(pthread_t thread) : thread_(thread) {}

  std::optional<pthread_t> thread_;
};

}  // namespace gcnjit::runtime
