// R14: many host threads at once: launches of one kernel, which is compiled once; programs that
// come and go; memory that is freed while kernels use it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/concurrency/machine.h"

namespace gcnjit::concurrency {
namespace {

constexpr unsigned kHostThreads = 8;
constexpr uint32_t kItems = 256;

// As storms.cl has it.
uint32_t Mix(uint32_t seed, uint32_t id) {
  uint32_t x = seed + id;
  for (uint32_t n = 0; n < 20; ++n) {
    x = x * 1664525u + 1013904223u;
    if ((x & 1u << 20) != 0) x ^= seed << n;
  }
  return x;
}

// Launches mix into a buffer of its own and looks at the result.
void LaunchMix(Device& device, const Program& program, uint32_t seed, Engine engine,
               uint64_t* compiled = nullptr) {
  const uint64_t out = *device.Allocate(kItems * 4);
  const auto result = Launch(device, program, "mix", Line(kItems, 64, engine, 1),
                             Arguments().Buffer(out).Value(seed));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->status, LaunchStatus::kDone);
  if (compiled != nullptr) *compiled = result->statistics.compiled_regions;
  const uint32_t* values = DataOf<uint32_t>(device, out, kItems);
  for (uint32_t id = 0; id < kItems; ++id) ASSERT_EQ(values[id], Mix(seed, id)) << id;
  EXPECT_TRUE(device.Free(out));
}

template <typename Work>
void OnThreads(unsigned count, const Work& work) {
  std::vector<std::jthread> threads;
  for (unsigned n = 0; n < count; ++n) threads.emplace_back([&work, n] { work(n); });
}

TEST(Storm, OneKernelIsCompiledOnce) {
  Device device = *Device::Create();
  uint64_t alone = 0;
  LaunchMix(device, LoadProgram(device, "storms_gfx900.co"), 1, Engine::kJit, &alone);
  ASSERT_GT(alone, 0u);
  for (int round = 0; round < 20; ++round) {
    const Program program = LoadProgram(device, "storms_gfx900.co");
    std::atomic<unsigned> ready = 0;
    OnThreads(kHostThreads, [&](unsigned thread) {
      for (++ready; ready < kHostThreads;) std::this_thread::yield();
      uint64_t compiled = 0;
      LaunchMix(device, program, thread, Engine::kJit, &compiled);
      EXPECT_EQ(compiled, alone);
    });
    uint64_t compiled = 0;
    LaunchMix(device, program, 99, Engine::kJit, &compiled);
    EXPECT_EQ(compiled, alone);
  }
}

TEST(Storm, ProgramsComeAndGo) {
  Device device = *Device::Create();
  OnThreads(kHostThreads, [&](unsigned thread) {
    for (unsigned round = 0; round < 15; ++round) {
      const char* target = kTargets[(thread + round) % std::size(kTargets)];
      const Program program = LoadProgram(device, std::string("storms_") + target + ".co");
      LaunchMix(device, program, round * 100 + thread,
                round % 3 == 2 ? Engine::kInterpreter : Engine::kJit);
    }
  });
}

TEST(Storm, DevicesComeAndGo) {
  OnThreads(kHostThreads, [&](unsigned thread) {
    for (unsigned round = 0; round < 5; ++round) {
      Device device = *Device::Create();
      LaunchMix(device, LoadProgram(device, "storms_gfx803.co"), thread, Engine::kJit);
    }
  });
}

// The program goes away while its last launch still runs in another thread, which has a copy.
TEST(Storm, ProgramsAreDroppedWhileTheyRun) {
  Device device = *Device::Create();
  for (int round = 0; round < 10; ++round) {
    std::vector<std::jthread> threads;
    Program program = LoadProgram(device, "storms_gfx700.co");
    for (unsigned thread = 0; thread < kHostThreads; ++thread) {
      threads.emplace_back([&device, program, thread] {
        for (int n = 0; n < 3; ++n) LaunchMix(device, program, thread, Engine::kJit);
      });
    }
  }
}

class FreeTest : public testing::TestWithParam<Engine> {};
INSTANTIATE_TEST_SUITE_P(Engines, FreeTest, testing::Values(Engine::kInterpreter, Engine::kJit),
                         [](const auto& info) {
                           return info.param == Engine::kJit ? "jit" : "interp";
                         });

// The kernel ends with a fault in the freed buffer, or sees `stop` before it does; memory that
// others get meanwhile stays theirs.
TEST_P(FreeTest, WhileKernelsRun) {
  Device device = *Device::Create();
  const Program program = LoadProgram(device, "storms_gfx900.co");
  for (int round = 0; round < 10; ++round) {
    const uint64_t out = *device.Allocate(kItems * 4);
    const uint64_t stop = *device.Allocate(4);
    std::jthread runner([&] {
      const auto result = Launch(device, program, "churn", Line(kItems, 64, GetParam(), 2),
                                 Arguments().Buffer(out).Buffer(stop));
      ASSERT_TRUE(result) << result.error().message;
      if (result->status == LaunchStatus::kDone) return;
      ASSERT_EQ(result->status, LaunchStatus::kFault);
      EXPECT_EQ(result->fault->kind, FaultKind::kMemoryWrite);
      EXPECT_GE(result->fault->address, out);
      EXPECT_LT(result->fault->address, out + kItems * 4);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + round % 4));
    EXPECT_TRUE(device.Free(out));
    for (int n = 0; n < 50; ++n) {
      const uint64_t other = *device.Allocate(4096);
      for (const std::byte byte : device.Data(other, 4096)) ASSERT_EQ(byte, std::byte{0});
      EXPECT_TRUE(device.Free(other));
    }
    std::atomic_ref(*DataOf<uint32_t>(device, stop, 1)).store(1);
    runner.join();
    EXPECT_TRUE(device.Free(stop));
  }
}

}  // namespace
}  // namespace gcnjit::concurrency
