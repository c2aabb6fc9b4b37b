// Memory of every kind and every way to copy it: sizes below and above the runtime's limits between
// direct, staged and pinned copies; fills, device-to-device and 2D copies, which are kernels.
#include "check.h"

__global__ void Triple(const uint32_t* in, uint32_t* out, size_t count) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < count) out[i] = in[i] * 3 + 1;
}

static uint32_t Value(size_t i) { return check::Mix(static_cast<uint32_t>(i) + 17); }

static void Run(const uint32_t* in, uint32_t* out, size_t count) {
  Triple<<<static_cast<unsigned>((count + 255) / 256), 256>>>(in, out, count);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
}

static void Copies() {
  for (const size_t bytes : {size_t{4}, size_t{8192}, size_t{8196}, size_t{1} << 20,
                             (size_t{1} << 20) + 4, (size_t{33} << 20) + 12}) {
    const size_t count = bytes / 4;
    std::vector<uint32_t> in(count);
    for (size_t i = 0; i < count; ++i) in[i] = Value(i);
    check::Buffer<uint32_t> a(in), b(count);
    HIP(hipMemcpy(b, a, bytes, hipMemcpyDeviceToDevice));
    check::Each("device to device", b.Get(), [&](size_t i) { return in[i]; });
  }
  // Odd offsets and lengths: copies of bytes, not of dwords.
  std::vector<uint8_t> in(5000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(Value(i));
  check::Buffer<uint8_t> a(in), b(in.size());
  HIP(hipMemcpy(b + 7, a + 3, 4001, hipMemcpyDeviceToDevice));
  check::Each("bytes", b.Get(),
              [&](size_t i) { return i >= 7 && i < 7 + 4001 ? in[i - 4] : uint8_t{0xA5}; });
}

static void Fills() {
  constexpr size_t kCount = 300001;
  check::Buffer<uint8_t> bytes(kCount);
  HIP(hipMemset(bytes + 1, 0x3C, kCount - 5));
  check::Each("hipMemset", bytes.Get(),
              [](size_t i) { return i >= 1 && i < kCount - 4 ? 0x3C : 0xA5; });
  check::Buffer<uint32_t> words(5000);
  HIP(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(words + 1), 0x12345678, 4000));
  check::Each("hipMemsetD32", words.Get(),
              [](size_t i) { return i >= 1 && i <= 4000 ? 0x12345678u : 0xA5A5A5A5u; });
  check::Buffer<uint16_t> halves(777);
  HIP(hipMemsetD16(reinterpret_cast<hipDeviceptr_t>(halves + 1), 0xBEEF, 701));
  check::Each("hipMemsetD16", halves.Get(),
              [](size_t i) { return i >= 1 && i <= 701 ? 0xBEEF : 0xA5A5; });
}

static void Planes() {
  constexpr size_t kWidth = 93, kHeight = 41;  // bytes of a row, rows
  std::vector<uint8_t> in(kWidth * kHeight), back(kWidth * kHeight);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(Value(i));
  uint8_t* a = nullptr;
  uint8_t* b = nullptr;
  size_t a_pitch = 0;
  HIP(hipMallocPitch(reinterpret_cast<void**>(&a), &a_pitch, kWidth, kHeight));
  EXPECT(a_pitch >= kWidth);
  constexpr size_t kPitch = 128;
  HIP(hipMalloc(reinterpret_cast<void**>(&b), kPitch * kHeight));
  HIP(hipMemset(b, 0x11, kPitch * kHeight));
  HIP(hipMemcpy2D(a, a_pitch, in.data(), kWidth, kWidth, kHeight, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(b, kPitch, a, a_pitch, kWidth, kHeight, hipMemcpyDeviceToDevice));
  HIP(hipMemcpy2D(back.data(), kWidth, b, kPitch, kWidth, kHeight, hipMemcpyDeviceToHost));
  check::Each("2D there and back", back, [&](size_t i) { return in[i]; });
  std::vector<uint8_t> all(kPitch * kHeight);
  HIP(hipMemcpy(all.data(), b, all.size(), hipMemcpyDeviceToHost));
  check::Each("what lies between rows", all, [&](size_t i) {
    return i % kPitch < kWidth ? in[i / kPitch * kWidth + i % kPitch] : uint8_t{0x11};
  });
  HIP(hipMemset2D(b, kPitch, 0x77, 50, 20));
  HIP(hipMemcpy(all.data(), b, all.size(), hipMemcpyDeviceToHost));
  check::Each("hipMemset2D", all, [&](size_t i) {
    if (i % kPitch < 50 && i / kPitch < 20) return uint8_t{0x77};
    return i % kPitch < kWidth ? in[i / kPitch * kWidth + i % kPitch] : uint8_t{0x11};
  });
  HIP(hipFree(a));
  HIP(hipFree(b));
}

static void HostMemory() {
  constexpr size_t kCount = 50000;
  for (const unsigned flags : {0u, 0u + hipHostMallocCoherent, 0u + hipHostMallocNonCoherent,
                               0u + hipHostMallocWriteCombined}) {
    uint32_t* in = nullptr;
    uint32_t* out = nullptr;
    HIP(hipHostMalloc(reinterpret_cast<void**>(&in), kCount * 4, flags));
    HIP(hipHostMalloc(reinterpret_cast<void**>(&out), kCount * 4, flags));
    for (size_t i = 0; i < kCount; ++i) in[i] = Value(i);
    std::memset(out, 0xA5, kCount * 4);
    uint32_t* device_in = nullptr;
    HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_in), in, 0));
    Run(device_in, out, kCount);
    check::Each("hipHostMalloc", out, kCount, [](size_t i) { return Value(i) * 3 + 1; });
    HIP(hipHostFree(in));
    HIP(hipHostFree(out));
  }

  std::vector<uint32_t> in(kCount), out(kCount, 0xA5A5A5A5);
  for (size_t i = 0; i < kCount; ++i) in[i] = Value(i + 5);
  HIP(hipHostRegister(in.data(), kCount * 4, hipHostRegisterDefault));
  HIP(hipHostRegister(out.data(), kCount * 4, hipHostRegisterMapped));
  uint32_t* device_in = nullptr;
  uint32_t* device_out = nullptr;
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_in), in.data(), 0));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_out), out.data(), 0));
  Run(device_in, device_out, kCount);
  check::Each("hipHostRegister", out, [](size_t i) { return Value(i + 5) * 3 + 1; });
  // The registered range is still the program's own memory.
  in[0] = 99;
  Run(device_in, device_out, kCount);
  EXPECT(out[0] == 99 * 3 + 1);
  HIP(hipHostUnregister(in.data()));
  HIP(hipHostUnregister(out.data()));
  EXPECT(in[1] == Value(6) && out[1] == Value(6) * 3 + 1);

  uint32_t* managed = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&managed), kCount * 8));
  for (size_t i = 0; i < kCount; ++i) managed[i] = Value(i + 9);
  Run(managed, managed + kCount, kCount);
  check::Each("managed", managed + kCount, kCount, [](size_t i) { return Value(i + 9) * 3 + 1; });
  // Advice and prefetching change nothing that a kernel or the host sees.
  HIP(hipMemAdvise(managed, kCount * 8, hipMemAdviseSetReadMostly, 0));
  HIP(hipMemPrefetchAsync(managed, kCount * 8, 0, nullptr));
  for (size_t i = 0; i < kCount; ++i) managed[i] = Value(i + 5);
  Run(managed, managed + kCount, kCount);
  HIP(hipMemPrefetchAsync(managed, kCount * 8, hipCpuDeviceId, nullptr));
  HIP(hipDeviceSynchronize());
  check::Each("managed, prefetched", managed + kCount, kCount,
              [](size_t i) { return Value(i + 5) * 3 + 1; });
  HIP(hipFree(managed));
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  EXPECT(properties.managedMemory == 1 && properties.concurrentManagedAccess == 1);
}

static void Attributes() {
  check::Buffer<uint32_t> device(1024);
  hipPointerAttribute_t attributes{};
  HIP(hipPointerGetAttributes(&attributes, device + 5));
#if HIP_VERSION_MAJOR >= 6
  EXPECT(attributes.type == hipMemoryTypeDevice);
#else
  EXPECT(attributes.memoryType == hipMemoryTypeDevice);
#endif
  EXPECT(attributes.devicePointer == device + 5);
  hipDeviceptr_t base = nullptr;
  size_t size = 0;
  HIP(hipMemGetAddressRange(&base, &size, device + 100));
  EXPECT(base == static_cast<uint32_t*>(device) && size == 4096);
  uint32_t on_stack = 0;
#if HIP_VERSION_MAJOR >= 6
  HIP(hipPointerGetAttributes(&attributes, &on_stack));
  EXPECT(attributes.type == hipMemoryTypeUnregistered);
#else
  EXPECT(hipPointerGetAttributes(&attributes, &on_stack) == hipErrorInvalidValue);
  (void)hipGetLastError();
#endif
}

// Allocations and their memory come and go, also while others live.
static void Churn() {
  std::vector<void*> blocks;
  for (uint32_t i = 0; i < 300; ++i) {
    void* block = nullptr;
    HIP(hipMalloc(&block, 1 + check::Mix(i) % 100000));
    blocks.push_back(block);
    if (i % 3 == 2) {
      const size_t victim = check::Mix(i * 7) % blocks.size();
      HIP(hipFree(blocks[victim]));
      blocks.erase(blocks.begin() + static_cast<ptrdiff_t>(victim));
    }
  }
  for (void* block : blocks) HIP(hipFree(block));
  EXPECT(hipFree(nullptr) == hipSuccess);
}

int main() {
  Copies();
  Fills();
  Planes();
  HostMemory();
  Attributes();
  Churn();
  return check::Finish();
}
