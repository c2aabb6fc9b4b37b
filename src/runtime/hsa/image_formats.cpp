#include "runtime/hsa/image_formats.h"

#include <algorithm>
#include <iterator>

namespace gcnjit::hsa {
namespace {

constexpr uint32_t kRead = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY;
constexpr uint32_t kReadOrWrite = kRead | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY;
constexpr uint32_t kReadAndWrite = kReadOrWrite | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;

constexpr uint8_t k0 = 0, k1 = 1, kX = 4, kY = 5, kZ = 6, kW = 7;  // DST_SEL

// Numbers of the device.
enum Number : uint8_t { kUnorm = 0, kSnorm = 1, kUint = 4, kSint = 5, kFloat = 7, kSrgb = 9 };

struct ChannelType {
  uint8_t bits;  // of a component; 0: packed
  uint8_t number;
  uint8_t packed;  // DATA_FORMAT
};
constexpr ChannelType kTypes[] = {
    {8, kSnorm, 0},  {16, kSnorm, 0}, {8, kUnorm, 0},  {16, kUnorm, 0},
    {0, kUnorm, 0},   // UNORM_INT24: none
    {0, kUnorm, 17},  // 1_5_5_5
    {0, kUnorm, 16},  // 5_6_5
    {0, kUnorm, 9},   // 2_10_10_10
    {8, kSint, 0},   {16, kSint, 0},  {32, kSint, 0},  {8, kUint, 0},
    {16, kUint, 0},  {32, kUint, 0},  {16, kFloat, 0}, {32, kFloat, 0},
};

// Which types an order goes with.
enum class Types : uint8_t { kNone, kPlain, kBytes, kPacked, kUnormByte, kNoIntegers, kDepth };

struct ChannelOrder {
  uint8_t components;
  Types types;
  uint8_t dst_sel[4];
};
constexpr ChannelOrder kOrders[] = {
    {1, Types::kPlain, {k0, k0, k0, kX}},       // A
    {1, Types::kPlain, {kX, k0, k0, k1}},       // R
    {0, Types::kNone, {}},                      // RX
    {2, Types::kPlain, {kX, kY, k0, k1}},       // RG
    {0, Types::kNone, {}},                      // RGX
    {2, Types::kPlain, {kX, k0, k0, kY}},       // RA
    {3, Types::kPacked, {kZ, kY, kX, k1}},      // RGB
    {0, Types::kNone, {}},                      // RGBX
    {4, Types::kPlain, {kX, kY, kZ, kW}},       // RGBA
    {4, Types::kBytes, {kZ, kY, kX, kW}},       // BGRA
    {4, Types::kBytes, {kY, kZ, kW, kX}},       // ARGB
    {0, Types::kNone, {}},                      // ABGR
    {0, Types::kNone, {}},                      // SRGB
    {0, Types::kNone, {}},                      // SRGBX
    {4, Types::kUnormByte, {kX, kY, kZ, kW}},   // SRGBA
    {0, Types::kNone, {}},                      // SBGRA
    {1, Types::kNoIntegers, {kX, kX, kX, kX}},  // INTENSITY
    {1, Types::kNoIntegers, {kX, kX, kX, k1}},  // LUMINANCE
    {1, Types::kDepth, {kX, k0, k0, k0}},       // DEPTH
    {0, Types::kNone, {}},                      // DEPTH_STENCIL
};

bool GoesWith(Types types, const ChannelType& type) {
  const bool is_integer = type.number == kUint || type.number == kSint;
  switch (types) {
    case Types::kNone: return false;
    case Types::kPlain: return type.bits != 0;
    case Types::kBytes: return type.bits == 8;
    case Types::kPacked: return type.packed != 0;
    case Types::kUnormByte: return type.bits == 8 && type.number == kUnorm;
    case Types::kNoIntegers: return type.bits != 0 && !is_integer;
    case Types::kDepth:
      return (type.bits == 16 && type.number == kUnorm) ||
             (type.bits == 32 && type.number == kFloat);
  }
  return false;
}

// DATA_FORMAT of one, two or four components of 8, 16 or 32 bits.
uint8_t DataFormatOf(int components, int bits) {
  constexpr uint8_t kFormats[3][3] = {{1, 2, 4}, {3, 5, 11}, {10, 12, 14}};
  return kFormats[components / 2][bits / 16];
}

uint32_t CapabilityOf(const ChannelOrder& order) {
  if (order.types == Types::kUnormByte) return kRead;
  return order.types == Types::kDepth ? kReadOrWrite : kReadAndWrite;
}

bool IsDepth(hsa_ext_image_geometry_t geometry) {
  return geometry == HSA_EXT_IMAGE_GEOMETRY_2DDEPTH || geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
}

}  // namespace

ImageFormat ImageFormatOf(const hsa_ext_image_format_t& format, hsa_ext_image_geometry_t geometry) {
  if (format.channel_order >= std::size(kOrders) || format.channel_type >= std::size(kTypes)) {
    return {};
  }
  const ChannelOrder& order = kOrders[format.channel_order];
  const ChannelType& type = kTypes[format.channel_type];
  if (!GoesWith(order.types, type)) return {};
  if (IsDepth(geometry) && order.types != Types::kDepth) return {};
  const bool is_srgb = order.types == Types::kUnormByte;
  const bool is_small = type.packed == 16 || type.packed == 17;
  if (geometry == HSA_EXT_IMAGE_GEOMETRY_1DB && (is_srgb || is_small)) return {};
  ImageFormat result;
  result.capability = CapabilityOf(order);
  result.number_format = is_srgb ? uint8_t{kSrgb} : type.number;
  result.data_format = type.packed != 0 ? type.packed : DataFormatOf(order.components, type.bits);
  result.bytes = type.packed == 0 ? order.components * type.bits / 8u : is_small ? 2 : 4;
  std::copy_n(order.dst_sel, 4, result.dst_sel);
  return result;
}

ImageLimits LimitsOf(hsa_ext_image_geometry_t geometry) {
  constexpr uint32_t kSide = 16384;
  constexpr uint32_t kSlices = 8192;
  switch (geometry) {
    case HSA_EXT_IMAGE_GEOMETRY_1D: return {kSide, 1, 1, 1};
    case HSA_EXT_IMAGE_GEOMETRY_2D:
    case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH: return {kSide, kSide, 1, 1};
    case HSA_EXT_IMAGE_GEOMETRY_3D: return {kSide, kSide, kSlices, 1};
    case HSA_EXT_IMAGE_GEOMETRY_1DA: return {kSide, 1, 1, kSlices};
    case HSA_EXT_IMAGE_GEOMETRY_2DA:
    case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH: return {kSide, kSide, 1, kSlices};
    case HSA_EXT_IMAGE_GEOMETRY_1DB: return {UINT32_MAX, 1, 1, 1};
  }
  return {};
}

}  // namespace gcnjit::hsa
