// Answers kernels that call the host, for as long as a launch runs: the hidden argument
// hidden_hostcall_buffer (ROCm-Device-Libs, ockl/src/hostcall_impl.cl; for programs that use HIP's
// own runtime, that has it). A wave takes a packet from the stack of free ones, fills it in for
// each of its lanes, pushes it to the stack of ready ones, and waits until the host has cleared the
// packet's lowest control bit. The answers are then in the packet.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gcnjit/program.h"
#include "runtime/host/host_thread.h"
#include "runtime/launch/hostcall_messages.h"
#include "runtime/launch/launch_memory.h"

namespace gcnjit::runtime {

bool CallsHost(const KernelInfo& kernel);

class HostcallService {
 public:
  // `print` is called from another thread. An Error: there is no memory or no thread for it.
  static Result<std::unique_ptr<HostcallService>> Start(
      LaunchMemory& memory, std::function<void(std::string_view)> print);
  ~HostcallService() { Stop(); }
  HostcallService(const HostcallService&) = delete;
  HostcallService& operator=(const HostcallService&) = delete;

  uint64_t address() const { return base_; }
  // When nothing runs any more. What has not been done, in words; empty: nothing.
  std::string Stop();

 private:
  HostcallService(uint64_t base, std::function<void(std::string_view)> print)
      : base_(base), messages_(std::move(print)) {}

  void Serve();
  bool TakeReady();
  void Answer(uint64_t packet);

  const uint64_t base_;  // guest address
  HostcallMessages messages_;
  std::atomic<bool> stop_{false};
  std::optional<HostThread> thread_;
};

}  // namespace gcnjit::runtime
