// HIP with its headers and device library: built-in variables, shared memory, atomics, shuffles,
// votes, half precision, maths.
#include <hip/hip_fp16.h>
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

extern "C" __global__ void hip_atomics(int* ints, unsigned long long* longs, float* floats,
                                       double* doubles, const int* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  atomicAdd(&ints[0], v);
  atomicSub(&ints[1], v);
  atomicMin(&ints[2], v);
  atomicMax(&ints[3], v);
  atomicAnd(&ints[4], v | 0xff);
  atomicOr(&ints[5], v & 0xff0);
  atomicXor(&ints[6], v);
  atomicAdd(&longs[0], (unsigned long long)v);
  atomicMax(&longs[1], (unsigned long long)(long long)v);
  atomicCAS(&ints[7], 0, 5);
  atomicAdd(&floats[i % 2], (float)(v % 1000));
  atomicAdd(&doubles[i % 3], (double)(v % 1000));
  atomicInc((unsigned*)&ints[8], 9u);
  atomicDec((unsigned*)&ints[9], 9u);
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&ints[10 + blockIdx.x], sum);
}

extern "C" __global__ void hip_votes(unsigned long long* out, const int* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  unsigned long long* o = out + i * 6;
  o[0] = __ballot(v > 0);
  o[1] = __any(v == 7);
  o[2] = __all(v < 900);
  o[3] = __popcll(__ballot(v & 1)) * 100 + __lane_id();
  o[4] = __ffsll(__ballot(v > 50)) * 100 + __clz(v);
  o[5] = (v & 3) == 1 ? __ballot(v & 4) : 12345;
}

#if GENERATION >= 8
extern "C" __global__ void hip_shuffles(int* out, double* doubles, const int* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  int* o = out + i * 8;
  o[0] = __shfl(v, 5);
  o[1] = __shfl(v, (int)((threadIdx.x * 7) & 63));
  o[2] = __shfl_up(v, 3);
  o[3] = __shfl_down(v, 4);
  o[4] = __shfl_xor(v, 9);
  o[5] = __shfl(v, 2, 16);
  o[6] = __shfl_up(v, 1, 8);
  o[7] = __shfl_xor(v, 1, 4);
  double sum = v * 0.5;
  for (int distance = 32; distance > 0; distance /= 2) sum += __shfl_down(sum, distance);
  doubles[i] = __shfl(sum, 0);
}

extern "C" __global__ void hip_half(__half* out, __half2* out2, const __half* a, const __half* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half x = a[i], y = b[i];
  out[5 * i] = __hadd(x, y);
  out[5 * i + 1] = __hmul(x, y);
  out[5 * i + 2] = __hsub(x, y);
  out[5 * i + 3] = __hlt(x, y) ? x : __float2half(__half2float(y) * 2.0f);
  out[5 * i + 4] = __hneg(x);
  const __half2 p = __halves2half2(x, y);
  out2[2 * i] = __hadd2(p, p);
  out2[2 * i + 1] = __hmul2(p, __halves2half2(y, y));
}
#endif

extern "C" __global__ void hip_integer_functions(unsigned* out, const unsigned* a,
                                                 const unsigned* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = a[i], y = b[i];
  unsigned* o = out + i * 10;
  o[0] = __brev(x);
  o[1] = __clz((int)x);
  o[2] = __popc(x);
  o[3] = __ffs((int)x);
  o[4] = __umulhi(x, y);
  o[5] = (unsigned)__mulhi((int)x, (int)y);
  o[6] = __umul24(x, y);
  o[7] = __byte_perm(x, y, 0x5214);
  o[8] = __usad(x, y, 5);
  o[9] = __uhadd(x >> 1, y >> 1);  // HIP's sum may overflow
}

extern "C" __global__ void hip_maths(float* out, double* doubles, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  out[4 * i] = sqrtf(x) + 1.0f;
  out[4 * i + 1] = expf(-x) * cosf(x);
  out[4 * i + 2] = powf(x, 1.3f);
  out[4 * i + 3] = __fmaf_rn(x, x, -x);
  doubles[2 * i] = sqrt((double)x);
  doubles[2 * i + 1] = exp(-(double)x) * log(1.0 + x);
}

// A wave reduces, then a group: as rocPRIM does it.
template <typename T, int Size>
__device__ T BlockSum(T value) {
  __shared__ T partial[Size / 64];
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
#if GENERATION >= 8
  for (int distance = 32; distance > 0; distance /= 2) value += __shfl_xor(value, distance);
#else
  __shared__ T all[Size];
  all[threadIdx.x] = value;
  __syncthreads();
  value = 0;
  for (int j = 0; j < 64; ++j) value += all[wave * 64 + j];
#endif
  if (lane == 0) partial[wave] = value;
  __syncthreads();
  value = 0;
  for (int j = 0; j < Size / 64; ++j) value += partial[j];
  return value;
}

extern "C" __global__ __launch_bounds__(256) void hip_block_sum(long long* out, const int* in,
                                                                int n) {
  long long sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  sum = BlockSum<long long, 256>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

struct Particle {
  float3 position;
  float mass;
  int id;
};

extern "C" __global__ void hip_structs(Particle* out, const Particle* in, float3 shift) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Particle p = in[i];
  p.position.x += shift.x;
  p.position.y += shift.y;
  p.position.z += shift.z;
  p.mass *= 2.0f;
  p.id = ~p.id;
  out[i] = p;
}
