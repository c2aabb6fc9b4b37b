#include "runtime/image/image_levels.h"

#include <algorithm>
#include <bit>

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kMostBytesOfTexel = 16;

constexpr uint32_t LevelField(uint32_t word, int shift, int bits) {
  return (word >> shift) & ((1u << bits) - 1);
}

uint32_t SideOf(uint32_t side, uint32_t level) { return std::max(side >> level, 1u); }

std::string LevelRefusal(const char* field, int word, uint32_t value, const std::string& reason) {
  return "image resource: " + std::string(field) + " (word " + std::to_string(word) + ") is " +
         std::to_string(value) + ": " + reason;
}

void SetSides(const ImageLevel& whole, uint32_t n, ImageLevel* level) {
  level->width = SideOf(whole.width, n);
  level->height = SideOf(whole.height, n);
  level->depth = SideOf(whole.depth, n);
}

// gfx6-8, sides that are powers of two.
std::string FindPaddedLevels(const uint32_t (&words)[8], uint32_t last, ImageResource* r,
                             ImageLevel (&all)[kMostImageLevels]) {
  const ImageLevel whole = r->level[0];
  const uint32_t bytes = r->format.bytes;
  const uint32_t layers = r->IsLayered() ? LevelField(words[4], 0, 13) + 1 : 1;
  const uint32_t least_pitch = std::max(8u, 64 / bytes);
  const uint32_t least_slice = std::max(64u, 256 / bytes);
  if (r->IsLayered() && LevelField(words[5], 13, 13) >= layers) {
    return LevelRefusal("LAST_ARRAY", 5, LevelField(words[5], 13, 13),
                        "more than DEPTH (word 4), the last layer of an image with POW2_PAD");
  }
  if (!std::has_single_bit(whole.width) || !std::has_single_bit(whole.height) ||
      !std::has_single_bit(whole.depth) || !std::has_single_bit(layers)) {
    return LevelRefusal("POW2_PAD", 3, 1,
                        "documents disagree about the levels of an image whose sides and layers "
                        "are not powers of two; make them so");
  }
  if (!std::has_single_bit(whole.pitch) || whole.pitch < whole.width || whole.pitch < least_pitch ||
      whole.pitch * whole.height < least_slice) {
    return LevelRefusal("PITCH", 4, whole.pitch - 1,
                        "that of an image with POW2_PAD is a power of two, at least the width, " +
                            std::to_string(least_pitch) + " texels, and " +
                            std::to_string(least_slice) + " in a slice; make it so");
  }
  uint64_t offset = 0;
  for (uint32_t n = 0; n <= last; ++n) {
    ImageLevel& level = all[n];
    SetSides(whole, n, &level);
    level.pitch = std::max(
        {whole.pitch >> n, least_pitch, least_slice / std::min(level.height, least_slice)});
    level.offset = offset;
    level.slice_bytes = uint64_t{level.pitch} * level.height * bytes;
    offset += level.slice_bytes * (layers == 1 ? level.depth : layers);
  }
  return {};
}

// gfx9.
std::string FindStackedLevels(uint32_t max_mip, ImageResource* r,
                              ImageLevel (&all)[kMostImageLevels]) {
  const ImageLevel whole = r->level[0];
  const uint32_t bytes = r->format.bytes;
  const uint32_t unit = 256 / bytes;
  const uint32_t pitch = (whole.width + unit - 1) / unit * unit;
  uint64_t rows = 0;
  uint32_t rows_of_level = whole.height;
  for (uint32_t n = 0; n <= max_mip; ++n) {
    SetSides(whole, n, &all[n]);
    all[n].pitch = pitch;
    all[n].offset = rows * pitch * bytes;
    rows += rows_of_level;
    rows_of_level = (rows_of_level + 1) / 2;
  }
  if (whole.pitch != rows) {
    return LevelRefusal("PITCH", 4, whole.pitch - 1,
                        "that of an image with levels is the number of their rows less one; make "
                        "it " +
                            std::to_string(rows - 1));
  }
  for (ImageLevel& level : all) level.slice_bytes = rows * pitch * bytes;
  return {};
}

}  // namespace

std::string FindImageLevels(frontend::Generation generation, const uint32_t (&words)[8],
                            ImageResource* r) {
  const uint32_t base = LevelField(words[3], 12, 4);
  const uint32_t last = LevelField(words[3], 16, 4);
  const bool gfx9 = frontend::IsGfx9(generation);
  const uint32_t max_mip = gfx9 ? LevelField(words[5], 28, 4) : 0;
  const bool has_levels = gfx9 ? max_mip != 0 : LevelField(words[3], 25, 1) != 0;
  r->levels = 1;
  if (last < base) return LevelRefusal("LAST_LEVEL", 3, last, "less than BASE_LEVEL");
  if (last > max_mip && gfx9) {
    return LevelRefusal("LAST_LEVEL", 3, last, "more than MAX_MIP (word 5), the last of the image");
  }
  if (last != 0 && !has_levels) {
    return LevelRefusal("LAST_LEVEL", 3, last, "an image with levels has POW2_PAD; make it 1");
  }
  ImageLevel& only = r->level[0];
  only.slice_bytes = uint64_t{only.pitch} * only.height * r->format.bytes;
  if (!has_levels) return {};
  if (!std::has_single_bit(r->format.bytes) || r->format.bytes > kMostBytesOfTexel) {
    return LevelRefusal("LAST_LEVEL", 3, last,
                        "levels of images with texels of 96 bits are not documented well enough");
  }
  ImageLevel all[kMostImageLevels];
  std::string refusal =
      gfx9 ? FindStackedLevels(max_mip, r, all) : FindPaddedLevels(words, last, r, all);
  if (!refusal.empty()) return refusal;
  r->levels = last - base + 1;
  std::copy_n(&all[base], r->levels, r->level);
  return {};
}

}  // namespace gcnjit::runtime
