// Image resources (T#): what their words say, on each generation, and where texels are. Linear
// images only: how texels are arranged otherwise is up to the device's tiling registers or to
// address swizzles.
//
// Sources: ROCR-Runtime resource_kv.h (gfx7, gfx8), resource_ai.h (gfx9), image_manager_kv.cpp,
// image_manager_ai.cpp, addrlib (slices of linear surfaces); CLRX GcnMemHandling.md "Image resource
// format" (gfx6-8; index 8 is linear); Mesa ac_descriptors.c (gfx6-9: DEPTH and layers); Linux
// gfx_v6_0.c to gfx_v8_0.c (GB_TILE_MODE8 is ARRAY_LINEAR_ALIGNED).
#pragma once

#include <cstdint>
#include <string>

#include "isa/generation.h"
#include "runtime/image/element_format.h"

namespace gcnjit::runtime {

inline constexpr uint32_t kLinearTilingIndex = 8;  // gfx6-8

enum class ImageType : uint8_t {
  k1d = 8,
  k2d = 9,
  k3d = 10,
  kCube = 11,
  k1dArray = 12,
  k2dArray = 13,
};

inline constexpr int kMostImageLevels = 16;

struct ImageLevel {
  // In texels; 1 of what the type does not have.
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t depth = 1;
  uint32_t pitch = 1;   // texels from a row to the next
  uint64_t offset = 0;  // in bytes, from the image's first texel
  uint64_t slice_bytes = 0;

  uint32_t SizeOf(int axis) const { return axis == 0 ? width : axis == 1 ? height : depth; }
};

struct ImageResource {
  uint64_t base = 0;
  ImageType type = ImageType::k2d;
  uint32_t layers = 1;  // of arrays, faces of cubes
  uint32_t first_layer = 0;
  uint32_t levels = 1;                 // from BASE_LEVEL to LAST_LEVEL
  ImageLevel level[kMostImageLevels];  // as many; instructions count from BASE_LEVEL
  ElementFormat format;
  uint8_t dst_sel[4] = {};
  uint32_t min_lod = 0;         // in 1/256
  uint32_t min_lod_warn = 0;    // in 1/256
  uint32_t border_swizzle = 0;  // gfx9

  bool IsLayered() const { return type >= ImageType::kCube; }
  int Axes() const {
    return type == ImageType::k3d                                  ? 3
           : type == ImageType::k1d || type == ImageType::k1dArray ? 1
                                                                   : 2;
  }
  // Of a texel, with its layer.
  int Coordinates() const { return Axes() + (IsLayered() ? 1 : 0); }
  uint32_t SizeOf(int axis) const { return level[0].SizeOf(axis); }

  // The texel's address; `slice` counts depth or layers. The coordinates are within level `n`.
  uint64_t AddressOf(uint32_t x, uint32_t y, uint32_t slice, uint32_t n = 0) const {
    const ImageLevel& of = level[n];
    return base + of.offset + uint64_t{slice + first_layer} * of.slice_bytes +
           (uint64_t{y} * of.pitch + x) * format.bytes;
  }
};

// "", or what of the descriptor is not implemented, by its field.
std::string DecodeImageResource(frontend::Generation generation, const uint32_t (&words)[8],
                                bool is_store, ImageResource* resource);

}  // namespace gcnjit::runtime
