// Copies of regions between images and memory, by the host: images lie in memory row by row.
#pragma once

#include "runtime/hsa/images.h"

namespace gcnjit::hsa {

class AllocationTable;

// False: the region is not within the image.
bool HoldsRegion(const HsaImage& image, const hsa_dim3_t& offset, const hsa_dim3_t& range);

// Bytes from a row and a slice of a region in memory to the next; 0: there is no gap.
struct RegionPitch {
  uint64_t row = 0;
  uint64_t slice = 0;
};

// The regions are within their images.
void ExportRegion(const HsaImage& image, const hsa_ext_image_region_t& region, std::byte* memory,
                  RegionPitch pitch);
void ImportRegion(const HsaImage& image, const hsa_ext_image_region_t& region,
                  const std::byte* memory, RegionPitch pitch);
void CopyRegion(const HsaImage& from, const hsa_dim3_t& from_offset, const HsaImage& to,
                const hsa_dim3_t& to_offset, const hsa_dim3_t& range);
// `value` are four components as a kernel would write them.
hsa_status_t ClearRegion(const HsaImage& image, const hsa_ext_image_region_t& region,
                         const uint32_t (&value)[4]);

}  // namespace gcnjit::hsa
