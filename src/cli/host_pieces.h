// Host code by the guest instruction that it was emitted for, taken from a listing of
// disasm_host.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gcnjit::cli {

// Host instructions, a line each, with labels; out-of-line code is left out. Where a block is
// compiled in several versions, or for each wave of a group, an instruction has the code of each,
// with an empty line between; what is beyond kMostHostLines is "..." instead.
inline constexpr size_t kMostHostLines = 120;
std::map<uint64_t, std::string> HostPieces(std::string_view listing);

}  // namespace gcnjit::cli
