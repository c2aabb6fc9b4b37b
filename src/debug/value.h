// Numbers that people write, for registers and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "debug/registers.h"
#include "gcnjit/error.h"

namespace gcnjit::debug {

// The bits of a number of that many bytes, 1, 4 or 8: "12", "-1", "0x40"; and of 4 or 8 bytes also
// "1.5", "1e-3", "2f", "inf", "nan", which with a format of f32 or f64 is what "12" is, too. An
// Error: it is no number, or does not fit.
Result<uint64_t> ParseValue(const std::string& text, size_t bytes,
                            std::optional<NumberFormat> format);

}  // namespace gcnjit::debug
