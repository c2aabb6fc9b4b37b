// What the device says of itself, occupancy queries, and what it refuses: arrays and textures must
// end in an error code, after which the program goes on.
#include "check.h"

__global__ void Fill(uint32_t* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 7 + threadIdx.x;
}

__global__ void WholeLds(uint32_t* out) {
  __shared__ uint32_t all[16384];
  for (uint32_t i = threadIdx.x; i < 16384; i += blockDim.x) all[i] = i * 3;
  __syncthreads();
  out[threadIdx.x] = all[16383 - threadIdx.x];
}

static void Properties() {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  const char* devices = std::getenv("GCNJIT_DEVICES");
  EXPECT(count == (devices ? std::atoi(devices) : 1));
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  std::printf("%s, %s, %d CUs, %zu MiB\n", p.name, p.gcnArchName, p.multiProcessorCount,
              p.totalGlobalMem >> 20);
  const std::string arch = p.gcnArchName;
  if (const char* device = std::getenv("GCNJIT_DEVICE")) {
    EXPECT(arch.substr(0, arch.find(':')) == device);
  }
  EXPECT(std::strlen(p.name) > 0);
  EXPECT(p.warpSize == 64);
  EXPECT(p.maxThreadsPerBlock == 1024);
  EXPECT(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 1024);
  EXPECT(p.sharedMemPerBlock == 65536);
  EXPECT(p.multiProcessorCount > 0 && p.clockRate > 0 && p.memoryClockRate > 0);
  EXPECT(p.l2CacheSize > 0 && p.memoryBusWidth > 0);
  EXPECT(p.totalGlobalMem >= (size_t{1} << 30));
  EXPECT(p.canMapHostMemory == 1);
  int value = 0;
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  EXPECT(value == 64);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  EXPECT(value == p.multiProcessorCount);
  char name[64] = {};
  HIP(hipDeviceGetName(name, sizeof name, 0));
  EXPECT(std::string(name) == p.name);
  char bus[64] = {};
  HIP(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  int found = -1;
  HIP(hipDeviceGetByPCIBusId(&found, bus));
  EXPECT(found == 0);
  EXPECT(hipSetDevice(count) == hipErrorInvalidDevice);
  EXPECT(hipGetDeviceProperties(&p, -1) == hipErrorInvalidDevice);

  size_t free_before = 0, free_after = 0, total = 0;
  HIP(hipMemGetInfo(&free_before, &total));
  EXPECT(free_before > 0 && free_before <= total);
  void* memory = nullptr;
  HIP(hipMalloc(&memory, size_t{64} << 20));
  HIP(hipMemGetInfo(&free_after, &total));
  EXPECT(free_after + (size_t{64} << 20) <= free_before);
  HIP(hipFree(memory));
  EXPECT(hipMalloc(&memory, total * 4) == hipErrorOutOfMemory);
  (void)hipGetLastError();
}

static void Occupancy() {
  int blocks = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, WholeLds, 256, 0));
  EXPECT(blocks == 1);  // a work-group has all of the LDS
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Fill, 64, 0));
  EXPECT(blocks >= 10 && blocks <= 40);
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Fill, 64, 32768));
  EXPECT(blocks == 2);
  int grid = 0, block = 0;
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, Fill, 0, 0));
  EXPECT(block >= 64 && block <= 1024 && grid > 0);
  hipFuncAttributes attributes;
  HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(WholeLds)));
  EXPECT(attributes.sharedSizeBytes == 65536);
  EXPECT(attributes.maxThreadsPerBlock == 1024 && attributes.numRegs > 0);
}

static void Textures() {
  hipArray* array = nullptr;
  const hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  HIP(hipMallocArray(&array, &format, 64, 64, hipArrayDefault));
  HIP(hipFreeArray(array));
  check::Buffer<float> linear(1024);
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = 4096;
  hipTextureDesc texture = {};
  texture.readMode = hipReadModeElementType;
  hipTextureObject_t object{};
  HIP(hipCreateTextureObject(&object, &resource, &texture, nullptr));
  HIP(hipDestroyTextureObject(object));
}

int main() {
  Properties();
  Occupancy();
  Textures();
  check::Buffer<uint32_t> out(512);
  Fill<<<2, 256>>>(out);
  HIP(hipGetLastError());
  check::Each("after what was refused", out.Get(), [](size_t i) { return 7 + i % 256; });
  WholeLds<<<1, 256>>>(out);
  std::vector<uint32_t> got = out.Get();
  got.resize(256);
  check::Each("all of the LDS", got, [](size_t i) { return (16383 - i) * 3; });
  Fill<<<1, 1025>>>(out);
  EXPECT(hipGetLastError() != hipSuccess);
  return check::Finish();
}
