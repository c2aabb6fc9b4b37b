// Images from the host: creation, transfers, copies, fills, mappings, and what they say of
// themselves.
#include "host_image.h"

namespace {

using Triple = std::array<size_t, 3>;

std::vector<uint8_t> ReadAll(const Session& s, cl_mem image, const HostImage& like) {
  const Triple origin = {};
  std::vector<uint8_t> bytes(like.bytes.size());
  OK(clEnqueueReadImage(s.queue, image, CL_TRUE, origin.data(), like.size.data(), 0, 0,
                        bytes.data(), 0, nullptr, nullptr));
  return bytes;
}

void Is(const Session& s, const char* what, cl_mem image, const HostImage& want) {
  Each(what, ReadAll(s, image, want), [&](size_t i) { return want.bytes[i]; });
}

template <typename F>
void ForRegion(const Triple& region, F f) {
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      for (size_t x = 0; x < region[0]; ++x) f(x, y, z);
}

// A region that leaves something on every side where there is room for it.
void Inner(const ImageShape& shape, Triple* origin, Triple* region) {
  for (int n = 0; n < 3; ++n) {
    (*origin)[n] = shape.size[n] > 2 ? 1 : 0;
    (*region)[n] = shape.size[n] > 2 ? shape.size[n] - 2 : shape.size[n];
  }
}

void Copy(const HostImage& from, const Triple& at, HostImage& to, const Triple& to_at,
          const Triple& region) {
  ForRegion(region, [&](size_t x, size_t y, size_t z) {
    std::memcpy(to.At(to_at[0] + x, to_at[1] + y, to_at[2] + z),
                from.At(at[0] + x, at[1] + y, at[2] + z), from.kind.Bytes());
  });
}

void DeviceHasThem(Session& s) {
  CHECK(DeviceInfo<cl_bool>(s.device, CL_DEVICE_IMAGE_SUPPORT));
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE2D_MAX_WIDTH) == 16384);
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE2D_MAX_HEIGHT) == 16384);
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE3D_MAX_WIDTH) >= 2048);
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE3D_MAX_HEIGHT) >= 2048);
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE3D_MAX_DEPTH) >= 2048);
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) >= 2048);
  CHECK(DeviceInfo<size_t>(s.device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) >= 65536);
  CHECK(DeviceInfo<cl_uint>(s.device, CL_DEVICE_MAX_READ_IMAGE_ARGS) >= 128);
  CHECK(DeviceInfo<cl_uint>(s.device, CL_DEVICE_MAX_WRITE_IMAGE_ARGS) >= 8);
  CHECK(DeviceInfo<cl_uint>(s.device, CL_DEVICE_MAX_SAMPLERS) >= 16);
  for (const cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE}) {
    const std::vector<ImageKind> formats = Formats(s, CL_MEM_OBJECT_IMAGE2D, flags);
    for (const cl_channel_type type :
         {CL_UNORM_INT8, CL_UNORM_INT16, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,
          CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT}) {
      const ImageKind wanted = {{CL_RGBA, type}};
      CHECK(std::count(formats.begin(), formats.end(), wanted) == 1);
    }
  }
}

void Transfers(Session& s) {
  for (const ImageShape& shape : kShapes) {
    HostImage want = Noise(shape, kRgba8);
    const Buffer image = NewImage(s, shape, want);
    Is(s, "created", image, want);
    Triple origin, region;
    Inner(shape, &origin, &region);
    // Rows and slices of memory are farther apart than they are long. A layer of a 1D array is a
    // slice.
    const size_t row = region[0] * 4 + 12;
    const bool is_1d_array = shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t slice = is_1d_array ? row : row * region[1] + row;
    const bool has_slices = is_1d_array || shape.size[2] > 1;
    std::vector<uint8_t> memory(slice * region[2] + row * region[1] + 64, 0xEE);
    const auto at = [&](size_t x, size_t y, size_t z) { return z * slice + y * row + x * 4; };
    for (size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<uint8_t>(n * 7);
    OK(clEnqueueWriteImage(s.queue, image, CL_TRUE, origin.data(), region.data(), row,
                           has_slices ? slice : 0, memory.data(), 0, nullptr, nullptr));
    ForRegion(region, [&](size_t x, size_t y, size_t z) {
      std::memcpy(want.At(origin[0] + x, origin[1] + y, origin[2] + z), &memory[at(x, y, z)], 4);
    });
    Is(s, "written", image, want);
    std::vector<uint8_t> expected(memory.size(), 0xEE);
    std::fill(memory.begin(), memory.end(), 0xEE);
    ForRegion(region, [&](size_t x, size_t y, size_t z) {
      std::memcpy(&expected[at(x, y, z)], want.At(origin[0] + x, origin[1] + y, origin[2] + z), 4);
    });
    OK(clEnqueueReadImage(s.queue, image, CL_TRUE, origin.data(), region.data(), row,
                          has_slices ? slice : 0, memory.data(), 0, nullptr, nullptr));
    Each("read", memory, [&](size_t i) { return expected[i]; });
  }
}

// Every format goes in and out as it is: AMD's library looks at them in different ways.
void EveryFormat(Session& s) {
  for (const ImageShape& shape : {k2d, k1dArray}) {
    for (const ImageKind& kind : Formats(s, shape.type, CL_MEM_READ_ONLY)) {
      HostImage want = Noise(shape, kind, 5);
      const Buffer image = NewImage(s, shape, want, CL_MEM_READ_ONLY);
      Is(s, "format", image, want);
      HostImage other = Noise(shape, kind, 6);
      const Buffer target = NewImage(s, shape, other, CL_MEM_READ_ONLY);
      Triple origin, region;
      Inner(shape, &origin, &region);
      OK(clEnqueueCopyImage(s.queue, image, target, origin.data(), origin.data(), region.data(), 0,
                            nullptr, nullptr));
      Copy(want, origin, other, origin, region);
      Is(s, "format, copied", target, other);
    }
  }
}

void Copies(Session& s) {
  const ImageShape* const pairs[][2] = {
      {&k1d, &k1d}, {&k1dArray, &k1dArray}, {&k2d, &k2d},      {&k2dArray, &k2dArray},
      {&k3d, &k3d}, {&k2d, &k2dArray},      {&k2dArray, &k2d}, {&k2d, &k3d},
      {&k3d, &k2d}, {&k2dArray, &k3d},      {&k3d, &k2dArray}};
  for (const auto& [from_shape, to_shape] : pairs) {
    HostImage from = Noise(*from_shape, kRg16i, 3), to = Noise(*to_shape, kRg16i, 4);
    const Buffer source = NewImage(s, *from_shape, from), target = NewImage(s, *to_shape, to);
    Triple at = {}, to_at = {}, region = {};
    for (int n = 0; n < 3; ++n) {
      const size_t a = from.size[n], b = to.size[n];
      region[n] = std::max<size_t>(std::min(a, b) / 2, 1);
      at[n] = a - region[n];
      to_at[n] = (b - region[n]) / 2;
    }
    OK(clEnqueueCopyImage(s.queue, source, target, at.data(), to_at.data(), region.data(), 0,
                          nullptr, nullptr));
    Copy(from, at, to, to_at, region);
    Is(s, "copied", target, to);
  }
}

void CopiesOfBuffers(Session& s) {
  for (const ImageShape& shape : kShapes) {
    HostImage want = Noise(shape, kRgba16u);
    const Buffer image = NewImage(s, shape, want);
    Triple origin, region;
    Inner(shape, &origin, &region);
    constexpr size_t kBegin = 24;
    const size_t texels = region[0] * region[1] * region[2];
    std::vector<uint8_t> memory(kBegin + texels * 8 + 40);
    for (size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<uint8_t>(n * 3 + 1);
    const Buffer buffer = s.NewBuffer(memory.size(), memory.data());
    OK(clEnqueueCopyImageToBuffer(s.queue, image, buffer, origin.data(), region.data(), kBegin, 0,
                                  nullptr, nullptr));
    std::vector<uint8_t> expected = memory;
    size_t at = kBegin;
    ForRegion(region, [&](size_t x, size_t y, size_t z) {
      std::memcpy(&expected[at], want.At(origin[0] + x, origin[1] + y, origin[2] + z), 8);
      at += 8;
    });
    Each("to buffer", s.Read<uint8_t>(buffer, memory.size()),
         [&](size_t i) { return expected[i]; });
    OK(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, memory.size(), memory.data(), 0, nullptr,
                            nullptr));
    OK(clEnqueueCopyBufferToImage(s.queue, buffer, image, kBegin, origin.data(), region.data(), 0,
                                  nullptr, nullptr));
    at = kBegin;
    ForRegion(region, [&](size_t x, size_t y, size_t z) {
      std::memcpy(want.At(origin[0] + x, origin[1] + y, origin[2] + z), &memory[at], 8);
      at += 8;
    });
    Is(s, "from buffer", image, want);
  }
}

void FillOne(const Session& s, const ImageShape& shape, const ImageKind& kind) {
  HostImage want = Noise(shape, kind);
  const Buffer image = NewImage(s, shape, want);
  Triple origin, region;
  Inner(shape, &origin, &region);
  const float floats[4] = {0.25f, -0.75f, 1.0f, 0.5f};
  const int32_t ints[4] = {77, kind.IsSigned() ? -5 : 9, 120, 3};
  OK(clEnqueueFillImage(s.queue, image, kind.IsInteger() ? static_cast<const void*>(ints) : floats,
                        origin.data(), region.data(), 0, nullptr, nullptr));
  Color color;
  for (int n = 0; n < 4; ++n) color[n] = kind.IsInteger() ? ints[n] : floats[n];
  ForRegion(region, [&](size_t x, size_t y, size_t z) {
    PutColor(kind, color, want.At(origin[0] + x, origin[1] + y, origin[2] + z));
  });
  Is(s, "filled", image, want);
}

void Fills(Session& s) {
  for (const ImageShape& shape : kShapes) FillOne(s, shape, kRgba8);
  for (const ImageKind& kind : Formats(s, CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_WRITE))
    FillOne(s, k2d, kind);
}

void Mappings(Session& s) {
  for (const cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR}) {
    for (const ImageShape& shape : kShapes) {
      HostImage want = Noise(shape, kRg16i), behind = want;
      const Buffer image = NewImage(s, shape, behind, flags);
      Triple origin, region;
      Inner(shape, &origin, &region);
      size_t row = 0, slice = 0;
      cl_int error = CL_SUCCESS;
      auto* const mapped = static_cast<uint8_t*>(
          clEnqueueMapImage(s.queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin.data(),
                            region.data(), &row, &slice, 0, nullptr, nullptr, &error));
      OK(error);
      if (shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) row = slice;
      ForRegion(region, [&](size_t x, size_t y, size_t z) {
        uint8_t* const at = mapped + z * slice + y * row + x * 4;
        uint8_t* const texel = want.At(origin[0] + x, origin[1] + y, origin[2] + z);
        Each("mapped", at, 4, [&](size_t i) { return texel[i]; });
        for (int n = 0; n < 4; ++n) at[n] = texel[n] = static_cast<uint8_t>(texel[n] + 91);
      });
      OK(clEnqueueUnmapMemObject(s.queue, image, mapped, 0, nullptr, nullptr));
      Is(s, "unmapped", image, want);
    }
  }
}

void WhatTheySay(Session& s) {
  const auto info = [](cl_mem image, cl_image_info what) {
    size_t value = 0;
    OK(clGetImageInfo(image, what, sizeof value, &value, nullptr));
    return value;
  };
  for (const ImageShape& shape : kShapes) {
    HostImage contents = Noise(shape, kRgba16u);
    const Buffer image = NewImage(s, shape, contents);
    const cl_image_desc wanted = shape.Description();
    CHECK(info(image, CL_IMAGE_ELEMENT_SIZE) == 8);
    CHECK(info(image, CL_IMAGE_WIDTH) == wanted.image_width);
    CHECK(info(image, CL_IMAGE_HEIGHT) == wanted.image_height);
    CHECK(info(image, CL_IMAGE_DEPTH) == wanted.image_depth);
    CHECK(info(image, CL_IMAGE_ARRAY_SIZE) == wanted.image_array_size);
    cl_mem_object_type type = 0;
    OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, nullptr));
    CHECK(type == shape.type);
  }
}

void Refused(Session& s) {
  cl_int error = CL_SUCCESS;
  const auto creates = [&](const cl_image_format& format, const cl_image_desc& shape) {
    return clCreateImage(s.context, CL_MEM_READ_WRITE, &format, &shape, nullptr, &error) != nullptr;
  };
  cl_image_desc shape = k2d.Description();
  CHECK(!creates({CL_RGB, CL_FLOAT}, shape));
  CHECK(error == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  CHECK(!creates({CL_RGB, CL_UNORM_SHORT_565}, shape));
  CHECK(error == CL_IMAGE_FORMAT_NOT_SUPPORTED);
  shape.image_width = 16385;
  CHECK(!creates(kRgba8.format, shape));
  CHECK(error == CL_INVALID_IMAGE_SIZE);
  HostImage contents = Noise(k2d, kRgba8);
  const Buffer image = NewImage(s, k2d, contents);
  const Triple origin = {10, 0, 0}, region = {10, 1, 1};
  FAILS(clEnqueueReadImage(s.queue, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                           contents.bytes.data(), 0, nullptr, nullptr),
        CL_INVALID_VALUE);
}

}  // namespace

int main() {
  return Main({{"device has images", DeviceHasThem},
               {"transfers", Transfers},
               {"every format", EveryFormat},
               {"copies", Copies},
               {"copies of buffers", CopiesOfBuffers},
               {"fills", Fills},
               {"mappings", Mappings},
               {"what they say", WhatTheySay},
               {"refused", Refused}});
}
