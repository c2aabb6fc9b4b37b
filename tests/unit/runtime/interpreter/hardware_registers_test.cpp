// What scalar instructions do that a single repeatable wave cannot show: identities of waves and
// groups, clocks, atomics from several threads.
#include "runtime/interpreter/hardware_registers.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {
namespace {

using frontend::Opcode;

// A wave alone in its group, with memory but no code: instructions are given decoded.
struct LoneWave {
  explicit LoneWave(Generation generation) {
    dispatch.processor = generation;
    state->vgpr_count = 4;
    group.wave_count = 1;
  }
  std::unique_ptr<WaveState> state = std::make_unique<WaveState>();
  WorkgroupState group;
  DispatchState dispatch;
  Wave wave{*state, group, dispatch};
};

uint32_t Read(Wave& wave, uint32_t id, uint32_t offset = 0, uint32_t size = 32) {
  return ReadHwreg(wave, {id, offset, size});
}

constexpr uint32_t kStatus = 2;
constexpr uint32_t kHwId = 4;

TEST(HardwareRegistersTest, HwIdTellsWavesAndGroupsApart) {
  LoneWave lone(Generation::kGfx900);
  lone.state->wave_in_group = 6;
  lone.group.id = {3, 16, 64};
  EXPECT_EQ(Read(lone.wave, kHwId, 0, 4), 1u);    // WAVE_ID: the second wave of its SIMD
  EXPECT_EQ(Read(lone.wave, kHwId, 4, 2), 2u);    // SIMD_ID
  EXPECT_EQ(Read(lone.wave, kHwId, 8, 4), 3u);    // CU_ID
  EXPECT_EQ(Read(lone.wave, kHwId, 13, 2), 1u);   // SE_ID
  EXPECT_EQ(Read(lone.wave, kHwId, 16, 4), 1u);   // TG_ID
  EXPECT_EQ(Read(lone.wave, kHwId, 20, 12), 0u);  // VM, queue, state and ME
}

TEST(HardwareRegistersTest, StatusTellsWhetherTheGroupHasMoreWaves) {
  constexpr uint32_t kInThreadGroup = 11;
  LoneWave lone(Generation::kGfx6);
  EXPECT_EQ(Read(lone.wave, kStatus, kInThreadGroup, 1), 0u);
  lone.group.wave_count = 2;
  EXPECT_EQ(Read(lone.wave, kStatus, kInThreadGroup, 1), 1u);
}

Instruction Clock(Opcode opcode) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.dst = {OperandKind::kScalar, OperandType::U64, 0, 0, 0};
  return instruction;
}

TEST(HardwareRegistersTest, RealTimeRunsAtATenthOfTheShaderClock) {
  LoneWave lone(Generation::kGfx8);
  const auto read = [&](Opcode opcode) {
    ExecFunctionOf(opcode)(lone.wave, Clock(opcode));
    return lone.state->Pair(0);
  };
  const uint64_t time = read(Opcode::S_MEMTIME);
  const uint64_t real_time = read(Opcode::S_MEMREALTIME);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t real_passed = read(Opcode::S_MEMREALTIME) - real_time;
  const uint64_t passed = read(Opcode::S_MEMTIME) - time;
  EXPECT_GE(real_passed, 2'000'000u);        // 100 MHz
  EXPECT_GE(passed, real_passed * 10 - 10);  // was read first and last
}

TEST(HardwareRegistersTest, AtomicsOfSeveralThreadsAllCount) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  auto memory = GuestMemory::Reserve();
  ASSERT_TRUE(memory.ok());
  const auto counter = memory.value()->Allocate(8, "counter");
  ASSERT_TRUE(counter.ok());

  Instruction add;
  add.opcode = Opcode::S_ATOMIC_ADD_X2;
  add.dst = {OperandKind::kScalar, OperandType::B64, 2, 2, 0};
  add.src[0] = {OperandKind::kScalar, OperandType::B64, 0, 0, 0};
  add.has_offset = true;

  std::vector<std::thread> threads;
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&] {
      LoneWave lone(Generation::kGfx906);
      lone.dispatch.memory = memory.value().get();
      lone.state->SetPair(0, counter.value());
      lone.state->SetPair(2, 3);
      for (int round = 0; round < kRounds; ++round) {
        ExecFunctionOf(add.opcode)(lone.wave, add);
      }
      EXPECT_EQ(lone.wave.event, WaveEvent::kNone);
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t total = 0;
  std::memcpy(&total, reinterpret_cast<const void*>(counter.value()), sizeof total);
  EXPECT_EQ(total, uint64_t{3} * kThreads * kRounds);
}

}  // namespace
}  // namespace gcnjit::runtime
