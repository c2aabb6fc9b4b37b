// Variables of the device: initialised, constant, written by the host, read back, and managed.
#include "check.h"

__constant__ float coefficients[16];
__constant__ uint32_t table[4] = {11, 22, 33, 44};
__device__ uint32_t counter = 5;
__device__ uint32_t numbers[256];
__device__ const char* text = "of the device";

__global__ void Apply(float* out, uint32_t* copies) {
  const uint32_t i = threadIdx.x;
  out[i] = coefficients[i % 16] * static_cast<float>(i);
  numbers[i] = numbers[i] * 2 + table[i % 4];
  copies[i] = numbers[i] + static_cast<uint32_t>(text[i % 13]);
  atomicAdd(&counter, 1u);
}

int main() {
  float host_coefficients[16];
  for (int i = 0; i < 16; ++i) host_coefficients[i] = static_cast<float>(i) + 0.25f;
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host_coefficients, sizeof host_coefficients));
  std::vector<uint32_t> start(256);
  for (size_t i = 0; i < 256; ++i) start[i] = check::Mix(i);
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(numbers), start.data() + 128, 512, 512));
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(numbers), start.data(), 512));
  check::Buffer<float> out(256);
  check::Buffer<uint32_t> copies(256);
  Apply<<<1, 256>>>(out, copies);
  HIP(hipGetLastError());
  check::Each("constants", out.Get(),
              [&](size_t i) { return host_coefficients[i % 16] * static_cast<float>(i); });
  const uint32_t host_table[4] = {11, 22, 33, 44};
  const auto number = [&](size_t i) { return start[i] * 2 + host_table[i % 4]; };
  check::Each("pointers in variables", copies.Get(),
              [&](size_t i) { return number(i) + static_cast<uint32_t>("of the device"[i % 13]); });
  std::vector<uint32_t> back(256);
  HIP(hipMemcpyFromSymbol(back.data(), HIP_SYMBOL(numbers), 1024));
  check::Each("numbers", back, number);
  uint32_t count = 0;
  HIP(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), 4));
  EXPECT(count == 5 + 256);

  void* address = nullptr;
  size_t size = 0;
  HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(numbers)));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(numbers)));
  EXPECT(size == 1024);
  HIP(hipMemset(address, 0, 1024));
  Apply<<<1, 256>>>(out, copies);
  HIP(hipMemcpy(back.data(), address, 1024, hipMemcpyDeviceToHost));
  check::Each("by address", back, [&](size_t i) { return host_table[i % 4]; });
  return check::Finish();
}
