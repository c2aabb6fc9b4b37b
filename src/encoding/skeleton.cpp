#include "encoding/skeleton.h"

namespace gcnjit::encoding {

using frontend::Format;
using frontend::Generation;

Skeleton SkeletonOf(Generation g, Format format, uint32_t number) {
  const bool gfx8 = frontend::IsGfx8Plus(g);
  switch (format) {
    case Format::kSop1: return {0xBE800000 | number << 8, 0xFF80FF00};
    case Format::kSop2: return {0x80000000 | number << 23, 0xFF800000};
    case Format::kSopk: return {0xB0000000 | number << 23, 0xFF800000};
    case Format::kSopc: return {0xBF000000 | number << 16, 0xFFFF0000};
    case Format::kSopp: return {0xBF800000 | number << 16, 0xFFFF0000};
    case Format::kSmrd: return {0xC0000000 | number << 22, 0xFFC00000};
    case Format::kSmem: return {0xC0000000 | number << 18, 0xFFFC0000};
    case Format::kVop1: return {0x7E000000 | number << 9, 0xFE01FE00};
    case Format::kVop2: return {number << 25, 0xFE000000};
    case Format::kVopc: return {0x7C000000 | number << 17, 0xFFFE0000};
    case Format::kVop3:
      if (gfx8) return {0xD0000000 | number << 16, 0xFFFF0000};
      return {0xD0000000 | number << 17, 0xFFFE0000};
    case Format::kMai:
    case Format::kVop3p: return {0xD3800000 | number << 16, 0xFFFF0000};
    case Format::kVintrp: return {(gfx8 ? 0xD4000000 : 0xC8000000) | number << 16, 0xFC030000};
    case Format::kDs:
      if (gfx8) return {0xD8000000 | number << 17, 0xFFFE0000};
      return {0xD8000000 | number << 18, 0xFFFC0000};
    case Format::kMubuf: return {0xE0000000 | number << 18, 0xFDFC0000};
    case Format::kMtbuf:
      if (gfx8) return {0xE8000000 | number << 15, 0xFC078000};
      return {0xE8000000 | number << 16, 0xFC070000};
    case Format::kFlat: return {0xDC000000 | number << 18, 0xFDFC0000};
    case Format::kScratch: return {0xDC004000 | number << 18, 0xFDFCC000};
    case Format::kGlobal: return {0xDC008000 | number << 18, 0xFDFCC000};
    case Format::kMimg: return {0xF0000000 | number << 18, 0xFDFC0000};
    case Format::kExp: return {gfx8 ? 0xC4000000 : 0xF8000000, 0xFC000000};
    case Format::kNone: break;
  }
  return {0, 0};
}

}  // namespace gcnjit::encoding
