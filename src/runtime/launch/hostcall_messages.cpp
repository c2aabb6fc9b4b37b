#include "runtime/launch/hostcall_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/launch/printf_text.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kPrintf = 2;
constexpr uint64_t kBegin = 1;
constexpr uint64_t kEnd = 2;
constexpr uint64_t kMostHeld = 4 << 20;
// What a message takes beside its numbers, in numbers.
constexpr uint64_t kHeldByMessage = 16;

std::string NameOf(uint32_t service) {
  switch (service) {
    case 1: return "to call a function of the host program";
    case 3: return "for memory (malloc and free in kernels)";
    case 4: return "to report a finding of the address sanitizer";
    default: return fmt::format("for service {}", service);
  }
}

}  // namespace

void HostcallMessages::Lose(std::string what) {
  if (loss_.empty()) loss_ = std::move(what);
}

void HostcallMessages::Take(uint32_t service, std::span<uint64_t, 8> numbers) {
  const uint64_t descriptor = std::exchange(numbers[0], 0);
  const uint64_t given = descriptor >> 5 & 7;
  if (service != kPrintf) {
    Lose(
        fmt::format("the kernel has asked the host {}, which needs a host program (gcnjit exec); "
                    "the answer was 0",
                    NameOf(service)));
    numbers[1] = 0;
    return;
  }
  const uint64_t id = (descriptor & kBegin) != 0 ? next_++ : descriptor >> 8;
  if ((descriptor & kBegin) != 0) {
    messages_[id];
    held_ += kHeldByMessage;
  }
  const auto found = messages_.find(id);
  if (found == messages_.end()) return Lose("the kernel goes on with a message that has no begin");
  held_ += given;
  if (held_ > kMostHeld) {
    held_ -= kHeldByMessage + found->second.size() + given;
    messages_.erase(found);
    return Lose("what the kernel prints is too long, and some of it is lost");
  }
  found->second.insert(found->second.end(), numbers.begin() + 1, numbers.begin() + 1 + given);
  if ((descriptor & kEnd) == 0) {
    numbers[0] = (descriptor & 0xFF & ~kBegin) | id << 8;
    return;
  }
  numbers[0] = Print(found->second);
  held_ -= kHeldByMessage + found->second.size();
  messages_.erase(found);
}

uint64_t HostcallMessages::Print(std::span<const uint64_t> message) {
  if (message.empty() || printed_ > kMostPrinted) return 0;
  auto rest = std::as_bytes(message.subspan(1));
  const NextPrintfArgument next = SlotArguments(rest);
  const std::string text = PrintfText(TextOf(next(true)), next, kMostPrinted - printed_);
  printed_ += text.size();
  if (printed_ > kMostPrinted) {
    Lose(fmt::format("what the kernel printed after {} MiB of text is lost", kMostPrinted >> 20));
    return 0;
  }
  print_(text);
  return text.size();
}

}  // namespace gcnjit::runtime
