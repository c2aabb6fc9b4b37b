#include <hip/hip_runtime.h>

extern "C" __global__ void say(unsigned n) {
  if (threadIdx.x < n) printf("lane %u\n", (unsigned)threadIdx.x);
}

extern "C" __global__ void say_and_spin(volatile unsigned* flag) {
  printf("spinning\n");
  while (*flag == 0) {
  }
}

__global__ void twice(float* data, float by) { data[threadIdx.x] *= by; }

__global__ void backwards(unsigned* data) {
  extern __shared__ unsigned scratch[];
  scratch[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void overloaded(int* data) { data[0] = 1; }
__global__ void overloaded(unsigned* data) { data[0] = 2; }
