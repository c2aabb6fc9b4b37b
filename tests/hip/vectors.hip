// Ordinary kernels: element-wise arithmetic, a transpose through LDS, dynamic LDS, grids of three
// dimensions, arguments of all sizes.
#include "check.h"

template <typename T>
__global__ void Axpy(T a, const T* x, const T* y, T* out, size_t count) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < count) out[i] = a * x[i] + y[i];
}

constexpr int kTile = 32;
__global__ void Transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += blockDim.y) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += blockDim.y) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

__global__ void SumGroups(const uint32_t* in, uint32_t* sums) {
  extern __shared__ uint32_t parts[];
  parts[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
}

struct Large {
  double scale;
  uint8_t bytes[83];
  uint16_t offset[20];
};
__global__ void Space(Large large, uint8_t bias, uint32_t* out) {
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  const uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
  const uint32_t width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  const uint32_t i = (z * height + y) * width + x;
  out[i] =
      static_cast<uint32_t>(large.scale * i) + large.bytes[i % 83] + large.offset[i % 20] + bias;
}

// Indexed local arrays and a loop whose length differs from lane to lane: scratch memory.
__global__ void Collatz(uint32_t* out) {
  uint32_t seen[16] = {};
  uint32_t n = blockIdx.x * blockDim.x + threadIdx.x + 1;
  uint32_t steps = 0;
  while (n != 1) {
    seen[n % 16] += steps;
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  uint32_t sum = steps;
  for (uint32_t i = 0; i < 16; ++i) sum = sum * 31 + seen[(i * 7 + steps) % 16];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename T>
static void TestAxpy(const char* name) {
  constexpr size_t kCount = 100003;
  std::vector<T> x(kCount), y(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<T>(i % 1009);
    y[i] = static_cast<T>(i % 977 + 1);
  }
  check::Buffer<T> device_x(x), device_y(y), out(kCount);
  Axpy<T><<<(kCount + 255) / 256, 256>>>(T{3}, device_x, device_y, out, kCount);
  HIP(hipGetLastError());
  check::Each(name, out.Get(), [&](size_t i) { return T{3} * x[i] + y[i]; });  // small: exact
}

static void TestTranspose() {
  constexpr int kWidth = 259, kHeight = 131;
  std::vector<float> in(kWidth * kHeight);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) + 0.5f;
  check::Buffer<float> device_in(in), out(in.size());
  Transpose<<<dim3((kWidth + 31) / 32, (kHeight + 31) / 32), dim3(32, 8)>>>(device_in, out, kWidth,
                                                                            kHeight);
  check::Each("transpose", out.Get(),
              [&](size_t i) { return in[(i % kHeight) * kWidth + i / kHeight]; });
}

static void TestDynamicLds() {
  constexpr uint32_t kGroups = 37;
  for (const uint32_t size : {64u, 256u, 1024u}) {
    std::vector<uint32_t> in(kGroups * size);
    for (size_t i = 0; i < in.size(); ++i) in[i] = check::Mix(static_cast<uint32_t>(i));
    check::Buffer<uint32_t> device_in(in), sums(kGroups);
    SumGroups<<<kGroups, size, size * 4>>>(device_in, sums);
    check::Each("sums of groups", sums.Get(), [&](size_t g) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < size; ++i) sum += in[g * size + i];
      return sum;
    });
  }
}

static void TestArguments() {
  Large large = {};
  large.scale = 2.5;
  for (int i = 0; i < 83; ++i) large.bytes[i] = static_cast<uint8_t>(255 - i);
  for (int i = 0; i < 20; ++i) large.offset[i] = static_cast<uint16_t>(60000 + i);
  const dim3 grid(3, 5, 4), block(8, 4, 6);
  check::Buffer<uint32_t> out(24 * 20 * 24);
  Space<<<grid, block>>>(large, 200, out);
  check::Each("arguments and dimensions", out.Get(), [&](size_t i) {
    return static_cast<uint32_t>(2.5 * static_cast<double>(i)) + large.bytes[i % 83] +
           large.offset[i % 20] + 200;
  });
}

static uint32_t HostCollatz(uint32_t n) {
  uint32_t seen[16] = {};
  uint32_t steps = 0;
  while (n != 1) {
    seen[n % 16] += steps;
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  uint32_t sum = steps;
  for (uint32_t i = 0; i < 16; ++i) sum = sum * 31 + seen[(i * 7 + steps) % 16];
  return sum;
}

int main() {
  TestAxpy<float>("axpy of float");
  TestAxpy<double>("axpy of double");
  TestAxpy<int32_t>("axpy of int");
  TestAxpy<int64_t>("axpy of long");
  TestTranspose();
  TestDynamicLds();
  TestArguments();
  check::Buffer<uint32_t> out(2048);
  Collatz<<<8, 256>>>(out);
  check::Each("scratch", out.Get(),
              [](size_t i) { return HostCollatz(static_cast<uint32_t>(i) + 1); });
  return check::Finish();
}
