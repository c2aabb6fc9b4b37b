// What kernels ask of the host (ROCm-Device-Libs, ockl/src/services.cl). A message comes in calls
// of eight numbers each: first a descriptor, then up to seven numbers of the message.
//   bit 0 begins a message, bit 1 ends it, bits 5 to 7: how many numbers follow, from bit 8: which
//   message it is, as the host has said in its answer to the first call
// A message of printf: 0 for stdout, 1 for stderr; the format, and each argument (printf_text.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcnjit::runtime {

class HostcallMessages {
 public:
  explicit HostcallMessages(std::function<void(std::string_view)> print)
      : print_(std::move(print)) {}

  // One lane's call. The first two numbers become the answer.
  void Take(uint32_t service, std::span<uint64_t, 8> numbers);

  // What has not been done, in words; empty: nothing.
  const std::string& loss() const { return loss_; }

 private:
  // How many characters it prints.
  uint64_t Print(std::span<const uint64_t> message);
  void Lose(std::string what);

  const std::function<void(std::string_view)> print_;
  std::map<uint64_t, std::vector<uint64_t>> messages_;  // begun and not ended
  uint64_t next_ = 1;
  uint64_t held_ = 0;     // numbers of all of them
  uint64_t printed_ = 0;  // characters
  std::string loss_;
};

}  // namespace gcnjit::runtime
