// How places in code are written.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gcnjit::frontend {

// "kernel + 0x1c"; "kernel - 0xec" of what lies before it, such as a function that it calls.
inline std::string PlaceText(std::string_view name, int64_t offset) {
  const auto bytes = static_cast<uint64_t>(offset);
  return offset < 0 ? fmt::format("{} - {:#x}", name, -bytes)
                    : fmt::format("{} + {:#x}", name, bytes);
}

}  // namespace gcnjit::frontend
