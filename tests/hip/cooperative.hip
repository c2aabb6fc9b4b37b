// Work-groups that wait for all others of the grid: cooperative launches, with as many groups as fit
// the device, and barriers that kernels make of atomics. With several devices, launches that wait
// for each other. HIP itself refuses cooperative launches on devices before gfx9.
#include "check.h"

// Uses names of hip_runtime.h without including it.
#include <hip/hip_cooperative_groups.h>

namespace groups = cooperative_groups;

// Each round, every work-item reads what another one has left in the round before.
__global__ void Exchange(uint32_t* values, uint32_t* sums, uint32_t rounds) {
  const groups::grid_group grid = groups::this_grid();
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t count = gridDim.x * blockDim.x;
  uint32_t sum = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    values[id] = id + 1 + round;
    grid.sync();
    sum += values[count - 1 - id];
    grid.sync();
  }
  sums[id] = sum;
}

// The same with LDS that has to stay what it is while the group waits.
__global__ void ExchangeByLds(uint32_t* values, uint32_t* sums, uint32_t rounds) {
  __shared__ uint32_t own[256];
  const groups::grid_group grid = groups::this_grid();
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t count = gridDim.x * blockDim.x;
  const uint32_t other = blockDim.x - 1 - threadIdx.x;
  uint32_t sum = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    own[threadIdx.x] = id + 1 + round;
    __syncthreads();
    values[id - threadIdx.x + other] = own[other];
    grid.sync();
    sum += values[count - 1 - id] + own[threadIdx.x] - (id + 1 + round);
    grid.sync();
  }
  sums[id] = sum;
}

__device__ void WaitForAll(uint32_t* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {
    }
  }
  __syncthreads();
}

__global__ void ByAtomics(uint32_t* values, uint32_t* sums, uint32_t* count) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  values[id] = id + 1;
  WaitForAll(count);
  sums[id] = __hip_atomic_load(&values[gridDim.x * blockDim.x - 1 - id], __ATOMIC_RELAXED,
                               __HIP_MEMORY_SCOPE_AGENT);
}

// Without optimisation: locals in scratch, reached by flat accesses.
__global__ __attribute__((optnone)) void ByAtomicsUnoptimised(uint32_t* values, uint32_t* sums,
                                                              uint32_t* count) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  values[id] = id + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {
    }
  }
  __syncthreads();
  sums[id] = __hip_atomic_load(&values[gridDim.x * blockDim.x - 1 - id], __ATOMIC_RELAXED,
                               __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void ExchangeOfDevices(uint32_t* values, uint32_t* sums) {
  const groups::multi_grid_group all = groups::this_multi_grid();
  const uint32_t id = all.thread_rank();
  values[id] = id + 1;
  all.sync();
  sums[id] = values[all.size() - 1 - id];
}

template <typename Kernel>
hipError_t Launch(Kernel kernel, uint32_t group_count, uint32_t size, uint32_t* values,
                  uint32_t* sums, uint32_t rounds) {
  void* arguments[] = {&values, &sums, &rounds};
  return hipLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(group_count), dim3(size),
                                    arguments, 0, 0);
}

template <typename Kernel>
void Sync(const char* what, Kernel kernel, uint32_t group_count, uint32_t size, uint32_t rounds) {
  const uint32_t count = group_count * size;
  check::Buffer<uint32_t> values(count), sums(count);
  HIP(Launch(kernel, group_count, size, values, sums, rounds));
  HIP(hipDeviceSynchronize());
  check::Each(what, sums.Get(), [&](size_t i) {
    return rounds * (count - static_cast<uint32_t>(i)) + rounds * (rounds - 1) / 2;
  });
}

template <typename Kernel>
uint32_t MostGroups(Kernel kernel, uint32_t size) {
  int per_unit = 0, units = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, kernel, static_cast<int>(size), 0));
  HIP(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
  return static_cast<uint32_t>(per_unit * units);
}

static void Grids() {
  for (const uint32_t size : {1u, 64u, 100u, 256u}) {
    for (const uint32_t group_count : {1u, 2u, 9u, 64u, 65u}) {
      Sync("grid sync", Exchange, group_count, size, 3);
      Sync("grid sync with LDS", ExchangeByLds, group_count, size, 2);
    }
  }
  for (const uint32_t size : {64u, 256u, 1024u}) {
    const uint32_t most = MostGroups(Exchange, size);
    std::printf("groups of %u: %u\n", size, most);
    Sync("as many groups as there may be", Exchange, most, size, 2);
    check::Buffer<uint32_t> values(1), sums(1);
    EXPECT(Launch(Exchange, most + 1, size, values, sums, 1) ==
           hipErrorCooperativeLaunchTooLarge);
    (void)hipGetLastError();
  }
}

static void Refused() {
  check::Buffer<uint32_t> values(64), sums(64);
  EXPECT(Launch(Exchange, 1, 64, values, sums, 1) == hipErrorLaunchFailure);
  (void)hipGetLastError();
  HIP(hipDeviceSynchronize());
  check::Each("nothing was run", sums.Get(), [](size_t) { return 0xA5A5A5A5; });
}

template <typename Kernel>
void Barrier(const char* what, Kernel kernel, uint32_t group_count, uint32_t size) {
  const uint32_t items = group_count * size;
  check::Buffer<uint32_t> values(items), sums(items), count(std::vector<uint32_t>{0});
  kernel<<<group_count, size>>>(values, sums, count);
  HIP(hipGetLastError());
  check::Each(what, sums.Get(), [&](size_t i) { return items - static_cast<uint32_t>(i); });
}

static void Atomics() {
  for (const uint32_t group_count : {2u, 8u, 64u}) {
    for (const uint32_t size : {64u, 256u}) {
      Barrier("barrier of atomics", ByAtomics, group_count, size);
      Barrier("the same, unoptimised", ByAtomicsUnoptimised, group_count, size);
    }
  }
  Barrier("as many groups as fit", ByAtomics, MostGroups(ByAtomics, 128), 128);
}

static void Devices(uint32_t devices) {
  constexpr uint32_t kGroups = 8, kSize = 128;
  const uint32_t count = devices * kGroups * kSize;
  uint32_t *values = nullptr, *sums = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&values), count * sizeof(uint32_t)));
  HIP(hipHostMalloc(reinterpret_cast<void**>(&sums), count * sizeof(uint32_t)));
  void* arguments[] = {&values, &sums};
  std::vector<hipLaunchParams> launches(devices);
  for (uint32_t device = 0; device < devices; ++device) {
    HIP(hipSetDevice(static_cast<int>(device)));
    hipStream_t stream = nullptr;
    HIP(hipStreamCreate(&stream));
    launches[device] = {reinterpret_cast<void*>(ExchangeOfDevices), dim3(kGroups), dim3(kSize),
                        arguments, 0, stream};
  }
  HIP(hipLaunchCooperativeKernelMultiDevice(launches.data(), static_cast<int>(devices), 0));
  for (uint32_t device = 0; device < devices; ++device) {
    HIP(hipSetDevice(static_cast<int>(device)));
    HIP(hipDeviceSynchronize());
    HIP(hipStreamDestroy(launches[device].stream));
  }
  check::Each("sync of several devices", sums, count,
              [&](size_t i) { return count - static_cast<uint32_t>(i); });
  HIP(hipHostFree(values));
  HIP(hipHostFree(sums));
}

int main() {
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  const bool is_gfx9 = std::string(p.gcnArchName).find("gfx9") == 0;
  EXPECT(p.cooperativeLaunch == (is_gfx9 ? 1 : 0));
  EXPECT(p.cooperativeMultiDeviceLaunch == (is_gfx9 ? 1 : 0));
  Atomics();
  if (!is_gfx9) {
    Refused();
    return check::Finish();
  }
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  Grids();
  Devices(static_cast<uint32_t>(devices));
  return check::Finish();
}
