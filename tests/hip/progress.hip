// Forward progress: kernels that wait for the host, for earlier work-groups, for a kernel of
// another stream, and hosts that wait for a kernel which is still running.
#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

struct Mail {
  volatile uint32_t request;
  volatile uint32_t answer;
  volatile uint32_t value;
};

// Counts the host's answers to its requests.
__global__ void Ask(Mail* mail, uint32_t* out, uint32_t rounds) {
  uint32_t sum = 0;
  for (uint32_t r = 1; r <= rounds; ++r) {
    __atomic_store_n(const_cast<uint32_t*>(&mail->request), r, __ATOMIC_RELEASE);
    while (__atomic_load_n(const_cast<uint32_t*>(&mail->answer), __ATOMIC_ACQUIRE) != r) {
      __builtin_amdgcn_s_sleep(1);
    }
    sum = sum * 7 + mail->value;
  }
  *out = sum;
}

__global__ void WaitFor(const uint32_t* flag, uint32_t* out) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
  }
  out[threadIdx.x] = threadIdx.x + 41;
}

__global__ void Raise(uint32_t* flag) { __atomic_store_n(flag, 1u, __ATOMIC_RELEASE); }

// Each work-group adds its sum to that of the group before it, which it waits for.
__global__ void Chain(const uint32_t* in, uint32_t* sums, uint32_t* state) {
  __shared__ uint32_t total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  uint32_t before = 0;
  if (blockIdx.x > 0) {
    while (__atomic_load_n(&state[blockIdx.x - 1], __ATOMIC_ACQUIRE) == 0) {
    }
    before = sums[blockIdx.x - 1];
  }
  sums[blockIdx.x] = before + total;
  __atomic_store_n(&state[blockIdx.x], 1u, __ATOMIC_RELEASE);
}

static void WithHost() {
  constexpr uint32_t kRounds = 200;
  Mail* mail = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&mail), sizeof(Mail), hipHostMallocCoherent));
  std::memset(mail, 0, sizeof *mail);
  check::Buffer<uint32_t> out(1);
  Ask<<<1, 1>>>(mail, out, kRounds);
  HIP(hipGetLastError());
  uint32_t want = 0;
  for (uint32_t r = 1; r <= kRounds; ++r) {
    while (__atomic_load_n(const_cast<uint32_t*>(&mail->request), __ATOMIC_ACQUIRE) != r) {
      std::this_thread::yield();
    }
    EXPECT(hipStreamQuery(nullptr) == hipErrorNotReady);
    mail->value = check::Mix(r);
    want = want * 7 + check::Mix(r);
    __atomic_store_n(const_cast<uint32_t*>(&mail->answer), r, __ATOMIC_RELEASE);
  }
  HIP(hipDeviceSynchronize());
  EXPECT(out.Get()[0] == want);
  HIP(hipHostFree(mail));
}

static void AcrossStreams() {
  check::Buffer<uint32_t> flag(std::vector<uint32_t>{0});
  check::Buffer<uint32_t> out(64);
  hipStream_t waiting, raising;
  HIP(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&raising, hipStreamNonBlocking));
  WaitFor<<<1, 64, 0, waiting>>>(flag, out);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT(hipStreamQuery(waiting) == hipErrorNotReady);
  Raise<<<1, 1, 0, raising>>>(flag);
  HIP(hipStreamSynchronize(waiting));
  check::Each("after the other stream", out.Get(), [](size_t i) { return i + 41; });
  HIP(hipStreamDestroy(waiting));
  HIP(hipStreamDestroy(raising));
}

static void AcrossGroups() {
  constexpr uint32_t kGroups = 500, kSize = 128;
  std::vector<uint32_t> in(kGroups * kSize), want(kGroups);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < in.size(); ++i) {
    in[i] = check::Mix(i);
    sum += in[i];
    want[i / kSize] = sum;
  }
  check::Buffer<uint32_t> device_in(in), sums(kGroups);
  check::Buffer<uint32_t> state(std::vector<uint32_t>(kGroups, 0));
  Chain<<<kGroups, kSize>>>(device_in, sums, state);
  check::Each("chain of groups", sums.Get(), [&](size_t i) { return want[i]; });
}

int main() {
  AcrossGroups();
  WithHost();
  AcrossStreams();
  return check::Finish();
}
