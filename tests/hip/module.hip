// Loaded by modules.hip.
#include <hip/hip_runtime.h>

#include <cstdint>

extern "C" {

__device__ uint32_t module_factor = 2;

__global__ void ModuleScale(const uint32_t* in, uint32_t* out, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] * module_factor;
}
}
