// Classes of encodings.
#pragma once

#include "isa/instruction.h"

namespace gcnjit::frontend {

constexpr bool IsScalarEncoding(Encoding encoding) {
  switch (encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc:
    case Encoding::kSopp:
    case Encoding::kSmrd:
    case Encoding::kSmem: return true;
    default: return false;
  }
}

constexpr bool IsVectorAlu(Encoding encoding) {
  switch (encoding) {
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopc:
    case Encoding::kVop3a:
    case Encoding::kVop3b:
    case Encoding::kVop3p:
    case Encoding::kMai:
    case Encoding::kSdwa:
    case Encoding::kDpp:
    case Encoding::kVintrp: return true;
    default: return false;
  }
}

// Memory but for LDS and GDS.
constexpr bool IsVectorMemory(Encoding encoding) {
  switch (encoding) {
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
    case Encoding::kMimg:
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch: return true;
    default: return false;
  }
}

}  // namespace gcnjit::frontend
