// Several contexts, queues and host threads at once.
#include <thread>

#include "harness.h"

namespace {

const char* const kSource = R"(
  kernel void k(global uint* p, uint a) {
    local uint shared[64];
    shared[get_local_id(0)] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = shared[63 - get_local_id(0)] * 3 + a;
  })";

// Launches of one kernel on its own buffer, against what the host computes.
void Work(const Session& s, cl_command_queue queue, cl_program program, uint32_t seed,
          std::vector<uint32_t>& got, std::vector<uint32_t>& want) {
  constexpr size_t kCount = 1024;
  want.resize(kCount);
  got.resize(kCount);
  for (size_t i = 0; i < kCount; ++i) want[i] = static_cast<uint32_t>(i) * seed;
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer buffer = s.NewBuffer(kCount, want.data());
  for (uint32_t step = 0; step < 100; ++step) {
    s.Set(kernel, buffer, step * seed);
    const size_t global = kCount, local = 64;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr));
    for (size_t group = 0; group < kCount; group += 64) {
      std::vector<uint32_t> old(want.begin() + group, want.begin() + group + 64);
      for (size_t i = 0; i < 64; ++i) want[group + i] = old[63 - i] * 3 + step * seed;
    }
  }
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kCount * 4, got.data(), 0, nullptr, nullptr));
}

void InThreads(size_t count, const std::function<void(size_t)>& body) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

constexpr size_t kThreads = 6;
using Results = std::vector<std::vector<uint32_t>>;

void Compare(const Results& got, const Results& want) {
  for (size_t i = 0; i < got.size(); ++i)
    Each("values", got[i], [&](size_t at) { return want[i][at]; });
}

void QueuesOfOneContext(Session& s) {
  const Program program = s.Build(kSource);
  Results got(kThreads), want(kThreads);
  InThreads(kThreads, [&](size_t i) {
    const Queue queue = s.NewQueue();
    Work(s, queue, program, static_cast<uint32_t>(i) + 1, got[i], want[i]);
  });
  Compare(got, want);
}

void OneQueue(Session& s) {
  const Program program = s.Build(kSource);
  Results got(kThreads), want(kThreads);
  InThreads(kThreads, [&](size_t i) {
    Work(s, s.queue, program, static_cast<uint32_t>(i) + 11, got[i], want[i]);
  });
  Compare(got, want);
}

void Contexts(Session&) {
  Results got(kThreads), want(kThreads);
  InThreads(kThreads, [&](size_t i) {
    const Session own;
    const Program program = own.Build(kSource);
    Work(own, own.queue, program, static_cast<uint32_t>(i) + 21, got[i], want[i]);
  });
  Compare(got, want);
}

// One after another: queues and contexts are given back.
void ManyContexts(Session&) {
  for (uint32_t i = 0; i < 40; ++i) {
    const Session own;
    std::vector<uint32_t> host(256, i);
    const Buffer buffer = own.NewBuffer(256, host.data());
    const uint32_t pattern = i + 1;
    OK(clEnqueueFillBuffer(own.queue, buffer, &pattern, 4, 512, 512, 0, nullptr, nullptr));
    Each("values", own.Read<uint32_t>(buffer, 256),
         [&](size_t at) { return at < 128 ? i : i + 1; });
  }
}

}  // namespace

int main() {
  return Main({{"queues of one context", QueuesOfOneContext},
               {"one queue", OneQueue},
               {"contexts", Contexts},
               {"many contexts", ManyContexts}});
}
