// What hipcc bundles for several targets at once.
#include <hip/hip_runtime.h>

extern "C" __global__ void hip_indices(unsigned* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  out[(z * height + y) * width + x] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z +
                                      1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z +
                                      1000000 * gridDim.z;
}

extern "C" __global__ void hip_saxpy(float* y, const float* x, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = a * x[i] + y[i];
  }
}

extern "C" __global__ void hip_dynamic_shared(int* out, const int* in) {
  extern __shared__ int values[];
  const unsigned t = threadIdx.x, n = blockDim.x;
  values[t] = in[blockIdx.x * n + t];
  values[n + t] = values[t] * 2;
  __syncthreads();
  out[blockIdx.x * n + t] = values[(t + 1) % n] + values[n + (t + 2) % n];
}
