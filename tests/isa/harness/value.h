// Values as written in .case files, see tests/isa/README.md, "Values".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::isa_tests {

enum class FloatFormat : uint8_t { kF16, kF32, kF64 };

struct Value {
  enum class Kind : uint8_t { kBits, kUnchanged, kAnything };
  Kind kind = Kind::kBits;
  bool is_qword = false;                   // fills two dwords in memory
  FloatFormat format = FloatFormat::kF32;  // what `ulps` counts in
  uint32_t ulps = 0;                       // expectations: how far the result may be off
  uint64_t bits = 0;
  std::string symbol;  // a buffer, or "code": its address is added to bits
};

// The value of a symbol; what a run of a case knows.
struct Symbols {
  virtual ~Symbols() = default;
  virtual uint64_t AddressOf(const std::string& symbol) const = 0;
};

// Parses a list of values. `bits` (32 or 64) is the size of the place: what a float without suffix
// means, and the range that integers must fit.
Result<std::vector<Value>> ParseValues(std::string_view text, int bits);

// Is `got` within `ulps` units in the last place of `expected`? Zeroes are equal, NaNs only to
// NaNs.
bool WithinUlps(FloatFormat format, uint64_t got, uint64_t expected, uint32_t ulps);

// "0x40400000 (3.0)", for reports.
std::string Show(uint64_t value, int bits);

}  // namespace gcnjit::isa_tests
