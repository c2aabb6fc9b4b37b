// Loads of a half of a register: what becomes of the other half depends on the device's SRAM-ECC,
// which its name tells (gcnArchName). gfx8 has no such loads.
#include "check.h"

constexpr uint32_t kLanes = 64, kOld = 0xdeadbeef;

__global__ void HalfLoads(const uint16_t* in, uint32_t* out) {
  __shared__ uint16_t shared[kLanes];
  const uint32_t lane = threadIdx.x;
  shared[lane] = in[lane];
  __syncthreads();
  uint32_t low = kOld, high = kOld, shared_low = kOld, shared_high = kOld;
#ifndef __gfx803__
  const auto at =
      (uint32_t)(size_t)(__attribute__((address_space(3))) uint16_t*)&shared[lane];
  asm volatile(
      "global_load_short_d16 %0, %4, off\n global_load_short_d16_hi %1, %4, off\n"
      "ds_read_u16_d16 %2, %5\n ds_read_u16_d16_hi %3, %5\n s_waitcnt vmcnt(0) lgkmcnt(0)"
      : "+v"(low), "+v"(high), "+v"(shared_low), "+v"(shared_high)
      : "v"(in + lane), "v"(at)
      : "memory");
#else
  const uint32_t value = shared[lane];
  low = shared_low = (kOld & 0xffff0000) | value;
  high = shared_high = (kOld & 0xffff) | value << 16;
#endif
  out[lane] = low;
  out[kLanes + lane] = high;
  out[2 * kLanes + lane] = shared_low;
  out[3 * kLanes + lane] = shared_high;
}

int main() {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const bool zeroes = std::strstr(properties.gcnArchName, "sramecc+") != nullptr;
  std::vector<uint16_t> values(kLanes);
  for (uint32_t i = 0; i < kLanes; ++i) values[i] = static_cast<uint16_t>(0x8000 + 257 * i);
  uint16_t* in = nullptr;
  uint32_t* out = nullptr;
  HIP(hipMalloc(&in, kLanes * sizeof(uint16_t)));
  HIP(hipMalloc(&out, 4 * kLanes * sizeof(uint32_t)));
  HIP(hipMemcpy(in, values.data(), kLanes * sizeof(uint16_t), hipMemcpyHostToDevice));
  hipLaunchKernelGGL(HalfLoads, dim3(1), dim3(kLanes), 0, 0, in, out);
  std::vector<uint32_t> got(4 * kLanes);
  HIP(hipMemcpy(got.data(), out, got.size() * sizeof(uint32_t), hipMemcpyDeviceToHost));
  check::Each("half loads", got.data(), got.size(), [&](size_t i) {
    const uint32_t value = values[i % kLanes];
    const bool high = i / kLanes % 2 == 1;
    const uint32_t kept = zeroes ? 0 : kOld & (high ? 0xffffu : 0xffff0000u);
    return kept | (high ? value << 16 : value);
  });
  return check::Finish();
}
