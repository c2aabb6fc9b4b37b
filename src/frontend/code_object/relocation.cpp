#include "frontend/code_object/relocation.h"

namespace gcnjit::frontend {

uint32_t FieldBytes(RelocationType type) {
  switch (type) {
    case RelocationType::kRel16: return 2;
    case RelocationType::kAbs32Lo:
    case RelocationType::kAbs32Hi:
    case RelocationType::kAbs32:
    case RelocationType::kRel32:
    case RelocationType::kRel32Lo:
    case RelocationType::kRel32Hi: return 4;
    case RelocationType::kAbs64:
    case RelocationType::kRel64:
    case RelocationType::kRelative64: return 8;
  }
  return 0;  // a number from a file that is none of them
}

std::optional<uint64_t> RelocatedValue(RelocationType type, uint64_t s, uint64_t a, uint64_t p) {
  switch (type) {
    case RelocationType::kAbs32Lo: return (s + a) & 0xFFFFFFFF;
    case RelocationType::kAbs32Hi: return (s + a) >> 32;
    case RelocationType::kRel32Lo: return (s + a - p) & 0xFFFFFFFF;
    case RelocationType::kRel32Hi: return (s + a - p) >> 32;
    case RelocationType::kAbs64:
    case RelocationType::kRelative64: return s + a;
    case RelocationType::kRel64: return s + a - p;
    case RelocationType::kAbs32: return s + a <= UINT32_MAX ? std::optional(s + a) : std::nullopt;
    case RelocationType::kRel32: {
      const auto distance = static_cast<int64_t>(s + a - p);
      if (distance < INT32_MIN || distance > INT32_MAX) return std::nullopt;
      return static_cast<uint32_t>(distance);
    }
    case RelocationType::kRel16: {
      const int64_t words = (static_cast<int64_t>(s + a - p) - 4) / 4;
      if (words < INT16_MIN || words > INT16_MAX) return std::nullopt;
      return static_cast<uint16_t>(words);
    }
  }
  return std::nullopt;
}

}  // namespace gcnjit::frontend
