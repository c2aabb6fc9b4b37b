// Entry points: images and samplers (hsa_ext_image.h). Image data are linear, also where the layout
// is up to us, and the host copies between them and memory.
#include <algorithm>
#include <cstring>

#include "runtime/hsa/allocations.h"
#include "runtime/hsa/image_transfer.h"
#include "runtime/hsa/images.h"
#include "runtime/hsa/newer_api.h"
#include "runtime/hsa/status.h"
#include "runtime/image/image_words.h"

using namespace gcnjit::hsa;

namespace {

// Access permissions are HSA_ACCESS_PERMISSION_RO to RW.
bool IsPermission(hsa_access_permission_t permission) {
  return permission >= HSA_ACCESS_PERMISSION_RO && permission <= HSA_ACCESS_PERMISSION_RW;
}

// What create functions and questions about sizes have in common.
hsa_status_t CheckDescriptor(Runtime& runtime, hsa_agent_t handle,
                             const hsa_ext_image_descriptor_t* descriptor,
                             hsa_access_permission_t permission, const Agent** agent) {
  if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  *agent = runtime.FindGpu(handle);
  if (*agent == nullptr) {
    return ImageStatus(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  }
  if (descriptor == nullptr || !IsPermission(permission)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t GetDataInfo(hsa_agent_t handle, const hsa_ext_image_descriptor_t* descriptor,
                         hsa_access_permission_t permission, size_t row_pitch, size_t slice_pitch,
                         hsa_ext_image_data_info_t* info) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = nullptr;
    hsa_status_t status = CheckDescriptor(runtime, handle, descriptor, permission, &agent);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (info == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ImageLayout layout;
    status = LayoutOf(*descriptor, row_pitch, slice_pitch, &layout);
    if (status != HSA_STATUS_SUCCESS) return status;
    info->size = layout.bytes;
    info->alignment = gcnjit::runtime::kImageAlignment;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t CreateImage(hsa_agent_t handle, const hsa_ext_image_descriptor_t* descriptor,
                         const void* data, hsa_access_permission_t permission, size_t row_pitch,
                         size_t slice_pitch, hsa_ext_image_t* image) {
  return Guarded([&](Runtime& runtime) {
    HsaImage made;
    hsa_status_t status = CheckDescriptor(runtime, handle, descriptor, permission, &made.agent);
    if (status != HSA_STATUS_SUCCESS) return status;
    const bool is_aligned =
        reinterpret_cast<uint64_t>(data) % gcnjit::runtime::kImageAlignment == 0;
    if (image == nullptr || data == nullptr || !is_aligned) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    status = LayoutOf(*descriptor, row_pitch, slice_pitch, &made.layout);
    if (status != HSA_STATUS_SUCCESS) return status;
    made.descriptor = *descriptor;
    made.format = ImageFormatOf(descriptor->format, descriptor->geometry);
    made.data = static_cast<std::byte*>(const_cast<void*>(data));
    return runtime.images().Create(made, image);
  });
}

// The image, if it is the agent's and holds the region.
std::optional<HsaImage> ImageWith(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_t handle,
                                  const hsa_dim3_t& offset, const hsa_dim3_t& range) {
  std::optional<HsaImage> image = runtime.images().Find(handle);
  if (!image || image->agent != runtime.Find(agent)) return std::nullopt;
  if (!HoldsRegion(*image, offset, range)) return std::nullopt;
  return image;
}

// Bytes from the first to the last of a region in memory.
uint64_t RegionBytes(const HsaImage& image, const hsa_dim3_t& range, RegionPitch pitch) {
  const uint64_t row = uint64_t{range.x} * image.format.bytes;
  const uint64_t row_pitch = pitch.row == 0 ? row : pitch.row;
  const uint64_t slice_pitch = pitch.slice == 0 ? row_pitch * range.y : pitch.slice;
  return (range.z - 1) * slice_pitch + (range.y - 1) * row_pitch + row;
}

// A pitch does not make rows or slices overlap.
bool IsPitch(const HsaImage& image, const hsa_dim3_t& range, RegionPitch pitch) {
  const uint64_t row = uint64_t{range.x} * image.format.bytes;
  const uint64_t row_pitch = pitch.row == 0 ? row : pitch.row;
  return row_pitch >= row && (pitch.slice == 0 || pitch.slice >= row_pitch * range.y) &&
         std::max(pitch.row, pitch.slice) <= UINT32_MAX * uint64_t{16};
}

bool ImageIsWritable(Runtime& runtime, const HsaImage& image) {
  return runtime.allocations().MayWrite(image.data, image.layout.bytes);
}
bool ImageIsReadable(Runtime& runtime, const HsaImage& image) {
  return runtime.allocations().MayRead(image.data, image.layout.bytes);
}

hsa_status_t CreateSampler(hsa_agent_t handle, uint32_t coordinates, uint32_t filter,
                           const uint32_t (&modes)[3], hsa_ext_sampler_t* sampler) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const Agent* const agent = runtime.FindGpu(handle);
    if (agent == nullptr || sampler == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.images().Create(*agent, coordinates, filter, modes, sampler);
  });
}

hsa_status_t GetCapability(hsa_agent_t handle, hsa_ext_image_geometry_t geometry,
                           const hsa_ext_image_format_t* format, uint32_t* mask) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (format == nullptr || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool is_gpu = runtime.FindGpu(handle) != nullptr;
    *mask = is_gpu ? ImageFormatOf(*format, geometry).capability : 0;
    return HSA_STATUS_SUCCESS;
  });
}

bool IsLayout(hsa_ext_image_data_layout_t layout) {
  return layout == HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR;
}

}  // namespace

extern "C" hsa_status_t hsa_ext_image_get_capability(hsa_agent_t agent,
                                                     hsa_ext_image_geometry_t geometry,
                                                     const hsa_ext_image_format_t* format,
                                                     uint32_t* mask) {
  return GetCapability(agent, geometry, format, mask);
}

extern "C" hsa_status_t hsa_ext_image_get_capability_with_layout(
    hsa_agent_t agent, hsa_ext_image_geometry_t geometry, const hsa_ext_image_format_t* format,
    hsa_ext_image_data_layout_t layout, uint32_t* mask) {
  if (!IsLayout(layout)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return GetCapability(agent, geometry, format, mask);
}

extern "C" hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent,
                                                    const hsa_ext_image_descriptor_t* descriptor,
                                                    hsa_access_permission_t permission,
                                                    hsa_ext_image_data_info_t* info) {
  return GetDataInfo(agent, descriptor, permission, 0, 0, info);
}

extern "C" hsa_status_t hsa_ext_image_data_get_info_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor,
    hsa_access_permission_t permission, hsa_ext_image_data_layout_t layout, size_t row_pitch,
    size_t slice_pitch, hsa_ext_image_data_info_t* info) {
  if (!IsLayout(layout)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return GetDataInfo(agent, descriptor, permission, row_pitch, slice_pitch, info);
}

extern "C" hsa_status_t hsa_ext_image_create(hsa_agent_t agent,
                                             const hsa_ext_image_descriptor_t* descriptor,
                                             const void* data, hsa_access_permission_t permission,
                                             hsa_ext_image_t* image) {
  return CreateImage(agent, descriptor, data, permission, 0, 0, image);
}

extern "C" hsa_status_t hsa_ext_image_create_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor, const void* data,
    hsa_access_permission_t permission, hsa_ext_image_data_layout_t layout, size_t row_pitch,
    size_t slice_pitch, hsa_ext_image_t* image) {
  if (!IsLayout(layout)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return CreateImage(agent, descriptor, data, permission, row_pitch, slice_pitch, image);
}

extern "C" hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return runtime.images().Destroy(image) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t from,
                                           const hsa_dim3_t* from_offset, hsa_ext_image_t to,
                                           const hsa_dim3_t* to_offset, const hsa_dim3_t* range) {
  return Guarded([&](Runtime& runtime) {
    if (from_offset == nullptr || to_offset == nullptr || range == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto source = ImageWith(runtime, agent, from, *from_offset, *range);
    const auto target = ImageWith(runtime, agent, to, *to_offset, *range);
    if (!source || !target || !ImageIsReadable(runtime, *source) ||
        !ImageIsWritable(runtime, *target)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const hsa_ext_image_format_t& a = source->descriptor.format;
    const hsa_ext_image_format_t& b = target->descriptor.format;
    if (a.channel_order != b.channel_order || a.channel_type != b.channel_type) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    CopyRegion(*source, *from_offset, *target, *to_offset, *range);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void* memory,
                                             size_t row_pitch, size_t slice_pitch,
                                             hsa_ext_image_t handle,
                                             const hsa_ext_image_region_t* region) {
  return Guarded([&](Runtime& runtime) {
    if (memory == nullptr || region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto image = ImageWith(runtime, agent, handle, region->offset, region->range);
    const RegionPitch pitch{row_pitch, slice_pitch};
    if (!image || !IsPitch(*image, region->range, pitch) || !ImageIsWritable(runtime, *image) ||
        !runtime.allocations().MayRead(memory, RegionBytes(*image, region->range, pitch))) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    ImportRegion(*image, *region, static_cast<const std::byte*>(memory), pitch);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t handle,
                                             void* memory, size_t row_pitch, size_t slice_pitch,
                                             const hsa_ext_image_region_t* region) {
  return Guarded([&](Runtime& runtime) {
    if (memory == nullptr || region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto image = ImageWith(runtime, agent, handle, region->offset, region->range);
    const RegionPitch pitch{row_pitch, slice_pitch};
    if (!image || !IsPitch(*image, region->range, pitch) || !ImageIsReadable(runtime, *image) ||
        !runtime.allocations().MayWrite(memory, RegionBytes(*image, region->range, pitch))) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    ExportRegion(*image, *region, static_cast<std::byte*>(memory), pitch);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t handle,
                                            const void* data,
                                            const hsa_ext_image_region_t* region) {
  return Guarded([&](Runtime& runtime) {
    if (data == nullptr || region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto image = ImageWith(runtime, agent, handle, region->offset, region->range);
    if (!image || !ImageIsWritable(runtime, *image)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t value[4];
    std::memcpy(value, data, sizeof value);
    return ClearRegion(*image, *region, value);
  });
}

extern "C" hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent,
                                               const hsa_ext_sampler_descriptor_t* descriptor,
                                               hsa_ext_sampler_t* sampler) {
  if (descriptor == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const uint32_t mode = descriptor->address_mode;
  return CreateSampler(agent, descriptor->coordinate_mode, descriptor->filter_mode,
                       {mode, mode, mode}, sampler);
}

hsa_status_t gcnjit::hsa::SamplerCreateV2(hsa_agent_t agent, const SamplerDescriptorV2* descriptor,
                                          hsa_ext_sampler_t* sampler) {
  if (descriptor == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return CreateSampler(agent, descriptor->coordinate_mode, descriptor->filter_mode,
                       descriptor->address_modes, sampler);
}

extern "C" hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t sampler) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return runtime.images().Destroy(sampler) ? HSA_STATUS_SUCCESS
                                             : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}
