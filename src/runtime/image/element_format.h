// Formats of data in buffers and images: what format loads and stores convert from and to.
//
// Sources: CLRX GcnMemHandling.md "MUBUF/MTBUF format conversion", "Image resource format"; CDNA3
// ISA 9.1.2 (codes), 9.1.4 (components that the format lacks read 0); ROCR-Runtime image_lut_kv.cpp
// (order of the components of 5_6_5 and 1_5_5_5).
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

enum class NumberFormat : uint8_t {
  kUnorm,
  kSnorm,
  kUscaled,
  kSscaled,
  kUint,
  kSint,
  kSnormOgl,  // gfx6-8, undocumented in detail; reserved on gfx9
  kFloat,
  kSrgb = 9,  // images only: UNORM, the first three components by the sRGB curve
};

// DST_SEL of resources.
inline constexpr uint8_t kSelectZero = 0;
inline constexpr uint8_t kSelectOne = 1;
inline constexpr uint8_t kSelectX = 4;

struct ElementFormat {
  int components = 0;    // 0: the invalid format, which makes the resource unbound
  uint8_t bits[4] = {};  // from the lowest bit
  uint32_t bytes = 0;
  NumberFormat number = NumberFormat::kUnorm;

  bool IsInteger() const { return number == NumberFormat::kUint || number == NumberFormat::kSint; }
};

// nullptr, or why the format can't be loaded (stored).
const char* DecodeBufferFormat(int data_format, int number_format, bool is_store,
                               ElementFormat* format);
const char* DecodeImageFormat(int data_format, int number_format, bool is_store,
                              ElementFormat* format);

// Component `n` of an element as 32 bits: a float, or an integer extended as the format says.
// MXCSR must round to nearest (FloatClass::kNearest).
uint32_t UnpackComponent(const ElementFormat& format, int n, const uint32_t* element);
// As 16 bits: f16 or the low half of an integer.
uint16_t UnpackComponent16(const ElementFormat& format, int n, const uint32_t* element);

// The values of sRGB's 256 bytes: IEC 61966-2-1, rounded once.
const float* SrgbValues();

// Puts a component of 32 bits into an element that is 0 there. Floats round to nearest even; of an
// integer that the component does not hold it becomes the nearest that it does (OpenCL API
// specification 8.3, "integer channel data types", whose write_image* ROCm's device library leaves
// to the instruction; Direct3D 11.3 functional specification 3.2.3).
void PackComponent(const ElementFormat& format, int n, uint32_t value, uint32_t* element);

// Between 32 and 16 bits of a component: f32 and f16, or the low half of an integer.
uint16_t NarrowComponent(const ElementFormat& format, uint32_t wide);
uint32_t WidenComponent(const ElementFormat& format, uint16_t narrow);

// What DST_SEL "1" gives.
uint32_t OneOf(const ElementFormat& format);
uint16_t OneOf16(const ElementFormat& format);

}  // namespace gcnjit::runtime
