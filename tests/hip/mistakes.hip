// Kernels with mistakes that `gcnjit exec --check` finds, and that do no harm without it: an
// element past a buffer's end, a barrier that was forgotten, an array that nothing was copied to.
// With an argument also one that is fatal: memory that has been freed.
#include "check.h"

constexpr uint32_t kCount = 1000;

__global__ void Shift(const uint32_t* in, uint32_t* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i + 1];
}

__global__ void Reverse(uint32_t* values) {
  __shared__ uint32_t copy[256];
  copy[threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = copy[255 - threadIdx.x];
}

__global__ void Look(float* out, hipTextureObject_t texture) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f);
}

void LookAtNothing() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  HIP(hipMallocArray(&resource.res.array.array, &format, 64, 2, hipArrayDefault));
  const hipTextureDesc description{};
  hipTextureObject_t texture{};
  HIP(hipCreateTextureObject(&texture, &resource, &description, nullptr));
  check::Buffer<float> out(64);
  Look<<<1, 64>>>(out, texture);
  HIP(hipDeviceSynchronize());
  HIP(hipDestroyTextureObject(texture));
  HIP(hipFreeArray(resource.res.array.array));
}

int main(int argc, char**) {
  std::vector<uint32_t> in(kCount);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = check::Mix(i);
  check::Buffer<uint32_t> device_in(in), out(kCount);
  for (int launch = 0; launch < 3; ++launch) Shift<<<4, 256>>>(device_in, out);
  HIP(hipGetLastError());
  std::vector<uint32_t> shifted = out.Get();
  shifted.pop_back();
  check::Each("shifted", shifted, [&](size_t i) { return in[i + 1]; });
  Reverse<<<1, 256>>>(out);
  HIP(hipDeviceSynchronize());
  LookAtNothing();
  if (argc > 1) {
    uint32_t* freed = nullptr;
    HIP(hipMalloc(reinterpret_cast<void**>(&freed), (kCount + 1) * 4));
    HIP(hipFree(freed));
    Shift<<<4, 256>>>(freed, out);
    HIP(hipDeviceSynchronize());
  }
  return check::Finish();
}
