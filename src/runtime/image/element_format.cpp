#include "runtime/image/element_format.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

namespace gcnjit::runtime {
namespace {

struct FieldLayout {
  int components;
  uint8_t bits[4];
};

// By DATA_FORMAT code; images have more than buffers. 10_11_11 names its components from the
// highest bit, hence 11, 11, 10 here.
constexpr int kBufferFormats = 15;
constexpr FieldLayout kLayouts[20] = {
    {0, {}},                // 0: invalid
    {1, {8}},               // 8
    {1, {16}},              // 16
    {2, {8, 8}},            // 8_8
    {1, {32}},              // 32
    {2, {16, 16}},          // 16_16
    {3, {11, 11, 10}},      // 10_11_11
    {3, {10, 11, 11}},      // 11_11_10
    {4, {2, 10, 10, 10}},   // 10_10_10_2
    {4, {10, 10, 10, 2}},   // 2_10_10_10
    {4, {8, 8, 8, 8}},      // 8_8_8_8
    {2, {32, 32}},          // 32_32
    {4, {16, 16, 16, 16}},  // 16_16_16_16
    {3, {32, 32, 32}},      // 32_32_32
    {4, {32, 32, 32, 32}},  // 32_32_32_32
    {0, {}},                // 15: reserved
    {3, {5, 6, 5}},         // 5_6_5
    {4, {5, 5, 5, 1}},      // 1_5_5_5
    {4, {1, 5, 5, 5}},      // 5_5_5_1
    {4, {4, 4, 4, 4}},      // 4_4_4_4
};

struct Place {
  int dword;
  int shift;
};

Place PlaceOf(const ElementFormat& format, int n) {
  int bit = 0;
  for (int k = 0; k < n; ++k) bit += format.bits[k];
  return {bit / 32, bit % 32};
}

uint32_t FieldMask(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

// Components never straddle dwords.
uint32_t FieldOf(const ElementFormat& format, int n, const uint32_t* element) {
  const Place place = PlaceOf(format, n);
  return (element[place.dword] >> place.shift) & FieldMask(format.bits[n]);
}

int32_t SignExtendField(uint32_t field, int bits) {
  return static_cast<int32_t>(field << (32 - bits)) >> (32 - bits);
}

float HalfToFloat(uint16_t half) { return _cvtsh_ss(half); }
uint16_t FloatToHalf(float value) { return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT); }

// Unsigned floats of 10 and 11 bits are f16 without sign and with fewer fraction bits.
float SmallFloat(uint32_t field, int bits) {
  switch (bits) {
    case 32: return std::bit_cast<float>(field);
    case 16: return HalfToFloat(static_cast<uint16_t>(field));
    default: return HalfToFloat(static_cast<uint16_t>(field << (15 - bits)));
  }
}

float FieldToFloat(const ElementFormat& format, uint32_t field, int bits) {
  const auto unsigned_value = static_cast<float>(field);
  const auto signed_value = static_cast<float>(SignExtendField(field, bits));
  switch (format.number) {
    case NumberFormat::kUnorm: return unsigned_value / static_cast<float>(FieldMask(bits));
    case NumberFormat::kSnorm:
      return std::max(signed_value / static_cast<float>(FieldMask(bits - 1)), -1.0f);
    case NumberFormat::kUscaled: return unsigned_value;
    case NumberFormat::kSscaled: return signed_value;
    default: return SmallFloat(field, bits);
  }
}

// Products are exact in double; NaN becomes 0.
uint32_t FloatToField(const ElementFormat& format, float value, int bits) {
  switch (format.number) {
    case NumberFormat::kUnorm: {
      const double clamped = value > 0 ? std::min<double>(value, 1.0) : 0.0;
      return static_cast<uint32_t>(std::nearbyint(clamped * FieldMask(bits)));
    }
    case NumberFormat::kSnorm: {
      const double clamped = value == value ? std::clamp<double>(value, -1.0, 1.0) : 0.0;
      return static_cast<uint32_t>(
          static_cast<int32_t>(std::nearbyint(clamped * FieldMask(bits - 1))));
    }
    default: return bits == 16 ? FloatToHalf(value) : std::bit_cast<uint32_t>(value);
  }
}

uint32_t SaturatedComponent(const ElementFormat& format, int n, uint32_t value) {
  const int bits = format.bits[n];
  if (bits == 32 || !format.IsInteger()) return value;
  if (format.number == NumberFormat::kUint) return std::min(value, FieldMask(bits));
  const auto most = static_cast<int32_t>(FieldMask(bits - 1));
  return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(value), -most - 1, most));
}

void PutField(const ElementFormat& format, int n, uint32_t field, uint32_t* element) {
  const Place place = PlaceOf(format, n);
  element[place.dword] |= (field & FieldMask(format.bits[n])) << place.shift;
}

}  // namespace

namespace {

void SetLayout(const FieldLayout& layout, int number_format, ElementFormat* format) {
  format->components = layout.components;
  format->number = static_cast<NumberFormat>(number_format);
  uint32_t total = 0;
  for (int n = 0; n < layout.components; ++n) {
    format->bits[n] = layout.bits[n];
    total += layout.bits[n];
  }
  format->bytes = total / 8;
}

// What the components' widths do not allow.
const char* CheckNumbers(const ElementFormat& format, bool is_store) {
  if (format.components == 0 || format.IsInteger()) return nullptr;
  const int bits = format.bits[0];
  const bool is_small_float = format.components == 3 && (bits == 11 || bits == 10);
  switch (format.number) {
    case NumberFormat::kSnormOgl: return "number format 6 is not documented well enough; use SNORM";
    case NumberFormat::kFloat:
      if (bits == 16 || bits == 32) return nullptr;
      if (!is_small_float)
        return "float components have 10, 11, 16 or 32 bits; change the data format";
      return is_store ? "how stores round to 10- and 11-bit floats is not documented" : nullptr;
    case NumberFormat::kUscaled:
    case NumberFormat::kSscaled:
      if (is_store) return "scaled number formats can only be loaded; store as an integer format";
      [[fallthrough]];
    default: return bits == 32 ? "32-bit components are UINT, SINT or FLOAT only" : nullptr;
  }
}

}  // namespace

const char* DecodeBufferFormat(int data_format, int number_format, bool is_store,
                               ElementFormat* format) {
  if (data_format >= kBufferFormats) return "buffer data format 15 is reserved; use 0 to 14";
  SetLayout(kLayouts[data_format], number_format, format);
  return CheckNumbers(*format, is_store);
}

const char* DecodeImageFormat(int data_format, int number_format, bool is_store,
                              ElementFormat* format) {
  if (data_format >= static_cast<int>(std::size(kLayouts)) ||
      kLayouts[data_format].components == 0) {
    return "DATA_FORMAT (word 1) is none of those that gcnjit implements: 1 to 14, 16 to 19";
  }
  const auto number = static_cast<NumberFormat>(number_format);
  if (number > NumberFormat::kFloat && number != NumberFormat::kSrgb) {
    return "NUM_FORMAT (word 1) is none of those that gcnjit implements: 0 to 5, 7, 9";
  }
  SetLayout(kLayouts[data_format], number_format, format);
  if (number != NumberFormat::kSrgb) return CheckNumbers(*format, is_store);
  if (format->bits[0] != 8) return "sRGB images have components of 8 bits; change the data format";
  return is_store ? "sRGB images can only be loaded; store as UNORM" : nullptr;
}

const float* SrgbValues() {
  static const auto values = [] {
    std::array<float, 256> linear;
    for (size_t byte = 0; byte < linear.size(); ++byte) {
      const double value = static_cast<double>(byte) / 255;
      linear[byte] = static_cast<float>(value <= 0.04045 ? value / 12.92
                                                         : std::pow((value + 0.055) / 1.055, 2.4));
    }
    return linear;
  }();
  return values.data();
}

uint32_t UnpackComponent(const ElementFormat& format, int n, const uint32_t* element) {
  const uint32_t field = FieldOf(format, n, element);
  const int bits = format.bits[n];
  switch (format.number) {
    case NumberFormat::kSrgb:
      if (n < 3) return std::bit_cast<uint32_t>(SrgbValues()[field]);
      return std::bit_cast<uint32_t>(static_cast<float>(field) /
                                     static_cast<float>(FieldMask(bits)));
    case NumberFormat::kUint: return field;
    case NumberFormat::kSint: return static_cast<uint32_t>(SignExtendField(field, bits));
    case NumberFormat::kFloat:
      if (bits == 32) return field;
      [[fallthrough]];
    default: return std::bit_cast<uint32_t>(FieldToFloat(format, field, bits));
  }
}

uint16_t NarrowComponent(const ElementFormat& format, uint32_t wide) {
  return format.IsInteger() ? static_cast<uint16_t>(wide) : FloatToHalf(std::bit_cast<float>(wide));
}

uint32_t WidenComponent(const ElementFormat& format, uint16_t narrow) {
  if (format.number == NumberFormat::kSint) {
    return static_cast<uint32_t>(SignExtendField(narrow, 16));
  }
  return format.IsInteger() ? narrow : std::bit_cast<uint32_t>(HalfToFloat(narrow));
}

uint16_t UnpackComponent16(const ElementFormat& format, int n, const uint32_t* element) {
  return NarrowComponent(format, UnpackComponent(format, n, element));
}

void PackComponent(const ElementFormat& format, int n, uint32_t value, uint32_t* element) {
  const bool as_is =
      format.IsInteger() || (format.number == NumberFormat::kFloat && format.bits[n] == 32);
  PutField(format, n,
           as_is ? SaturatedComponent(format, n, value)
                 : FloatToField(format, std::bit_cast<float>(value), format.bits[n]),
           element);
}

uint32_t OneOf(const ElementFormat& format) {
  return format.IsInteger() ? 1 : std::bit_cast<uint32_t>(1.0f);
}
uint16_t OneOf16(const ElementFormat& format) { return format.IsInteger() ? 1 : 0x3C00; }

}  // namespace gcnjit::runtime
