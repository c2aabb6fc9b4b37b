// A device in shared mode, kernels.cl for one target, one engine.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace gcnjit {

constexpr size_t kPage = 4096;

// Anonymous memory of the host's.
class HostPages {
 public:
  explicit HostPages(size_t pages, int protection = PROT_READ | PROT_WRITE)
      : bytes_(pages * kPage),
        data_(mmap(nullptr, bytes_, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~HostPages() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;

  template <typename T = uint32_t>
  T* As(size_t page = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + page * kPage);
  }
  uint64_t address(size_t page = 0) const { return reinterpret_cast<uint64_t>(As<>(page)); }
  // Takes pages away; nothing else is mapped there instead.
  void Unmap(size_t first, size_t count) const {
    mmap(As<>(first), count * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
  void Protect(size_t first, size_t count, int protection) const {
    mprotect(As<>(first), count * kPage, protection);
  }

 private:
  size_t bytes_;
  void* data_;
};

inline std::vector<std::byte> ReadKernels(const std::string& target) {
  std::ifstream file(std::string(GCNJIT_SHARED_MEMORY_DATA) + "/kernels_" + target + ".co",
                     std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

using EngineAndTarget = std::tuple<Engine, const char*>;

class SharedMemoryTest : public testing::TestWithParam<EngineAndTarget> {
 protected:
  void SetUp() override {
    auto device = Device::Create(MemoryMode::kShared);
    ASSERT_TRUE(device) << device.error().message;
    device_.emplace(std::move(*device));
    auto program = Program::Load(*device_, ReadKernels(std::get<1>(GetParam())));
    ASSERT_TRUE(program) << program.error().message;
    program_.emplace(std::move(*program));
  }

  // `items` work-items in groups of `local_`, which have `rows_` rows of them.
  Result<LaunchResult> Start(const char* kernel, uint32_t items, const Arguments& arguments,
                             unsigned threads = 1) {
    LaunchConfig config;
    config.global.x = items;
    config.local.x = local_;
    config.global.y = config.local.y = rows_;
    config.engine = std::get<0>(GetParam());
    config.compile_first = true;
    config.threads = threads;
    config.timeout_seconds = 60;
    return Launch(*device_, *program_, kernel, config, arguments);
  }
  void Run(const char* kernel, uint32_t items, const Arguments& arguments, unsigned threads = 1) {
    const auto result = Start(kernel, items, arguments, threads);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kDone)
        << (result->fault ? result->fault->Describe() : "time-out");
  }
  // A launch that is to fault.
  FaultReport Fault(const char* kernel, uint32_t items, const Arguments& arguments) {
    const auto result = Start(kernel, items, arguments);
    EXPECT_TRUE(result) << result.error().message;
    if (!result || !result->fault) {
      ADD_FAILURE() << kernel << " did not fault";
      return {};
    }
    return *result->fault;
  }

  std::optional<Device> device_;
  std::optional<Program> program_;
  uint32_t local_ = 64;
  uint32_t rows_ = 1;
};

inline std::string EngineAndTargetName(const testing::TestParamInfo<EngineAndTarget>& info) {
  return std::string(std::get<0>(info.param) == Engine::kJit ? "Jit_" : "Interpreter_") +
         std::get<1>(info.param);
}

inline const auto kEnginesAndTargets =
    testing::Combine(testing::Values(Engine::kInterpreter, Engine::kJit),
                     testing::Values("gfx700", "gfx803", "gfx900"));

inline uint64_t AddressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace gcnjit
