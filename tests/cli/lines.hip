// lines.h as HIP, and kernels with C++ names.
#include <hip/hip_runtime.h>
#define INLINE static inline __device__ __attribute__((always_inline))
#define GLOBAL
#define KERNEL extern "C" __global__
#define ID (blockIdx.x * 64 + threadIdx.x)
#include "lines.h"

template <typename T>
__global__ void step(T* out, int n) { out[threadIdx.x] = static_cast<T>(n); }
template __global__ void step<float>(float*, int);

namespace field {
template <typename T>
__global__ void sweep(T* out) { out[threadIdx.x] = 1; }
template __global__ void sweep<float>(float*);
template __global__ void sweep<unsigned>(unsigned*);
}  // namespace field

__global__ void hello(int n) {
  if (threadIdx.x < 2) printf("item %d of %s, %.2f, %ld\n", static_cast<int>(threadIdx.x), "hello", n + 0.5, -(1l << 40));
}

__global__ void grab(void** out) { out[threadIdx.x] = malloc(16); }
