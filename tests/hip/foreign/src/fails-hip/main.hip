// Has a check of its own, and fails it.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void Fill(unsigned* values) { values[threadIdx.x] = 7; }

int main() {
  unsigned *device = nullptr, value = 0;
  (void)hipMalloc((void**)&device, 256);
  Fill<<<1, 64>>>(device);
  (void)hipMemcpy(&value, device, sizeof value, hipMemcpyDeviceToHost);
  std::printf("Test %s: %u\n", value == 8 ? "passed" : "FAILED", value);
}
