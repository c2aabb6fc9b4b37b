// The host's memory ends while a launch runs: the launch ends too, with an error.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "gcnjit/device.h"
#include "robustness/frame.h"
#include "runtime/wave_state.h"

namespace gcnjit::robustness {
namespace {

// The next thread that needs a second wave's state does not get it, not before a word is set.
std::atomic<bool> armed = false;
std::atomic<uint32_t*> word = nullptr;
thread_local int states_of_thread = 0;

void FailIfArmed(size_t bytes) {
  if (bytes != sizeof(runtime::WaveState) || ++states_of_thread != 2 || !armed.exchange(false)) {
    return;
  }
  for (int n = 0; n < 5000 && std::atomic_ref<uint32_t>(*word).load() == 0; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw std::bad_alloc();
}

}  // namespace
}  // namespace gcnjit::robustness

// Those of aligned memory, of which wave states are made, in place of the library's.
void* operator new(size_t bytes, std::align_val_t alignment) {
  gcnjit::robustness::FailIfArmed(bytes);
  const auto whole = static_cast<size_t>(alignment);
  void* const memory = std::aligned_alloc(whole, (bytes + whole - 1) / whole * whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace gcnjit::robustness {
namespace {

// The first group's worker fails when the second group waits for the first one, as later groups
// may.
TEST(Exhaustion, OfOneWorkerEndsTheOthers) {
  constexpr auto kTarget = frontend::Generation::kGfx900;
  // The first group's waves meet at a barrier, so that each needs a state of its own.
  const std::vector<uint32_t> code = AssembleProgram(
      kTarget,
      {"s_load_dwordx2 s[20:21], s[6:7], 0x0", "v_mov_b32_e32 v1, 0", "v_mov_b32_e32 v2, 1",
       "s_waitcnt lgkmcnt(0)", "s_cmp_lg_u32 s10, 0", "s_cbranch_scc1 0x4", "s_barrier",
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

}  // namespace
}  // namespace gcnjit::robustness
