// What HIP and OpenCL of ROCm 5.7 and 6.4 ask for beyond 5.2: attributes by number, and entry
// points by name, because the headers at hand may be older.
#include <dlfcn.h>

#include <numeric>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

// Agents' attributes: 8 bytes at most.
hsa_status_t AskAgent(hsa_agent_t agent, uint32_t number, uint64_t& value) {
  value = 0;
  return hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(number), &value);
}

template <typename Function>
Function* Named(const char* name) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<Function*>(dlvsym(library, name, "ROCR_1"));
}

class LaterReleases : public HsaTest {};

TEST_F(LaterReleases, AgentsAnswerEveryNumber) {
  for (const uint32_t number : {0xA015, 0xA016, 0xA107, 0xA108, 0xA109, 0xA10A, 0xA10B, 0xA110,
                                0xA111, 0xA112, 0xA113, 0xA114, 0xA115, 0xA116, 0xA117}) {
    uint64_t value = 0;
    EXPECT_OK(AskAgent(gpu_, number, value)) << std::hex << number;
    EXPECT_OK(AskAgent(cpu_, number, value)) << std::hex << number;
  }
  uint64_t value = 0;
  EXPECT_EQ(AskAgent(gpu_, 0xA1FF, value), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_OK(AskAgent(gpu_, 0xA10A, value));
  EXPECT_GE(value, 1u) << "HIP takes a device without copy engines for none";
  ASSERT_OK(AskAgent(gpu_, 0xA113, value));
  EXPECT_EQ(value, cpu_.handle);
}

TEST_F(LaterReleases, AllocationsTakeOfWhatIsAvailable) {
  uint64_t before = 0, with = 0, after = 0;
  ASSERT_OK(AskAgent(gpu_, 0xA015, before));
  constexpr uint64_t kBytes = 3 << 20;
  auto* memory = Allocate<char>(kBytes);
  ASSERT_OK(AskAgent(gpu_, 0xA015, with));
  EXPECT_EQ(before - with, kBytes);
  EXPECT_OK(hsa_amd_memory_pool_free(memory));
  ASSERT_OK(AskAgent(gpu_, 0xA015, after));
  EXPECT_EQ(after, before);
}

TEST_F(LaterReleases, PoolsSayWhereTheyAre) {
  const auto ask = [](hsa_amd_memory_pool_t pool, uint32_t number) {
    uint64_t value = 0;
    EXPECT_OK(hsa_amd_memory_pool_get_info(pool, static_cast<hsa_amd_memory_pool_info_t>(number),
                                           &value));
    return value;
  };
  EXPECT_EQ(ask(PoolOf(cpu_, kFine), 17), 0u);
  EXPECT_EQ(ask(PoolOf(gpu_, kCoarse), 17), 1u);
  EXPECT_EQ(ask(PoolOf(gpu_, kCoarse), 18) % 4096, 0u);
}

TEST_F(LaterReleases, TheSystemAnswersEveryNumber) {
  for (uint32_t number = 0x200; number <= 0x208; ++number) {
    uint64_t value = 0;
    EXPECT_OK(hsa_system_get_info(static_cast<hsa_system_info_t>(number), &value))
        << std::hex << number;
  }
}

TEST_F(LaterReleases, CopiesOnAnEngine) {
  using Status = hsa_status_t(hsa_agent_t, hsa_agent_t, uint32_t*);
  using Copy = hsa_status_t(void*, hsa_agent_t, const void*, hsa_agent_t, size_t, uint32_t,
                            const hsa_signal_t*, hsa_signal_t, int, bool);
  const auto status = Named<Status>("hsa_amd_memory_copy_engine_status");
  const auto copy = Named<Copy>("hsa_amd_memory_async_copy_on_engine");
  ASSERT_NE(status, nullptr);
  ASSERT_NE(copy, nullptr);
  uint32_t mask = 0;
  ASSERT_OK(status(gpu_, cpu_, &mask));
  ASSERT_NE(mask, 0u);
  EXPECT_EQ(status(gpu_, gpu_, &mask), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(status(cpu_, cpu_, &mask), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(status(gpu_, {77}, &mask), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(status(gpu_, cpu_, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  std::vector<uint32_t> host(1000);
  std::iota(host.begin(), host.end(), 1u);
  const size_t bytes = host.size() * sizeof(uint32_t);
  auto* device = Allocate<uint32_t>(host.size());
  for (uint32_t engine = 1; engine <= mask; engine <<= 1) {
    std::fill_n(device, host.size(), 0u);
    const hsa_signal_t done = Signal(1);
    ASSERT_OK(copy(device, gpu_, host.data(), cpu_, bytes, 0, nullptr, done,
                   static_cast<int>(engine), false));
    ASSERT_TRUE(Done(done));
    EXPECT_EQ(std::memcmp(device, host.data(), bytes), 0);
  }
  for (const int engine : {0, 3, 1 << 20}) {
    EXPECT_EQ(copy(device, gpu_, host.data(), cpu_, bytes, 0, nullptr, Signal(1), engine, false),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
}

TEST_F(LaterReleases, WaitsForAllSignals) {
  using WaitAll = uint32_t(uint32_t, hsa_signal_t*, hsa_signal_condition_t*, hsa_signal_value_t*,
                           uint64_t, hsa_wait_state_t, hsa_signal_value_t*);
  const auto wait = Named<WaitAll>("hsa_amd_signal_wait_all");
  ASSERT_NE(wait, nullptr);
  hsa_signal_t signals[] = {Signal(5), Signal(1)};
  hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT};
  hsa_signal_value_t wanted[] = {5, 1};
  hsa_signal_value_t found[] = {0, 0};
  EXPECT_EQ(wait(2, signals, conditions, wanted, kShort, HSA_WAIT_STATE_BLOCKED, found),
            UINT32_MAX);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hsa_signal_store_screlease(signals[1], -3);
  });
  EXPECT_EQ(wait(2, signals, conditions, wanted, kLong, HSA_WAIT_STATE_BLOCKED, found), 0u);
  later.join();
  EXPECT_EQ(found[0], 5);
  EXPECT_EQ(found[1], -3);
}

class LaterKernels : public KernelTest {};

uint64_t HostNanoseconds() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// HIP divides differences of wall_clock64, which is s_memrealtime, by it. Bounds that hold however
// late anything runs: the host looks at its clock outside of the kernels and between them.
TEST_F(LaterKernels, TimestampFrequencyIsThatOfTheKernelsClock) {
  uint64_t frequency = 0;
  ASSERT_OK(AskAgent(gpu_, 0xA016, frequency));
  auto* ticks = Allocate<uint64_t>(2);
  const auto run = [&](uint64_t* to) {
    const hsa_signal_t done = Signal(1);
    Submit(queue_, Packet("clock", {Address(to)}, 1, 1, done));
    ASSERT_TRUE(Done(done));
  };
  const uint64_t before = HostNanoseconds();
  run(ticks);
  const uint64_t between_begin = HostNanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const uint64_t between_end = HostNanoseconds();
  run(ticks + 1);
  const uint64_t after = HostNanoseconds();
  const uint64_t rounding = 2 * 1'000'000'000 / frequency;
  const uint64_t elapsed = (ticks[1] - ticks[0]) * (1'000'000'000 / frequency);
  EXPECT_GE(elapsed + rounding, between_end - between_begin);
  EXPECT_LE(elapsed, after - before + rounding);
}

// HIP 6.4 runs a kernel of its own with 512 work-items where its metadata says 256.
TEST_F(LaterKernels, PacketsAreNotHeldToTheMetadatasGroupSize) {
  constexpr uint32_t kItems = 3 * 1024;
  auto* values = Allocate<uint32_t>(kItems);
  for (const uint16_t group : {uint16_t{512}, uint16_t{1024}}) {
    std::fill_n(values, kItems, 0u);
    const hsa_signal_t done = Signal(1);
    Submit(queue_, Packet("add_one", {Address(values)}, kItems, group, done));
    ASSERT_TRUE(Done(done));
    EXPECT_EQ(std::count(values, values + kItems, 1u), kItems);
  }
  Submit(queue_, Packet("add_one", {Address(values)}, kItems, 1025, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
}

// HIP 6.4 writes constants by a kernel, and clang 21 puts them into .rodata. Code stays what it is.
TEST_F(LaterKernels, OnlyCodeIsReadOnly) {
  uint64_t table = 0;
  ASSERT_OK(hsa_executable_symbol_get_info(Symbol("table"),
                                           HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &table));
  const hsa_signal_t done = Signal(1);
  Submit(queue_, Packet("add_one", {table}, 4, 4, done));
  ASSERT_TRUE(Done(done));
  const auto* values = reinterpret_cast<const uint32_t*>(table);
  EXPECT_EQ(std::vector<uint32_t>(values, values + 4), (std::vector<uint32_t>{11, 21, 31, 41}));

  // Or the fault would end this process.
  ASSERT_OK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t*, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  const uint64_t descriptor = KernelObject("add_one");
  int64_t entry = 0;  // bytes from the descriptor to the code, at byte 16 of the descriptor
  std::memcpy(&entry, reinterpret_cast<const char*>(descriptor) + 16, sizeof entry);
  Submit(queue_, Packet("add_one", {descriptor + static_cast<uint64_t>(entry)}, 1, 1, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_MEMORY_FAULT);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
