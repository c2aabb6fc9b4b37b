// Arrays, texture objects and surfaces: values by the formulas of the OpenCL specification, which
// HIP's are (nearest and linear filters, address modes), with textures that are exact in 8 bits of
// fraction.
#include "check.h"

constexpr int kWidth = 20;
constexpr int kHeight = 12;
constexpr int kDepth = 3;

float TexelOf(int x, int y, int z = 0) {
  return static_cast<float>(x * x) + 16.0f * static_cast<float>(y) - 4.0f * static_cast<float>(z);
}

__global__ void Read2d(float* out, hipTextureObject_t texture, float scale_x, float scale_y,
                       float shift) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kWidth + x] =
      tex2D<float>(texture, (x + shift) * scale_x, (y + shift) * scale_y);
}

__global__ void Read3d(float* out, hipTextureObject_t texture) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  out[(z * kHeight + y) * kWidth + x] = tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 1.0f);
}

__global__ void ReadBytes(float4* out, hipTextureObject_t texture) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kWidth + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
}

__global__ void ReadLinear(float* out, hipTextureObject_t texture) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x));
}

__global__ void Mirror(hipSurfaceObject_t from, hipSurfaceObject_t to) {
  const int x = threadIdx.x, y = blockIdx.x;
  float value;
  surf2Dread(&value, from, x * static_cast<int>(sizeof(float)), y);
  surf2Dwrite(value + 0.5f, to, (kWidth - 1 - x) * static_cast<int>(sizeof(float)), y);
}

// Enough work for the kernel to be compiled, with what compiled code leaves to the interpreter.
__global__ void Filter(float* out, hipTextureObject_t texture, int rounds) {
  const int x = threadIdx.x, y = blockIdx.x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        sum += tex2D<float>(texture, x + dx + round + 0.5f, y + dy + 0.5f) *
               static_cast<float>(dx * dx + dy * dy - round);
      }
    }
  }
  out[y * blockDim.x + x] = sum;
}

struct TextureOptions {
  hipTextureFilterMode filter = hipFilterModePoint;
  hipTextureAddressMode address = hipAddressModeClamp;
  bool normalized = false;
  hipTextureReadMode read = hipReadModeElementType;
};

hipTextureObject_t MakeTexture(const hipResourceDesc& resource, const TextureOptions& options) {
  hipTextureDesc description{};
  for (auto& mode : description.addressMode) mode = options.address;
  description.filterMode = options.filter;
  description.readMode = options.read;
  description.normalizedCoords = options.normalized ? 1 : 0;
  hipTextureObject_t texture{};
  HIP(hipCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

hipResourceDesc ArrayResource(hipArray_t array) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

std::vector<float> Texels(int depth) {
  std::vector<float> texels;
  for (int z = 0; z < depth; ++z) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) texels.push_back(TexelOf(x, y, z));
    }
  }
  return texels;
}

hipArray_t MakeArray() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray_t array = nullptr;
  HIP(hipMallocArray(&array, &format, kWidth, kHeight, hipArrayDefault));
  const std::vector<float> texels = Texels(1);
  HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), kWidth * sizeof(float),
                         kWidth * sizeof(float), kHeight, hipMemcpyHostToDevice));
  return array;
}

int Clamped(int at, int size) { return at < 0 ? 0 : at >= size ? size - 1 : at; }
int Wrapped(int at, int size) { return ((at % size) + size) % size; }

void Nearest(hipArray_t array) {
  check::Buffer<float> out(kWidth * kHeight);
  hipTextureObject_t texture = MakeTexture(ArrayResource(array), {});
  Read2d<<<kHeight, kWidth>>>(out, texture, 1, 1, 2.5f);
  check::Each("nearest, clamped", out.Get(), [](size_t i) {
    return TexelOf(Clamped(static_cast<int>(i % kWidth) + 2, kWidth),
                   Clamped(static_cast<int>(i / kWidth) + 2, kHeight));
  });
  HIP(hipDestroyTextureObject(texture));

  texture = MakeTexture(ArrayResource(array), {.address = hipAddressModeBorder});
  Read2d<<<kHeight, kWidth>>>(out, texture, 1, 1, 2.5f);
  check::Each("nearest, border", out.Get(), [](size_t i) {
    const int x = static_cast<int>(i % kWidth) + 2, y = static_cast<int>(i / kWidth) + 2;
    return x < kWidth && y < kHeight ? TexelOf(x, y) : 0.0f;
  });
  HIP(hipDestroyTextureObject(texture));

  texture = MakeTexture(ArrayResource(array),
                        {.address = hipAddressModeWrap, .normalized = true});
  Read2d<<<kHeight, kWidth>>>(out, texture, 1.0f / kWidth, 1.0f / kHeight, -3.5f);
  check::Each("nearest, wrapped", out.Get(), [](size_t i) {
    return TexelOf(Wrapped(static_cast<int>(i % kWidth) - 4, kWidth),
                   Wrapped(static_cast<int>(i / kWidth) - 4, kHeight));
  });
  HIP(hipDestroyTextureObject(texture));
}

void Linear(hipArray_t array) {
  check::Buffer<float> out(kWidth * kHeight);
  const hipTextureObject_t texture =
      MakeTexture(ArrayResource(array), {.filter = hipFilterModeLinear});
  Read2d<<<kHeight, kWidth>>>(out, texture, 1, 1, 0.75f);
  check::Each("linear", out.Get(), [](size_t i) {
    const int x = static_cast<int>(i % kWidth), y = static_cast<int>(i / kWidth);
    const int x1 = Clamped(x + 1, kWidth), y1 = Clamped(y + 1, kHeight);
    return 0.5625f * TexelOf(x, y) + 0.1875f * (TexelOf(x1, y) + TexelOf(x, y1)) +
           0.0625f * TexelOf(x1, y1);
  });
  HIP(hipDestroyTextureObject(texture));
}

void Loops(hipArray_t array) {
  constexpr int kItems = 256, kGroups = 64, kRounds = 4;
  check::Buffer<float> out(kItems * kGroups);
  const hipTextureObject_t texture = MakeTexture(ArrayResource(array), {});
  for (int n = 0; n < 4; ++n) Filter<<<kGroups, kItems>>>(out, texture, kRounds);
  check::Each("a filter", out.Get(), [](size_t i) {
    const int x = static_cast<int>(i % kItems), y = static_cast<int>(i / kItems);
    float sum = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          sum += TexelOf(Clamped(x + dx + round, kWidth), Clamped(y + dy, kHeight)) *
                 static_cast<float>(dx * dx + dy * dy - round);
        }
      }
    }
    return sum;
  });
  HIP(hipDestroyTextureObject(texture));
}

void Volume() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray_t array = nullptr;
  HIP(hipMalloc3DArray(&array, &format, make_hipExtent(kWidth, kHeight, kDepth), 0));
  std::vector<float> texels = Texels(kDepth);
  hipMemcpy3DParms copy{};
  copy.srcPtr = make_hipPitchedPtr(texels.data(), kWidth * sizeof(float), kWidth, kHeight);
  copy.dstArray = array;
  copy.extent = make_hipExtent(kWidth, kHeight, kDepth);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  const hipTextureObject_t texture =
      MakeTexture(ArrayResource(array), {.filter = hipFilterModeLinear});
  check::Buffer<float> out(kWidth * kHeight * kDepth);
  Read3d<<<dim3(kHeight, kDepth), kWidth>>>(out, texture);
  check::Each("a volume, between slices", out.Get(), [](size_t i) {
    const int x = static_cast<int>(i % kWidth), y = static_cast<int>(i / kWidth % kHeight);
    const int z = static_cast<int>(i / (kWidth * kHeight));
    return 0.5f * (TexelOf(x, y, z) + TexelOf(x, y, Clamped(z + 1, kDepth)));
  });
  HIP(hipDestroyTextureObject(texture));
  HIP(hipFreeArray(array));
}

void NormalizedBytes() {
  // HIP 5.2's hipCreateChannelDesc<uchar4> says signed.
  const hipChannelFormatDesc format = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  hipArray_t array = nullptr;
  HIP(hipMallocArray(&array, &format, kWidth, kHeight, 0));
  std::vector<uchar4> texels;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    texels.push_back(make_uchar4(i & 255, 255 - i, 51, 0));
  }
  HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), kWidth * 4, kWidth * 4, kHeight,
                         hipMemcpyHostToDevice));
  const hipTextureObject_t texture =
      MakeTexture(ArrayResource(array), {.read = hipReadModeNormalizedFloat});
  check::Buffer<float4> out(kWidth * kHeight);
  ReadBytes<<<kHeight, kWidth>>>(out, texture);
  const std::vector<float4> got = out.Get();
  check::Each("bytes", reinterpret_cast<const float*>(got.data()), got.size() * 4, [&](size_t i) {
    const uchar4& texel = texels[i / 4];
    const int component = i % 4 == 0 ? texel.x : i % 4 == 1 ? texel.y : i % 4 == 2 ? 51 : 0;
    return static_cast<float>(component) / 255.0f;
  });
  HIP(hipDestroyTextureObject(texture));
  HIP(hipFreeArray(array));
}

// Textures of memory: pitched, and a row of elements.
void OfMemory() {
  void* memory = nullptr;
  size_t pitch = 0;
  HIP(hipMallocPitch(&memory, &pitch, kWidth * sizeof(float), kHeight));
  const std::vector<float> texels = Texels(1);
  HIP(hipMemcpy2D(memory, pitch, texels.data(), kWidth * sizeof(float), kWidth * sizeof(float),
                  kHeight, hipMemcpyHostToDevice));
  hipResourceDesc resource{};
  resource.resType = hipResourceTypePitch2D;
  resource.res.pitch2D = {memory, hipCreateChannelDesc<float>(), kWidth, kHeight, pitch};
  hipTextureObject_t texture = MakeTexture(resource, {});
  check::Buffer<float> out(kWidth * kHeight);
  Read2d<<<kHeight, kWidth>>>(out, texture, 1, 1, 0.5f);
  check::Each("pitched", out.Get(), [](size_t i) {
    return TexelOf(static_cast<int>(i % kWidth), static_cast<int>(i / kWidth));
  });
  HIP(hipDestroyTextureObject(texture));
  HIP(hipMemcpy(memory, texels.data(), kWidth * sizeof(float), hipMemcpyHostToDevice));
  resource = {};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear = {memory, hipCreateChannelDesc<float>(), kWidth * sizeof(float)};
  texture = MakeTexture(resource, {});
  check::Buffer<float> row(kWidth);
  ReadLinear<<<1, kWidth>>>(row, texture);
  check::Each("linear memory", row.Get(),
              [](size_t i) { return TexelOf(static_cast<int>(i), 0); });
  HIP(hipDestroyTextureObject(texture));
  HIP(hipFree(memory));
}

void Surfaces(hipArray_t from) {
  hipArray_t to = MakeArray();
  const hipResourceDesc from_resource = ArrayResource(from), to_resource = ArrayResource(to);
  hipSurfaceObject_t source{}, target{};
  HIP(hipCreateSurfaceObject(&source, &from_resource));
  HIP(hipCreateSurfaceObject(&target, &to_resource));
  Mirror<<<kHeight, kWidth>>>(source, target);
  HIP(hipDeviceSynchronize());
  std::vector<float> back(kWidth * kHeight);
  HIP(hipMemcpy2DFromArray(back.data(), kWidth * sizeof(float), to, 0, 0, kWidth * sizeof(float),
                           kHeight, hipMemcpyDeviceToHost));
  check::Each("surfaces", back, [](size_t i) {
    return TexelOf(kWidth - 1 - static_cast<int>(i % kWidth), static_cast<int>(i / kWidth)) + 0.5f;
  });
  HIP(hipDestroySurfaceObject(source));
  HIP(hipDestroySurfaceObject(target));
  HIP(hipFreeArray(to));
}

int main() {
  hipArray_t array = MakeArray();
  Nearest(array);
  Linear(array);
  Loops(array);
  Surfaces(array);
  HIP(hipFreeArray(array));
  Volume();
  NormalizedBytes();
  OfMemory();
  return check::Finish();
}
