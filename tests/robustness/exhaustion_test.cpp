// The host's memory ends while a launch runs: the launch ends too, with an error, and leaves the
// host as it was. And what the bound on compiled code counts is what it takes.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend_x64/host/features.h"
#include "gcnjit/device.h"
#include "robustness/frame.h"
#include "runtime/jit/region_cache.h"
#include "runtime/state/group_storage.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::robustness {
namespace {

// The next thread that needs states for its waves does not get them, not before a word is set.
constexpr size_t kBytesOfStates = runtime::GroupStorage::kSeries * sizeof(runtime::WaveState);
std::atomic<bool> armed = false;
std::atomic<uint32_t*> word = nullptr;

bool FailsIfArmed(size_t bytes) {
  if (bytes != kBytesOfStates || !armed.exchange(false)) return false;
  for (int n = 0; n < 5000 && std::atomic_ref<uint32_t>(*word).load() == 0; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// What `new` has given out.
std::atomic<uint64_t> live_bytes = 0;

// While it is set, a thread gets no memory when it rounds as only guests do.
std::atomic<bool> fails_for_guests = false;
constexpr unsigned kRoundingControl = 0x6000;

void FailForGuest() {
  if ((_mm_getcsr() & kRoundingControl) == 0 || !fails_for_guests.exchange(false)) return;
  throw std::bad_alloc();
}

// So many threads more can be started; -1: any number.
std::atomic<int> threads_left = -1;

bool IsOutOfThreads() { return threads_left == 0 || (threads_left > 0 && threads_left-- == 0); }

}  // namespace
}  // namespace gcnjit::robustness

// In place of the system's, as where RLIMIT_NPROC or a container's limit of processes is reached.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
  if (gcnjit::robustness::IsOutOfThreads()) return EAGAIN;
  static auto* const next =
      reinterpret_cast<decltype(&::pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, run, argument);
}

// In place of the library's. Not inline: where GCC sees only one of a pair, it finds that malloc
// and delete, or new and free, do not match.
[[gnu::noinline]] void* operator new(size_t bytes) {
  gcnjit::robustness::FailForGuest();
  void* const memory = std::malloc(std::max<size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  gcnjit::robustness::live_bytes += ::malloc_usable_size(memory);
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  gcnjit::robustness::live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

// In place of the system's, which wave states are mapped with.
extern "C" void* mmap(void* at, size_t bytes, int protection, int flags, int file,
                      off_t offset) noexcept {
  if (gcnjit::robustness::FailsIfArmed(bytes)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  // The next one may be a sanitizer's, which has to know.
  static auto* const next = reinterpret_cast<decltype(&::mmap)>(::dlsym(RTLD_NEXT, "mmap"));
  return next(at, bytes, protection, flags, file, offset);
}

namespace gcnjit::robustness {
namespace {

// The first group's worker fails when the second group waits for the first one, as later groups
// may.
TEST(Exhaustion, OfOneWorkerEndsTheOthers) {
  constexpr auto kTarget = frontend::Generation::kGfx900;
  const std::vector<uint32_t> code = AssembleProgram(
      kTarget,
      {"s_load_dwordx2 s[20:21], s[6:7], 0x0", "v_mov_b32_e32 v1, 0", "v_mov_b32_e32 v2, 1",
       "s_waitcnt lgkmcnt(0)", "s_cmp_lg_u32 s10, 0", "s_cbranch_scc1 0x3",
       "global_store_dword v1, v2, s[20:21]", "s_endpgm",
       // The others say that they wait, and wait.
       "global_store_dword v1, v2, s[20:21] offset:4", "global_load_dword v3, v1, s[20:21] glc",
       "s_waitcnt vmcnt(0)", "v_cmp_eq_u32_e32 vcc, 0, v3", "s_cbranch_vccnz 0xfffa", "s_endpgm"});
  auto device = Device::Create();
  ASSERT_TRUE(device);
  const auto program = Program::Load(*device, FrameFile(kTarget, code));
  ASSERT_TRUE(program) << program.error().message;
  const uint64_t flags = *device->Allocate(8);
  LaunchConfig config;
  config.engine = Engine::kInterpreter;
  config.global.x = 256;
  config.local.x = 128;
  config.threads = 2;
  config.timeout_seconds = 60;
  FrameArguments values;
  values.words[0] = flags;
  const Arguments arguments = Arguments().Value(values);

  word = reinterpret_cast<uint32_t*>(flags) + 1;
  armed = true;
  const auto start = std::chrono::steady_clock::now();
  const auto failed = Launch(*device, *program, "frame", config, arguments);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_FALSE(armed);
  ASSERT_FALSE(failed);
  EXPECT_EQ(static_cast<int>(failed.error().code), static_cast<int>(ErrorCode::kOutOfResources));

  // And all is as it should be afterwards.
  std::memset(device->Data(flags, 8).data(), 0, 8);
  const auto done = Launch(*device, *program, "frame", config, arguments);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(static_cast<int>(done->status), static_cast<int>(LaunchStatus::kDone));
  EXPECT_EQ(*reinterpret_cast<const uint32_t*>(flags), 1u);
}

// A launch on a host that gives `threads` threads and no more, in a process of its own.
int RunWithThreads(int threads, double timeout_seconds) {
  constexpr auto kTarget = frontend::Generation::kGfx900;
  const std::vector<uint32_t> code = AssembleProgram(
      kTarget, {"s_load_dwordx2 s[20:21], s[6:7], 0x0", "s_lshl_b32 s10, s10, 6",
                "v_add_u32_e32 v1, s10, v0", "v_lshlrev_b32_e32 v2, 2, v1", "s_waitcnt lgkmcnt(0)",
                "global_store_dword v2, v1, s[20:21]", "s_endpgm"});
  constexpr uint32_t kItems = 64 * 1000;
  auto device = Device::Create();
  const auto program = Program::Load(*device, FrameFile(kTarget, code));
  const uint64_t out = *device->Allocate(kItems * 4);
  for (const std::string& engine : Engines()) {
    LaunchConfig config;
    UseEngine(engine, config);
    config.global.x = kItems;
    config.local.x = 64;
    config.threads = 8;
    config.timeout_seconds = timeout_seconds;
    FrameArguments values;
    values.words[0] = out;
    threads_left = threads;
    const auto done = Launch(*device, *program, "frame", config, Arguments().Value(values));
    if (!done) {
      const bool is_clear = done.error().message.find("a time limit needs a thread") == 0 &&
                            done.error().code == ErrorCode::kOutOfResources;
      return is_clear ? 2 : 3;
    }
    const auto data = device->Data(out, kItems * 4);
    for (uint32_t n = 0; n < kItems; ++n) {
      if (std::memcmp(&data[n * 4], &n, 4) != 0) return 1;
    }
    std::ranges::fill(data, std::byte{0});
  }
  return 0;
}

TEST(Exhaustion, OfThreadsLeavesFewerWorkers) {
  for (int threads = 0; threads <= 8; ++threads) {
    for (const double timeout : {0.0, 1000.0}) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(120);
        ::_exit(RunWithThreads(threads, timeout));
      }
      int status = -1;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      // The time limit's thread is the first one, and necessary.
      const int expected = threads == 0 && timeout > 0 ? 2 : 0;
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == expected)
          << threads << " threads, time limit " << timeout << ": status " << status;
    }
  }
}

// Engines, and what is checked.
std::vector<std::pair<std::string, uint32_t>> Runs() {
  std::vector<std::pair<std::string, uint32_t>> runs;
  for (const std::string& engine : Engines()) runs.emplace_back(engine, kCheckNothing);
  runs.emplace_back("interp", kCheckAll);
  return runs;
}

// The text of a fault is what there is no memory for, at an instruction that finds MXCSR as an
// earlier one wanted it. In compiled code it is the runtime's part of the access that fails.
TEST(Exhaustion, LeavesTheHostItsRounding) {
  constexpr auto kTarget = frontend::Generation::kGfx900;
  // After s_sleep a block begins, which compiled code for the new MODE can be entered at.
  const std::vector<uint32_t> code =
      AssembleProgram(kTarget, {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15", "s_sleep 0",
                                "v_mov_b32_e32 v1, 1", "v_add_f32_e32 v2, v1, v1",
                                "ds_add_u32 v1, v2", "s_endpgm"});
  auto device = Device::Create();
  ASSERT_TRUE(device);
  const auto program = Program::Load(*device, FrameFile(kTarget, code));
  ASSERT_TRUE(program) << program.error().message;
  const unsigned host = _mm_getcsr();
  const auto launch = [&](std::string_view engine, uint32_t check) {
    LaunchConfig config;
    UseEngine(engine, config);
    config.global.x = config.local.x = 64;
    config.threads = 1;
    config.check = check;
    return Launch(*device, *program, "frame", config, Arguments().Value(FrameArguments{}));
  };
  for (const auto& [engine, check] : Runs()) {
    SCOPED_TRACE(engine + (check != 0 ? " with checks" : ""));
    fails_for_guests = true;
    const auto failed = launch(engine, check);
    EXPECT_FALSE(fails_for_guests.exchange(false));
    EXPECT_EQ(_mm_getcsr() & ~0x3Fu, host & ~0x3Fu);
    _mm_setcsr(host);
    ASSERT_FALSE(failed);
    EXPECT_EQ(static_cast<int>(failed.error().code), static_cast<int>(ErrorCode::kOutOfResources));

    const auto faulted = launch(engine, check);
    ASSERT_TRUE(faulted) << faulted.error().message;
    ASSERT_EQ(static_cast<int>(faulted->status), static_cast<int>(LaunchStatus::kFault));
    EXPECT_EQ(static_cast<int>(faulted->fault->kind), static_cast<int>(FaultKind::kMisaligned));
  }
}

// Code of gfx900 that makes the JIT keep a lot, of one kind or another, for each instruction.
std::vector<uint32_t> CodeThatKeeps(int kind) {
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < 4000; ++n) {
    const uint32_t a = n * 7 % 250, b = n * 13 % 250;
    switch (kind) {
      // v_add_u32 v<a>, 1, v<b>
      case 0: words.push_back(0x68000081 | a << 17 | b << 9); break;
      // The same, and s_cbranch_scc0 to the next but one every other time.
      case 1: words.push_back(n % 2 == 0 ? 0x68000081 | a << 17 | b << 9 : 0xBF840001); break;
      // global_load_dword v<a>, v[b:b+1], off
      case 2: words.insert(words.end(), {0xDC508000, a << 24 | 0x7F0000 | b}); break;
      // v_mul_lo_u32 v<a>, v0, n % 64: other numbers for each lane.
      case 3:
        words.insert(words.end(), {0xD2850000 | a, 0x100 | (0x80 + n % 64) << 9});
        if (n % 16 == 0) words.push_back(0xBF840001);
        break;
      // v_nop, of which nothing is left
      default: words.push_back(0x7E000000); break;
    }
  }
  words.insert(words.end(), 4, 0xBF810000);  // s_endpgm
  return words;
}

TEST(HeldCode, IsCountedAsItIs) {
  using namespace runtime;
  for (const std::string& engine : Engines()) {
    if (engine == "interp") continue;
    const auto isa = engine == "avx2" ? backend::HostIsa::kAvx2 : backend::HostIsa::kAvx512;
    for (int kind = 0; kind < 5; ++kind) {
      const std::vector<uint32_t> words = CodeThatKeeps(kind);
      const auto begin = reinterpret_cast<uint64_t>(words.data());
      for (const GroupShape shape : {GroupShape{}, GroupShapeOf({256, 1, 1}, 1)}) {
        CodeMap map(frontend::Generation::kGfx900, {{begin, begin + words.size() * 4}});
        RegionCache jit(map, {isa, /*exact_state=*/false, {}});
        CodeEpoch user;
        const auto compile = [&](uint32_t n) {
          (void)jit.Find(begin, begin, {0xF0 | n << 12, {256, 0}, shape}, user);
        };
        compile(0);  // and what is made once
        const uint64_t live_before = live_bytes;
        const JitStatistics before = jit.Statistics();
        for (uint32_t n = 1; n < 5; ++n) compile(n);
        const JitStatistics after = jit.Statistics();
        const uint64_t code = after.host_bytes - before.host_bytes;
        const uint64_t taken = live_bytes - live_before + code;
        const uint64_t counted = after.held_bytes - before.held_bytes;
        EXPECT_LE(taken, counted + counted / 4) << engine << " " << kind;
        EXPECT_GE(taken, counted / 2) << engine << " " << kind;
        user.Leave();
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::robustness
