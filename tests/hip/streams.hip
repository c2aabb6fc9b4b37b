// Streams and events: order within a stream, waits between streams, callbacks, elapsed times.
#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

constexpr int kStreams = 4;
constexpr uint32_t kCount = 4096;

__global__ void Step(uint32_t* data, uint32_t round) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 3 + round;
}

__global__ void Add(const uint32_t* a, const uint32_t* b, uint32_t* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}

__global__ void Work(uint32_t* out, uint32_t rounds) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = i + 1;
  for (uint32_t r = 0; r < rounds; ++r) x = x * 1664525u + 1013904223u;
  out[i] = x;
}

static uint32_t AfterSteps(uint32_t x, uint32_t rounds) {
  for (uint32_t r = 0; r < rounds; ++r) x = x * 3 + r;
  return x;
}

static void Order() {
  constexpr uint32_t kRounds = 40;
  hipStream_t streams[kStreams];
  uint32_t* host[kStreams];
  uint32_t* device[kStreams];
  for (int s = 0; s < kStreams; ++s) {
    if (s % 2 == 0) {
      HIP(hipStreamCreate(&streams[s]));
    } else {
      HIP(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
    }
    HIP(hipHostMalloc(reinterpret_cast<void**>(&host[s]), kCount * 4, 0));
    HIP(hipMalloc(reinterpret_cast<void**>(&device[s]), kCount * 4));
    for (uint32_t i = 0; i < kCount; ++i) host[s][i] = i + static_cast<uint32_t>(s) * 1000;
    HIP(hipMemcpyAsync(device[s], host[s], kCount * 4, hipMemcpyHostToDevice, streams[s]));
  }
  for (uint32_t r = 0; r < kRounds; ++r) {
    for (int s = 0; s < kStreams; ++s) Step<<<kCount / 256, 256, 0, streams[s]>>>(device[s], r);
  }
  for (int s = 0; s < kStreams; ++s) {
    HIP(hipMemcpyAsync(host[s], device[s], kCount * 4, hipMemcpyDeviceToHost, streams[s]));
  }
  for (int s = 0; s < kStreams; ++s) HIP(hipStreamSynchronize(streams[s]));
  for (int s = 0; s < kStreams; ++s) {
    EXPECT(hipStreamQuery(streams[s]) == hipSuccess);
    check::Each("a stream's steps", host[s], kCount, [&](size_t i) {
      return AfterSteps(static_cast<uint32_t>(i) + static_cast<uint32_t>(s) * 1000, kRounds);
    });
    HIP(hipStreamDestroy(streams[s]));
    HIP(hipHostFree(host[s]));
    HIP(hipFree(device[s]));
  }
}

// Two streams produce, the second waits for the first one's event and combines.
static void Waits() {
  check::Buffer<uint32_t> a(std::vector<uint32_t>(kCount, 5)), b(std::vector<uint32_t>(kCount, 7));
  check::Buffer<uint32_t> sum(kCount);
  HIP(hipDeviceSynchronize());
  hipStream_t first, second;
  hipEvent_t ready;
  HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  HIP(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
  for (uint32_t r = 0; r < 100; ++r) Step<<<kCount / 256, 256, 0, first>>>(a, r);
  HIP(hipEventRecord(ready, first));
  Step<<<kCount / 256, 256, 0, second>>>(b, 0);
  HIP(hipStreamWaitEvent(second, ready, 0));
  Add<<<kCount / 256, 256, 0, second>>>(a, b, sum);
  HIP(hipStreamSynchronize(second));
  check::Each("after an event", sum.Get(), [](size_t) { return AfterSteps(5, 100) + 21; });
  HIP(hipEventDestroy(ready));
  HIP(hipStreamDestroy(first));
  HIP(hipStreamDestroy(second));
}

static void Events() {
  using Clock = std::chrono::steady_clock;
  constexpr uint32_t kRounds = 20000;
  check::Buffer<uint32_t> out(kCount);
  hipEvent_t start, stop;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&stop));
  const Clock::time_point begin = Clock::now();
  HIP(hipEventRecord(start, nullptr));
  Work<<<kCount / 256, 256>>>(out, kRounds);
  HIP(hipEventRecord(stop, nullptr));
  HIP(hipEventSynchronize(stop));
  const double host_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, start, stop));
  std::printf("kernel: %.3f ms by events, %.3f ms by the host\n", static_cast<double>(ms), host_ms);
  EXPECT(ms > 0.001f);  // 82 M steps: no machine does this in a microsecond
  EXPECT(static_cast<double>(ms) <= host_ms + 0.1);
  EXPECT(hipEventQuery(stop) == hipSuccess);
  check::Each("work", out.Get(), [](size_t i) {
    uint32_t x = static_cast<uint32_t>(i) + 1;
    for (uint32_t r = 0; r < kRounds; ++r) x = x * 1664525u + 1013904223u;
    return x;
  });
  HIP(hipEventDestroy(start));
  HIP(hipEventDestroy(stop));
}

struct Seen {
  std::atomic<int> calls{0};
  uint32_t* data = nullptr;
  uint32_t value = 0;
};

static void Callbacks() {
  Seen seen;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&seen.data), kCount * 4, 0));
  std::memset(seen.data, 0, kCount * 4);
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  for (uint32_t r = 1; r <= 10; ++r) Step<<<kCount / 256, 256, 0, stream>>>(seen.data, r);
  HIP(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t error, void* data) {
        auto* to = static_cast<Seen*>(data);
        to->value = to->data[17];
        if (error == hipSuccess) ++to->calls;
      },
      &seen, 0));
  HIP(hipStreamSynchronize(stream));
  for (int wait = 0; seen.calls == 0 && wait < 2000; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  uint32_t want = 0;
  for (uint32_t r = 1; r <= 10; ++r) want = want * 3 + r;
  EXPECT(seen.calls == 1);
  EXPECT(seen.value == want);
  HIP(hipStreamDestroy(stream));
  HIP(hipHostFree(seen.data));
}

// Host threads that launch at the same time, each with a stream of its own.
static void Threads() {
  std::vector<std::thread> threads;
  std::vector<std::vector<uint32_t>> results(3, std::vector<uint32_t>(kCount, 1));
  for (std::vector<uint32_t>& result : results) {
    threads.emplace_back([&result] {
      hipStream_t stream;
      uint32_t* data = nullptr;
      HIP(hipStreamCreate(&stream));
      HIP(hipMalloc(reinterpret_cast<void**>(&data), kCount * 4));
      HIP(hipMemcpyAsync(data, result.data(), kCount * 4, hipMemcpyHostToDevice, stream));
      for (uint32_t r = 0; r < 30; ++r) Step<<<kCount / 256, 256, 0, stream>>>(data, r);
      HIP(hipMemcpyAsync(result.data(), data, kCount * 4, hipMemcpyDeviceToHost, stream));
      HIP(hipStreamSynchronize(stream));
      HIP(hipFree(data));
      HIP(hipStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<uint32_t>& result : results) {
    check::Each("a thread's steps", result, [](size_t) { return AfterSteps(1, 30); });
  }
}

int main() {
  Order();
  Waits();
  Events();
  Callbacks();
  Threads();
  return check::Finish();
}
