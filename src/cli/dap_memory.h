// How a client of the Debug Adapter Protocol is told of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcnjit::cli {

// A memoryReference: of guest memory its address, "0x7f0000"; of LDS the group and the address in
// it, "lds:3:0x40".
struct MemoryPlace {
  std::optional<uint64_t> lds_of;  // a group; nothing: guest memory
  uint64_t address = 0;
};
std::optional<MemoryPlace> ParseMemoryReference(const std::string& text);
std::string LdsReference(uint64_t group, uint64_t address);

std::string Base64(std::span<const std::byte> bytes);
// Nothing: that is not what Base64 makes.
std::optional<std::vector<std::byte>> FromBase64(std::string_view text);

}  // namespace gcnjit::cli
