// Images and samplers that the host program has made. A handle is the address of what kernels read:
// the descriptor's words and, of images, the channel type, channel order and width after them
// (ROCR-Runtime resource.h, "HSA image object"; ROCm's device library reads them).
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/hsa/agent.h"
#include "runtime/hsa/image_formats.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::hsa {

// Of an image in memory: bytes from a row and a slice to the next.
struct ImageLayout {
  uint64_t row_pitch = 0;
  uint64_t slice_pitch = 0;
  uint64_t bytes = 0;
};
// Pitches of 0 are up to us.
hsa_status_t LayoutOf(const hsa_ext_image_descriptor_t& descriptor, uint64_t row_pitch,
                      uint64_t slice_pitch, ImageLayout* layout);

struct HsaImage {
  const Agent* agent = nullptr;
  hsa_ext_image_descriptor_t descriptor{};
  ImageFormat format;
  ImageLayout layout;
  std::byte* data = nullptr;

  // How many texels along an axis; layers are the last.
  uint64_t SizeOf(int axis) const;
  std::byte* At(uint64_t x, uint64_t y, uint64_t z) const {
    return data + z * layout.slice_pitch + y * layout.row_pitch + x * format.bytes;
  }
};

class ImageTable {
 public:
  explicit ImageTable(runtime::GuestMemory& memory) : memory_(memory) {}

  hsa_status_t Create(const HsaImage& image, hsa_ext_image_t* handle);
  bool Destroy(hsa_ext_image_t handle);
  std::optional<HsaImage> Find(hsa_ext_image_t handle) const;

  hsa_status_t Create(const Agent& agent, uint32_t coordinate_mode, uint32_t filter_mode,
                      const uint32_t (&address_modes)[3], hsa_ext_sampler_t* handle);
  bool Destroy(hsa_ext_sampler_t handle);

 private:
  static constexpr uint64_t kObjectBytes = 64;
  // The caller holds mutex_. 0: there is no memory.
  uint64_t TakeObject();

  runtime::GuestMemory& memory_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<uint64_t> free_;
  std::map<uint64_t, HsaImage> images_;
  std::map<uint64_t, const Agent*> samplers_;
};

}  // namespace gcnjit::hsa
