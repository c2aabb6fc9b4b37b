#include <hip/hip_runtime.h>

extern "C" __global__ void add_one(unsigned* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += i + 1;
}
