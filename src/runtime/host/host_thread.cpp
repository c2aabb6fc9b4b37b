#include "runtime/host/host_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace gcnjit::runtime {
namespace {

using Body = std::function<void()>;

// Enough for compiling a kernel. The default is the limit of the process's stack, which may be a
// few KiB.
constexpr size_t kLeastStackBytes = 2 << 20;

void* RunBody(void* body) {
  const std::unique_ptr<Body> owned(static_cast<Body*>(body));
  (*owned)();
  return nullptr;
}

int Create(Body* body, pthread_t* thread) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes); error != 0) return error;
  size_t stack_bytes = 0;
  pthread_attr_getstacksize(&attributes, &stack_bytes);
  pthread_attr_setstacksize(&attributes, std::max(stack_bytes, kLeastStackBytes));
  const int error = pthread_create(thread, &attributes, RunBody, body);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace

Result<HostThread> HostThread::Start(std::function<void()> run) {
  auto body = std::make_unique<Body>(std::move(run));
  pthread_t thread;
  if (const int error = Create(body.get(), &thread); error != 0) {
    return Error{ErrorCode::kOutOfResources,
                 fmt::format("the host gives no further thread ({}); see 'ulimit -u', 'ulimit -v' "
                             "and the limits of the container",
                             std::strerror(error))};
  }
  body.release();
  return HostThread(thread);
}

HostThread::HostThread(HostThread&& other) noexcept
    : thread_(std::exchange(other.thread_, std::nullopt)) {}

HostThread::~HostThread() {
  if (thread_) pthread_join(*thread_, nullptr);
}

void HostThread::Detach() {
  if (thread_) pthread_detach(*thread_);
  thread_.reset();
}

}  // namespace gcnjit::runtime
