// R14: many host threads at once: launches of one kernel, which is compiled once; programs that
// come and go; compiled code is written, read and thrown away on disk; memory is freed while
// kernels use it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/memory/guest_memory.h"
#include "tests/concurrency/machine.h"

namespace gcnjit::concurrency {
namespace {

constexpr unsigned kHostThreads = 8;
constexpr uint32_t kStormItems = 256;

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
               Statistics* statistics = nullptr,
               const std::optional<CodeCache>& cache = std::nullopt) {
  const uint64_t out = *device.Allocate(kStormItems * 4);
  LaunchConfig config = Line(kStormItems, 64, engine, 1);
  config.cache = cache;
  const auto result = Launch(device, program, "mix", config, Arguments().Buffer(out).Value(seed));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->status, LaunchStatus::kDone);
  if (statistics != nullptr) *statistics = result->statistics;
  const uint32_t* values = DataOf<uint32_t>(device, out, kStormItems);
  for (uint32_t id = 0; id < kStormItems; ++id) ASSERT_EQ(values[id], Mix(seed, id)) << id;
  EXPECT_TRUE(device.Free(out));
}

template <typename Work>
void OnThreads(unsigned count, const Work& work) {
  std::vector<std::jthread> threads;
  for (unsigned n = 0; n < count; ++n) threads.emplace_back([&work, n] { work(n); });
}

TEST(Storm, OneKernelIsCompiledOnce) {
  Device device = *Device::Create();
  Statistics alone;
  LaunchMix(device, LoadProgram(device, "storms_gfx900.co"), 1, Engine::kJit, &alone);
  ASSERT_GT(alone.compiled_regions, 0u);
  for (int round = 0; round < 20; ++round) {
    const Program program = LoadProgram(device, "storms_gfx900.co");
    std::atomic<unsigned> ready = 0;
    OnThreads(kHostThreads, [&](unsigned thread) {
      for (++ready; ready < kHostThreads;) std::this_thread::yield();
      Statistics together;
      LaunchMix(device, program, thread, Engine::kJit, &together);
      EXPECT_EQ(together.compiled_regions, alone.compiled_regions);
    });
    Statistics afterwards;
    LaunchMix(device, program, 99, Engine::kJit, &afterwards);
    EXPECT_EQ(afterwards.compiled_regions, alone.compiled_regions);
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

class CacheStorm : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gcnjit-storm-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CodeCache Open(uint64_t max_bytes = kDefaultCacheBytes) const {
    return CodeCache::Open({folder_, max_bytes}).value();
  }
  uint64_t BytesInFolder() const {
    uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) bytes += file.file_size();
    return bytes;
  }
  // Each round in another target's program, which is loaded for it.
  static void LaunchPrograms(Device& device, const CodeCache& cache, unsigned thread,
                             unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
      const char* target = kTargets[(thread + round) % std::size(kTargets)];
      const Program program = LoadProgram(device, std::string("storms_") + target + ".co");
      Statistics statistics;
      LaunchMix(device, program, round * 100 + thread, Engine::kJit, &statistics, cache);
      EXPECT_GT(statistics.compiled_regions + statistics.cached_regions, 0u);
    }
  }

  std::string folder_;
};

TEST_F(CacheStorm, ThreadsShareACache) {
  const CodeCache cache = Open();
  Device device = *Device::Create();
  OnThreads(kHostThreads, [&](unsigned thread) { LaunchPrograms(device, cache, thread, 10); });
  // Now everything is there.
  for (const char* target : kTargets) {
    const Program program = LoadProgram(device, std::string("storms_") + target + ".co");
    Statistics statistics;
    LaunchMix(device, program, 1, Engine::kJit, &statistics, cache);
    EXPECT_EQ(statistics.compiled_regions, 0u) << target;
    EXPECT_GT(statistics.cached_regions, 0u) << target;
  }
}

// As processes do: each has its own idea of how much there is in the folder, and throws away what
// others are about to read.
TEST_F(CacheStorm, ThereIsNoRoomForEverything) {
  Device device = *Device::Create();
  LaunchPrograms(device, Open(), 0, static_cast<unsigned>(std::size(kTargets)));
  const uint64_t most = BytesInFolder() / 2;
  ASSERT_GT(most, 0u);
  OnThreads(kHostThreads, [&](unsigned thread) { LaunchPrograms(device, Open(most), thread, 10); });
}

class FreeTest : public testing::TestWithParam<Engine> {};
INSTANTIATE_TEST_SUITE_P(Engines, FreeTest, testing::Values(Engine::kInterpreter, Engine::kJit),
                         [](const auto& info) {
                           return info.param == Engine::kJit ? "jit" : "interp";
                         });

// The kernel ends with a fault in the freed buffer, or sees `stop` before it does. What others get
// meanwhile, at the same address for all we know, is not for kernels to write: a store that was
// allowed when the buffer was there must not come so late that it changes that.
TEST_P(FreeTest, WhileKernelsRun) {
  Device device = *Device::Create();
  const Program program = LoadProgram(device, "storms_gfx900.co");
  for (int round = 0; round < 10; ++round) {
    const uint64_t out = *device.Allocate(kStormItems * 4);
    const uint64_t stop = *device.Allocate(4);
    std::jthread runner([&] {
      const auto result = Launch(device, program, "churn", Line(kStormItems, 64, GetParam(), 2),
                                 Arguments().Buffer(out).Buffer(stop));
      ASSERT_TRUE(result) << result.error().message;
      if (result->status == LaunchStatus::kDone) return;
      ASSERT_EQ(result->status, LaunchStatus::kFault);
      EXPECT_EQ(result->fault->kind, FaultKind::kMemoryWrite);
      EXPECT_GE(result->fault->address, out);
      EXPECT_LT(result->fault->address, out + kStormItems * 4);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + round % 4));
    EXPECT_TRUE(device.Free(out));
    bool untouched = true;
    for (int n = 0; n < 50; ++n) {
      constexpr auto kAccess = runtime::GuestMemory::Access::kReadOnly;
      const uint64_t other = *device.memory()->Allocate(4096, "other", kAccess);
      for (const std::byte byte : device.Data(other, 4096)) untouched &= byte == std::byte{0};
      EXPECT_TRUE(device.memory()->Free(other));
    }
    std::atomic_ref(*DataOf<uint32_t>(device, stop, 1)).store(1);
    runner.join();
    EXPECT_TRUE(untouched);
    EXPECT_TRUE(device.Free(stop));
  }
}

}  // namespace
}  // namespace gcnjit::concurrency
