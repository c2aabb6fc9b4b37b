#include "confined/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace gcnjit::confined {
namespace {

constexpr std::chrono::seconds kPatience(10);  // for one answer

Error Failure(const char* what) {
  return {ErrorCode::kOutOfResources, std::string(what) + ": " + std::strerror(errno)};
}

}  // namespace

Result<Process> Process::Start(const std::string& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Failure("no socket for the process that reads them");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::string name = "gcnjit";
  std::string mode(kConfinedMode);
  char* const arguments[] = {name.data(), mode.data(), nullptr};
  pid_t child = -1;
  const int status =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (status != 0) {
    ::close(ends[0]);
    errno = status;
    return Failure("the process that reads them does not start");
  }
  return Process(child, static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), ends[0]);
}

Process::Process(Process&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      handle_(std::exchange(other.handle_, -1)),
      channel_(std::exchange(other.channel_, -1)) {}

Process::~Process() { End(); }

void Process::End() {
  if (channel_ >= 0) ::close(std::exchange(channel_, -1));
  if (child_ < 0) return;
  // Without the handle it ends by itself, since the channel is closed, or by its limit.
  if (handle_ >= 0) ::syscall(SYS_pidfd_send_signal, handle_, SIGKILL, nullptr, 0);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (handle_ >= 0) ::close(std::exchange(handle_, -1));
}

bool Process::Wait(short events, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd descriptor = {channel_, events, 0};
    const int ready = ::poll(&descriptor, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Process::Send(std::span<const std::byte> bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(channel_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
    } else if (sent < 0 && errno != EINTR && (errno != EAGAIN || !Wait(POLLOUT, end))) {
      return false;
    }
  }
  return true;
}

bool Process::Receive(std::span<std::byte> bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(channel_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<size_t>(got));
    } else if (got == 0 || (errno != EINTR && (errno != EAGAIN || !Wait(POLLIN, end)))) {
      return false;
    }
  }
  return true;
}

Result<std::string> Process::Ask(RequestKind kind, std::span<const std::byte> body) {
  const auto fail = [&](std::string why) {
    End();
    return Error{ErrorCode::kOutOfResources, std::move(why)};
  };
  if (child_ < 0) return fail("the process that reads them has ended");
  if (body.size() > kMostBody) return fail("the file is too large");
  const Clock::time_point end = Clock::now() + kPatience;
  const RequestHeader header{kind, body.size()};
  uint64_t size = 0;
  if (!Send(std::as_bytes(std::span(&header, 1)), end) || !Send(body, end) ||
      !Receive(std::as_writable_bytes(std::span(&size, 1)), end)) {
    return fail(Clock::now() < end ? "the process that reads them has failed"
                                   : "the process that reads them takes too long");
  }
  if (size > kMostAnswer) return fail("the process that reads them gives no answer that is one");
  std::string answer(size, '\0');
  if (!Receive(std::as_writable_bytes(std::span(answer)), end)) {
    return fail("the process that reads them gives no whole answer");
  }
  return answer;
}

}  // namespace gcnjit::confined
