// A child process that may do nothing but compute: what it reads is hostile, and may make it fail,
// run for ever or do what it likes within its limits. This process then gets no answer.
//
// The child is the gcnjit program with one argument, kConfinedMode, for which its main() calls
// ServeConfined. So it starts with no memory of this process and none of its threads. This process
// may be any program, with threads and children of its own: the child is named by a descriptor, so
// that no other process is ended in its place if the program itself has waited for it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "confined/request.h"
#include "gcnjit/error.h"

namespace gcnjit::confined {

inline constexpr std::string_view kConfinedMode = "(confined)";
inline constexpr const char* kThisProgram = "/proc/self/exe";

class Process {
 public:
  // `program`: the path of the gcnjit program.
  static Result<Process> Start(const std::string& program);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  // The child's answer, which is as hostile as what it has read. After an Error there is no child
  // any more.
  Result<std::string> Ask(RequestKind kind, std::span<const std::byte> body);

 private:
  Process(pid_t child, int handle, int channel)
      : child_(child), handle_(handle), channel_(channel) {}

  using Clock = std::chrono::steady_clock;
  bool Send(std::span<const std::byte> bytes, Clock::time_point end);
  bool Receive(std::span<std::byte> bytes, Clock::time_point end);
  bool Wait(short events, Clock::time_point end);
  void End();

  pid_t child_ = -1;
  int handle_ = -1;   // of the child; -1: this system has none
  int channel_ = -1;  // a socket
};

}  // namespace gcnjit::confined
