#include "runtime/image/image_resource.h"

#include "runtime/image/image_levels.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t ImageField(const uint32_t (&words)[8], int word, int shift, int bits) {
  return (words[word] >> shift) & ((1u << bits) - 1);
}

constexpr uint32_t kLinearSwizzle = 0;  // gfx9
constexpr uint32_t kFaces = 6;

std::string Refusal(const char* field, int word, uint32_t value, const char* reason) {
  return "image resource: " + std::string(field) + " (word " + std::to_string(word) + ") is " +
         std::to_string(value) + ": " + reason;
}

std::string CheckLayout(frontend::Generation generation, const uint32_t (&words)[8]) {
  const uint32_t layout = ImageField(words, 3, 20, 5);
  if (frontend::IsGfx9(generation)) {
    if (layout != kLinearSwizzle) {
      return Refusal("SW_MODE", 3, layout, "gcnjit reads linear images only; make it 0");
    }
    if (const uint32_t pitch = ImageField(words, 5, 13, 4); pitch != 0) {
      return Refusal("ARRAY_PITCH", 5, pitch, "images in quilts are not implemented; make it 0");
    }
  } else if (layout != kLinearTilingIndex) {
    return Refusal("TILING_INDEX", 3, layout, "gcnjit reads linear images only; make it 8");
  }
  if (frontend::IsGfx8Plus(generation) && ImageField(words, 6, 21, 1) != 0) {
    return Refusal("COMPRESSION_EN", 6, 1, "compressed images are not implemented; make it 0");
  }
  return {};
}

// Layers from BASE_ARRAY to LAST_ARRAY, which gfx9 calls DEPTH. Of a cube they are its faces.
std::string DecodeLayers(frontend::Generation generation, const uint32_t (&words)[8],
                         ImageResource* r) {
  r->first_layer = ImageField(words, 5, 0, 13);
  const bool gfx9 = frontend::IsGfx9(generation);
  const uint32_t last = gfx9 ? ImageField(words, 4, 0, 13) : ImageField(words, 5, 13, 13);
  if (last < r->first_layer) {
    return Refusal(gfx9 ? "DEPTH" : "LAST_ARRAY", gfx9 ? 4 : 5, last, "less than BASE_ARRAY");
  }
  r->layers = last - r->first_layer + 1;
  if (r->type == ImageType::kCube && r->layers % kFaces != 0) {
    return Refusal(gfx9 ? "DEPTH" : "LAST_ARRAY", gfx9 ? 4 : 5, last, "a cube has 6 faces");
  }
  return {};
}

}  // namespace

std::string DecodeImageResource(frontend::Generation generation, const uint32_t (&words)[8],
                                bool is_store, ImageResource* r) {
  const uint32_t type = ImageField(words, 3, 28, 4);
  if (type < 8 || type > 13) {
    return Refusal("TYPE", 3, type,
                   "none of 8 to 13: 1D, 2D, 3D, cube, 1D array, 2D array; is this an image?");
  }
  r->type = static_cast<ImageType>(type);
  const char* format =
      DecodeImageFormat(static_cast<int>(ImageField(words, 1, 20, 6)),
                        static_cast<int>(ImageField(words, 1, 26, 4)), is_store, &r->format);
  if (format != nullptr) return std::string("image resource: ") + format;
  if (std::string refusal = CheckLayout(generation, words); !refusal.empty()) return refusal;
  const bool gfx9 = frontend::IsGfx9(generation);
  r->base = (words[0] | static_cast<uint64_t>(ImageField(words, 1, 0, 8)) << 32) << 8;
  ImageLevel& first = r->level[0];
  first.width = ImageField(words, 2, 0, 14) + 1;
  if (r->Axes() > 1) first.height = ImageField(words, 2, 14, 14) + 1;
  if (r->type == ImageType::k3d) first.depth = ImageField(words, 4, 0, 13) + 1;
  first.pitch = ImageField(words, 4, 13, gfx9 ? 16 : 14) + 1;
  if (std::string refusal = FindImageLevels(generation, words, r); !refusal.empty()) return refusal;
  r->min_lod = ImageField(words, 1, 8, 12);
  r->min_lod_warn = ImageField(words, 6, 0, 12);
  r->border_swizzle = gfx9 ? ImageField(words, 4, 29, 3) : 0;
  for (int n = 0; n < 4; ++n) {
    r->dst_sel[n] = static_cast<uint8_t>(ImageField(words, 3, 3 * n, 3));
    const int component = r->dst_sel[n] - kSelectX;
    if (r->dst_sel[n] > kSelectOne && (component < 0 || component >= r->format.components)) {
      return Refusal("DST_SEL", 3, r->dst_sel[n], "a component that the format does not have");
    }
  }
  return r->IsLayered() ? DecodeLayers(generation, words, r) : std::string();
}

}  // namespace gcnjit::runtime
