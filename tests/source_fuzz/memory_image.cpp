#include "source_fuzz/memory_image.h"

#include <algorithm>
#include <cstring>

#include "differential/random.h"

namespace gcnjit::source_fuzz {
namespace {

void FillWithFloats(std::vector<std::byte>& bytes, size_t element, differential::Random& random) {
  for (size_t at = 0; at + element <= bytes.size(); at += element) {
    const int value = static_cast<int>(random.Below(2001)) - 1000;
    const float single = static_cast<float>(value);
    const double both = value;
    if (element == 4) std::memcpy(&bytes[at], &single, 4);
    if (element == 8) std::memcpy(&bytes[at], &both, 8);
  }
}

}  // namespace

Buffers InitialBuffers(const Kernel& kernel) {
  Buffers buffers(kernel.arguments.size());
  for (size_t n = 0; n < buffers.size(); ++n) {
    const Argument& argument = kernel.arguments[n];
    if (!argument.is_buffer) continue;
    buffers[n].assign(argument.bytes, std::byte{argument.fill});
    if (argument.is_output) continue;
    differential::Random random(argument.random);
    if (argument.is_float) {
      FillWithFloats(buffers[n], static_cast<size_t>(argument.element_bytes), random);
    } else {
      for (std::byte& byte : buffers[n]) byte = static_cast<std::byte>(random.Next());
    }
  }
  return buffers;
}

Difference Compare(const Kernel& kernel, const Buffers& expected, const Buffers& got) {
  for (size_t n = 0; n < expected.size(); ++n) {
    if (!kernel.arguments[n].is_buffer) continue;
    const auto [a, b] = std::ranges::mismatch(expected[n], got[n]);
    if (a != expected[n].end()) return {n, static_cast<size_t>(a - expected[n].begin()), true};
  }
  return {};
}

}  // namespace gcnjit::source_fuzz
