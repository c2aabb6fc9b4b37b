// Several devices: each computes on its own, memory is copied from one to another, and a kernel
// reads the memory of a device that is not its own.
#include "check.h"

constexpr uint32_t kCount = 10000;

__global__ void Fill(uint32_t* out, uint32_t seed) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = i * 7 + seed;
}

__global__ void Add(const uint32_t* a, const uint32_t* b, uint32_t* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = a[i] + b[i];
}

int main() {
  constexpr unsigned kGroups = (kCount + 255) / 256;
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  EXPECT(devices >= 2);
  if (devices < 2) return check::Finish();

  std::vector<uint32_t*> memory(static_cast<size_t>(devices));
  std::vector<hipStream_t> streams(static_cast<size_t>(devices));
  for (int d = 0; d < devices; ++d) {
    const auto i = static_cast<size_t>(d);
    HIP(hipSetDevice(d));
    HIP(hipStreamCreate(&streams[i]));
    HIP(hipMalloc(reinterpret_cast<void**>(&memory[i]), kCount * 4));
    Fill<<<kGroups, 256, 0, streams[i]>>>(memory[i], static_cast<uint32_t>(d) * 1000);
    HIP(hipGetLastError());
  }
  std::vector<uint32_t> got(kCount);
  for (int d = 0; d < devices; ++d) {
    const auto i = static_cast<size_t>(d);
    HIP(hipSetDevice(d));
    HIP(hipStreamSynchronize(streams[i]));
    HIP(hipMemcpy(got.data(), memory[i], kCount * 4, hipMemcpyDeviceToHost));
    check::Each("a device's own", got, [&](size_t j) { return j * 7 + i * 1000; });
    hipPointerAttribute_t attributes{};
    HIP(hipPointerGetAttributes(&attributes, memory[i]));
    EXPECT(attributes.device == d);
  }

  HIP(hipSetDevice(0));
  uint32_t* copy = nullptr;
  uint32_t* sum = nullptr;
  HIP(hipMalloc(reinterpret_cast<void**>(&copy), kCount * 4));
  HIP(hipMalloc(reinterpret_cast<void**>(&sum), kCount * 4));
  HIP(hipMemcpyPeer(copy, 0, memory[1], 1, kCount * 4));
  Add<<<kGroups, 256>>>(memory[0], copy, sum);
  HIP(hipMemcpy(got.data(), sum, kCount * 4, hipMemcpyDeviceToHost));
  check::Each("copied from the other device", got, [](size_t j) { return j * 14 + 1000; });

  int access = 0;
  HIP(hipDeviceCanAccessPeer(&access, 0, 1));
  std::printf("peer access: %d\n", access);
  if (access == 1) {
    HIP(hipDeviceEnablePeerAccess(1, 0));
    Fill<<<kGroups, 256>>>(sum, 3);
    Add<<<kGroups, 256>>>(memory[1], sum, copy);
    HIP(hipMemcpy(got.data(), copy, kCount * 4, hipMemcpyDeviceToHost));
    check::Each("read from the other device", got, [](size_t j) { return j * 14 + 1003; });
  }
  HIP(hipSetDevice(1));
  Fill<<<kGroups, 256>>>(memory[1], 5);
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(got.data(), memory[1], kCount * 4, hipMemcpyDeviceToHost));
  check::Each("after all that", got, [](size_t j) { return j * 7 + 5; });
  return check::Finish();
}
