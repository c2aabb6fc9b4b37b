// Says what it has computed, and not whether that is right. In two files.
#include <hip/hip_runtime.h>

#include <cstdio>

unsigned Sum(const unsigned* values);

__global__ void Fill(unsigned* values) { values[threadIdx.x] = threadIdx.x; }

int main() {
  unsigned *device = nullptr, values[64] = {};
  (void)hipMalloc((void**)&device, sizeof values);
  Fill<<<1, 64>>>(device);
  (void)hipMemcpy(values, device, sizeof values, hipMemcpyDeviceToHost);
  std::printf("the sum is %u\n", Sum(values));
}
