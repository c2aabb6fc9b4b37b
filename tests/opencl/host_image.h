// Images as the host sees them: what the OpenCL specification says of formats (API 5.3.1.1, 8.3)
// and of sampling (C 6.15.15, API 8.2), in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "harness.h"

namespace harness {

using Color = std::array<double, 4>;  // red, green, blue, alpha

struct ImageKind {
  cl_image_format format;

  bool IsSigned() const {
    return format.image_channel_data_type >= CL_SIGNED_INT8 &&
           format.image_channel_data_type <= CL_SIGNED_INT32;
  }
  bool IsUnsigned() const {
    return format.image_channel_data_type >= CL_UNSIGNED_INT8 &&
           format.image_channel_data_type <= CL_UNSIGNED_INT32;
  }
  bool IsInteger() const { return IsSigned() || IsUnsigned(); }
  bool IsPacked() const { return format.image_channel_data_type == CL_UNORM_INT_101010; }
  bool IsDepth() const { return format.image_channel_order == CL_DEPTH; }
  int Bits() const {
    switch (format.image_channel_data_type) {
      case CL_SNORM_INT8:
      case CL_UNORM_INT8:
      case CL_SIGNED_INT8:
      case CL_UNSIGNED_INT8: return 8;
      case CL_UNORM_INT_101010: return 10;
      case CL_SIGNED_INT32:
      case CL_UNSIGNED_INT32:
      case CL_FLOAT: return 32;
      default: return 16;
    }
  }
  // Where the channels of memory go in a colour, in memory's order.
  std::vector<int> Channels() const {
    switch (format.image_channel_order) {
      case CL_A: return {3};
      case CL_RG: return {0, 1};
      case CL_RA: return {0, 3};
      case CL_RGB: return {0, 1, 2};
      case CL_ARGB: return {3, 0, 1, 2};
      case CL_BGRA: return {2, 1, 0, 3};
      case CL_RGBA:
      case CL_sRGBA: return {0, 1, 2, 3};
      default: return {0};  // R, INTENSITY, LUMINANCE, DEPTH
    }
  }
  size_t Bytes() const { return IsPacked() ? 4 : Channels().size() * Bits() / 8; }
  bool operator==(const ImageKind& other) const {
    return format.image_channel_order == other.format.image_channel_order &&
           format.image_channel_data_type == other.format.image_channel_data_type;
  }
};

inline double HalfValue(uint32_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
// To nearest even; of numbers that a half can hold.
inline uint32_t HalfBits(double value) {
  const double size = std::fabs(value);
  const int exponent = size == 0 ? -14 : std::max(std::ilogb(size), -14);
  const auto fraction = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return (std::signbit(value) ? 0x8000u : 0u) + ((exponent + 14) << 10) + fraction;
}

// A channel's number of its bits in memory.
inline double ChannelValue(const ImageKind& kind, uint32_t bits, int channel) {
  const double most = std::ldexp(1, kind.Bits()) - 1;
  const double most_signed = std::ldexp(1, kind.Bits() - 1) - 1;
  const int32_t extended = static_cast<int32_t>(bits << (32 - kind.Bits())) >> (32 - kind.Bits());
  float single = 0;
  std::memcpy(&single, &bits, 4);
  switch (kind.format.image_channel_data_type) {
    case CL_SNORM_INT8:
    case CL_SNORM_INT16: return std::max(extended / most_signed, -1.0);
    case CL_HALF_FLOAT: return HalfValue(bits);
    case CL_FLOAT: return single;
    default: break;
  }
  if (kind.IsSigned()) return extended;
  if (kind.IsUnsigned()) return bits;
  const double value = bits / most;
  if (kind.format.image_channel_order != CL_sRGBA || channel == 3) return value;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

// The bits that write_image* leaves of a number.
inline uint32_t ChannelBits(const ImageKind& kind, double value) {
  const double most = std::ldexp(1, kind.Bits()) - 1;
  const double most_signed = std::ldexp(1, kind.Bits() - 1) - 1;
  const auto single = static_cast<float>(value);
  uint32_t bits = 0;
  switch (kind.format.image_channel_data_type) {
    case CL_SNORM_INT8:
    case CL_SNORM_INT16:
      return static_cast<uint32_t>(
          static_cast<int32_t>(std::nearbyint(std::clamp(value, -1.0, 1.0) * most_signed)));
    case CL_HALF_FLOAT: return HalfBits(value);
    case CL_FLOAT: std::memcpy(&bits, &single, 4); return bits;
    default: break;
  }
  if (kind.IsSigned()) value = std::clamp(value, -most_signed - 1, most_signed);
  if (kind.IsUnsigned()) value = std::clamp(value, 0.0, most);
  if (kind.IsInteger()) return static_cast<uint32_t>(static_cast<int64_t>(value));
  return static_cast<uint32_t>(std::nearbyint(std::clamp(value, 0.0, 1.0) * most));
}

inline Color ColorOf(const ImageKind& kind, const uint8_t* texel) {
  uint32_t packed = 0;
  if (kind.IsPacked()) std::memcpy(&packed, texel, 4);
  const cl_channel_order order = kind.format.image_channel_order;
  const std::vector<int> channels = kind.Channels();
  const bool has_alpha = std::count(channels.begin(), channels.end(), 3) != 0;
  Color color = {0, 0, 0, has_alpha ? 0.0 : 1.0};
  const size_t bytes = kind.Bits() / 8;
  for (size_t n = 0; n < channels.size(); ++n) {
    uint32_t bits = 0;
    if (kind.IsPacked())
      bits = packed >> (20 - 10 * n) & 1023;
    else
      std::memcpy(&bits, texel + n * bytes, bytes);
    color[channels[n]] = ChannelValue(kind, bits, channels[n]);
  }
  if (order == CL_INTENSITY) color = {color[0], color[0], color[0], color[0]};
  if (order == CL_LUMINANCE) color = {color[0], color[0], color[0], 1};
  return color;
}

inline void PutColor(const ImageKind& kind, const Color& color, uint8_t* texel) {
  uint32_t packed = 0;
  const std::vector<int> channels = kind.Channels();
  const size_t bytes = kind.Bits() / 8;
  for (size_t n = 0; n < channels.size(); ++n) {
    const uint32_t bits = ChannelBits(kind, color[channels[n]]);
    packed |= (bits & 1023) << (20 - 10 * n);
    if (!kind.IsPacked()) std::memcpy(texel + n * bytes, &bits, bytes);
  }
  if (kind.IsPacked()) std::memcpy(texel, &packed, 4);
}

// What an address mode that has a border gives beyond the image.
inline Color BorderOf(const ImageKind& kind) {
  switch (kind.format.image_channel_order) {
    case CL_R:
    case CL_RG:
    case CL_RGB:
    case CL_LUMINANCE:
    case CL_DEPTH: return {0, 0, 0, 1};
    default: return {0, 0, 0, 0};
  }
}

struct HostSampler {
  bool normalized;
  cl_addressing_mode address;
  bool linear;
};

// An image without gaps. Of arrays the layers are the size after the axes.
struct HostImage {
  ImageKind kind;
  std::array<size_t, 3> size;
  int axes;  // that are sampled: of arrays one less than they have sizes
  std::vector<uint8_t> bytes;

  HostImage(ImageKind of, std::array<size_t, 3> sizes, int sampled)
      : kind(of), size(sizes), axes(sampled), bytes(sizes[0] * sizes[1] * sizes[2] * of.Bytes()) {}

  size_t Texels() const { return size[0] * size[1] * size[2]; }
  uint8_t* At(size_t x, size_t y = 0, size_t z = 0) {
    return bytes.data() + ((z * size[1] + y) * size[0] + x) * kind.Bytes();
  }
  const uint8_t* At(size_t x, size_t y = 0, size_t z = 0) const {
    return const_cast<HostImage*>(this)->At(x, y, z);
  }
  // Any bits; of floats numbers of a moderate size, so that sums are nearly exact.
  void FillWithNoise(uint32_t seed) {
    const bool is_float = kind.format.image_channel_data_type == CL_HALF_FLOAT ||
                          kind.format.image_channel_data_type == CL_FLOAT;
    const auto next = [&] { return (seed = seed * 1664525 + 1013904223) >> 8; };
    for (size_t n = 0; n < Texels(); ++n) {
      uint8_t* const texel = bytes.data() + n * kind.Bytes();
      if (is_float) {
        Color color;
        for (double& value : color) value = static_cast<double>(next() % 4096) / 256 - 8;
        PutColor(kind, color, texel);
      } else {
        for (size_t b = 0; b < kind.Bytes(); ++b) texel[b] = static_cast<uint8_t>(next());
      }
    }
  }

  // i-th texel of the endless axis; false: the border.
  static bool Address(cl_addressing_mode mode, int64_t size, int64_t* i) {
    switch (mode) {
      case CL_ADDRESS_REPEAT: *i = (*i % size + size) % size; return true;
      case CL_ADDRESS_MIRRORED_REPEAT: {
        *i = (*i % (2 * size) + 2 * size) % (2 * size);
        if (*i >= size) *i = 2 * size - 1 - *i;
        return true;
      }
      case CL_ADDRESS_CLAMP: return *i >= 0 && *i < size;
      default: *i = std::clamp<int64_t>(*i, 0, size - 1); return true;
    }
  }

  // `at`: the coordinates, of arrays with the layer.
  Color Sample(const HostSampler& sampler, const std::array<double, 3>& at) const {
    int64_t first[3] = {};
    double second_weight[3] = {};
    for (int axis = 0; axis < axes; ++axis) {
      double u = sampler.normalized ? at[axis] * static_cast<double>(size[axis]) : at[axis];
      if (sampler.linear) u -= 0.5;
      first[axis] = static_cast<int64_t>(std::floor(u));
      if (sampler.linear) second_weight[axis] = u - std::floor(u);
    }
    if (axes < 3)
      first[axes] = std::clamp<int64_t>(std::llrint(at[axes]), 0, int64_t(size[axes]) - 1);
    Color sum = {};
    for (int corner = 0; corner < 1 << axes; ++corner) {
      double weight = 1;
      int64_t i[3] = {first[0], first[1], first[2]};
      bool inside = true;
      for (int axis = 0; axis < axes; ++axis) {
        const bool second = corner >> axis & 1;
        weight *= second ? second_weight[axis] : 1 - second_weight[axis];
        i[axis] += second;
        inside &= Address(sampler.address, int64_t(size[axis]), &i[axis]);
      }
      if (weight == 0) continue;
      const Color texel = inside ? ColorOf(kind, At(i[0], i[1], i[2])) : BorderOf(kind);
      for (int n = 0; n < 4; ++n) sum[n] += weight * texel[n];
    }
    return sum;
  }
};

struct ImageShape {
  cl_mem_object_type type;
  const char* name;  // in OpenCL C
  int axes;          // that are sampled; arrays have another size
  std::array<size_t, 3> size;

  cl_image_desc Description() const {
    cl_image_desc d{};
    d.image_type = type;
    d.image_width = size[0];
    if (axes > 1) d.image_height = size[1];
    if (axes > 2) d.image_depth = size[2];
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) d.image_array_size = size[1];
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY) d.image_array_size = size[2];
    return d;
  }
};
inline const ImageShape k1d = {CL_MEM_OBJECT_IMAGE1D, "image1d_t", 1, {37, 1, 1}};
inline const ImageShape k1dArray = {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", 1, {21, 5, 1}};
inline const ImageShape k2d = {CL_MEM_OBJECT_IMAGE2D, "image2d_t", 2, {19, 11, 1}};
inline const ImageShape k2dArray = {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", 2, {13, 7, 4}};
inline const ImageShape k3d = {CL_MEM_OBJECT_IMAGE3D, "image3d_t", 3, {9, 6, 5}};
inline const ImageShape kShapes[] = {k1d, k1dArray, k2d, k2dArray, k3d};

inline const ImageKind kRgba8 = {{CL_RGBA, CL_UNORM_INT8}};
inline const ImageKind kR32f = {{CL_R, CL_FLOAT}};
inline const ImageKind kRg16i = {{CL_RG, CL_SIGNED_INT16}};
inline const ImageKind kRgba16u = {{CL_RGBA, CL_UNSIGNED_INT16}};

inline HostImage Noise(const ImageShape& shape, const ImageKind& kind, uint32_t seed = 1) {
  HostImage image(kind, shape.size, shape.axes);
  image.FillWithNoise(seed);
  return image;
}

inline Buffer NewImage(const Session& s, const cl_image_desc& shape, const ImageKind& kind,
                       void* host, cl_mem_flags flags) {
  cl_int error = CL_SUCCESS;
  if (host != nullptr && (flags & CL_MEM_USE_HOST_PTR) == 0) flags |= CL_MEM_COPY_HOST_PTR;
  Buffer made(clCreateImage(s.context, flags, &kind.format, &shape, host, &error));
  OK(error);
  return made;
}
inline Buffer NewImage(const Session& s, const ImageShape& shape, HostImage& contents,
                       cl_mem_flags flags = CL_MEM_READ_WRITE) {
  return NewImage(s, shape.Description(), contents.kind, contents.bytes.data(), flags);
}

inline std::vector<ImageKind> Formats(const Session& s, cl_mem_object_type type,
                                      cl_mem_flags flags) {
  cl_uint count = 0;
  OK(clGetSupportedImageFormats(s.context, flags, type, 0, nullptr, &count));
  std::vector<cl_image_format> formats(count);
  OK(clGetSupportedImageFormats(s.context, flags, type, count, formats.data(), nullptr));
  std::vector<ImageKind> kinds;
  for (const cl_image_format& format : formats) kinds.push_back({format});
  return kinds;
}

}  // namespace harness
