// Formats of images: what HSA calls them, what can be done with them, and what a device calls them.
//
// Source: ROCR-Runtime image_lut_kv.cpp (formats, capabilities, selects, largest sizes), which is
// of gfx7 to gfx9.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <bit>
#include <cstdint>

namespace gcnjit::hsa {

struct ImageFormat {
  uint32_t capability = 0;  // hsa_ext_image_capability_t; 0: there is no such format
  uint32_t bytes = 0;
  uint8_t data_format = 0;
  uint8_t number_format = 0;
  uint8_t dst_sel[4] = {};
};

// The extension's status codes are outside the range of the enumeration.
inline hsa_status_t ImageStatus(uint32_t number) { return std::bit_cast<hsa_status_t>(number); }

ImageFormat ImageFormatOf(const hsa_ext_image_format_t& format, hsa_ext_image_geometry_t geometry);

struct ImageLimits {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t depth = 0;
  uint32_t layers = 0;
};
ImageLimits LimitsOf(hsa_ext_image_geometry_t geometry);

}  // namespace gcnjit::hsa
