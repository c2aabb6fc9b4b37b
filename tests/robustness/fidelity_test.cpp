// Statistics::instructions: what is counted, and what is said of it.
#include "runtime/interpreter/fidelity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "frontend/arith/accuracy.h"
#include "gcnjit/device.h"
#include "robustness/frame.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using frontend::Opcode;

TEST(FidelityTest, ApproximateFunctionsAreThoseWithABound) {
  int bounds = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const frontend::OpcodeRow& row = frontend::RowOf(n);
    const std::string id = row.id;
    bool is_approximate = false;
    for (const char* prefix :
         {"V_EXP_", "V_LOG_", "V_RCP_", "V_RSQ_", "V_SQRT_", "V_SIN_", "V_COS_"}) {
      is_approximate |= id.starts_with(prefix);
    }
    const auto* accuracy = frontend::arith::AccuracyOf(row.opcode);
    EXPECT_EQ(accuracy != nullptr, is_approximate) << id;
    if (accuracy == nullptr) continue;
    ++bounds;
    EXPECT_GE(accuracy->ulp, 0.5) << id;
    const InstructionCount count = runtime::FidelityOf(row.opcode);
    EXPECT_EQ(count.fidelity, Fidelity::kApproximate) << id;
    EXPECT_EQ(count.ulp, accuracy->ulp) << id;
    EXPECT_FALSE(count.note.empty()) << id;
  }
  EXPECT_EQ(bounds, 27);
}

// A hint changes nothing but, perhaps, whose turn it is.
TEST(FidelityTest, HintsChangeNothing) {
  const auto state = std::make_unique<runtime::WaveState>();
  const auto before = std::make_unique<runtime::WaveState>();
  auto* bytes = reinterpret_cast<unsigned char*>(state->sgpr);
  std::iota(bytes, bytes + sizeof state->sgpr, static_cast<unsigned char>(1));
  for (auto& registers : state->vgpr) std::memset(registers, 0x5A, sizeof registers);
  state->mode = 0x3C0;
  runtime::WorkgroupState group;
  runtime::DispatchState dispatch;
  int hints = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const auto opcode = static_cast<Opcode>(n);
    const InstructionCount count = runtime::FidelityOf(opcode);
    if (count.fidelity == Fidelity::kUnsupported) {
      EXPECT_EQ(runtime::ExecFunctionOf(opcode), nullptr);
      EXPECT_FALSE(count.note.empty());
    }
    if (count.fidelity != Fidelity::kHint) continue;
    ++hints;
    SCOPED_TRACE(frontend::RowOf(n).id);
    *before = *state;
    runtime::Wave wave{*state, group, dispatch};
    runtime::Instruction instruction{};
    instruction.opcode = opcode;
    instruction.imm = 1;  // of s_sendmsg: the interrupt
    wave.next_pc = 1234;
    runtime::ExecFunctionOf(opcode)(wave, instruction);
    EXPECT_EQ(std::memcmp(before->sgpr, state->sgpr, sizeof state->sgpr), 0);
    EXPECT_EQ(std::memcmp(before->vgpr, state->vgpr, sizeof state->vgpr), 0);
    EXPECT_EQ(before->scc, state->scc);
    EXPECT_EQ(before->mode, state->mode);
    EXPECT_EQ(wave.next_pc, 1234u);
    EXPECT_TRUE(wave.event == runtime::WaveEvent::kNone ||
                wave.event == runtime::WaveEvent::kYield);
    EXPECT_FALSE(count.note.empty());
  }
  EXPECT_EQ(hints, 31);
}

// Of which one source alone says what hardware does.
TEST(FidelityTest, ModelledAreHalvesOfMatricesAndSumsOfDoublesInMemory) {
  const auto is_modelled = [](Opcode opcode) {
    const InstructionCount count = runtime::FidelityOf(opcode);
    EXPECT_NE(count.fidelity == Fidelity::kModelled, count.note.empty());
    return count.fidelity == Fidelity::kModelled;
  };
  EXPECT_TRUE(is_modelled(Opcode::V_MFMA_F32_16X16X16F16));
  EXPECT_TRUE(is_modelled(Opcode::V_MFMA_F32_32X32X4BF16));
  EXPECT_TRUE(is_modelled(Opcode::V_MFMA_F32_32X32X8BF16_1K));
  EXPECT_TRUE(is_modelled(Opcode::FLAT_ATOMIC_ADD_F64));
  EXPECT_TRUE(is_modelled(Opcode::IMAGE_SAMPLE));
  EXPECT_TRUE(is_modelled(Opcode::IMAGE_SAMPLE_C_L));
  EXPECT_FALSE(is_modelled(Opcode::IMAGE_LOAD_MIP));
  EXPECT_FALSE(is_modelled(Opcode::IMAGE_GATHER4));
  EXPECT_FALSE(is_modelled(Opcode::V_MFMA_F32_16X16X4F32));
  EXPECT_FALSE(is_modelled(Opcode::V_MFMA_F64_16X16X4F64));
  EXPECT_FALSE(is_modelled(Opcode::V_MFMA_I32_16X16X16I8));
  EXPECT_FALSE(is_modelled(Opcode::DS_ADD_F64));
}

std::map<std::string, InstructionCount> Count(Generation g, const std::vector<std::string>& lines,
                                              unsigned threads, LaunchResult* result) {
  Device device = *Device::Create();
  const auto program = Program::Load(device, FrameFile(g, AssembleProgram(g, lines)));
  LaunchConfig config;
  config.global.x = 64 * 40;
  config.local.x = 64;
  config.threads = threads;
  config.count_instructions = true;
  *result = *Launch(device, *program, "frame", config, Arguments().Value(FrameArguments{}));
  std::map<std::string, InstructionCount> counts;
  uint64_t last = ~uint64_t{0};
  for (const InstructionCount& count : result->statistics.instructions) {
    EXPECT_LE(count.executed, last) << "sorted";
    last = count.executed;
    counts.emplace(count.mnemonic, count);
  }
  return counts;
}

TEST(FidelityTest, CountsEveryInstructionOfEveryWave) {
  for (const Generation g : frontend::kGenerations) {
    for (const unsigned threads : {1u, 4u}) {
      LaunchResult result;
      const auto counts =
          Count(g,
                {"s_mov_b32 s20, 5", "v_exp_f32_e32 v1, v0", "s_sub_u32 s20, s20, 1",
                 "s_cmp_lg_u32 s20, 0", "s_cbranch_scc1 0xfffc", "s_waitcnt 0",
                 "s_memtime s[20:21]", "s_endpgm"},
                threads, &result);
      EXPECT_EQ(result.status, LaunchStatus::kDone);
      EXPECT_EQ(counts.at("v_exp_f32").executed, 40u * 5);
      EXPECT_EQ(counts.at("v_exp_f32").fidelity, Fidelity::kApproximate);
      EXPECT_EQ(counts.at("s_mov_b32").executed, 40u);
      EXPECT_EQ(counts.at("s_mov_b32").fidelity, Fidelity::kExact);
      EXPECT_EQ(counts.at("s_cbranch_scc1").executed, 40u * 5);
      EXPECT_EQ(counts.at("s_waitcnt").fidelity, Fidelity::kHint);
      EXPECT_EQ(counts.at("s_memtime").fidelity, Fidelity::kHostDefined);
      uint64_t all = 0;
      for (const auto& [mnemonic, count] : counts) all += count.executed;
      EXPECT_EQ(all, result.statistics.wave_instructions);
    }
  }
}

TEST(FidelityTest, NamesTheInstructionThatIsNotSupported) {
  LaunchResult result;
  const auto counts =
      Count(Generation::kGfx900, {"s_nop 0", "exp mrt0 v0, v0, v0, v0 done vm"}, 1, &result);
  ASSERT_EQ(result.status, LaunchStatus::kFault);
  EXPECT_EQ(counts.at("exp").fidelity, Fidelity::kUnsupported);
  EXPECT_EQ(counts.at("exp").executed, 1u);
}

TEST(FidelityTest, NothingIsCountedUnlessAsked) {
  Device device = *Device::Create();
  const auto program = Program::Load(
      device, FrameFile(Generation::kGfx900, AssembleProgram(Generation::kGfx900, {"s_endpgm"})));
  LaunchConfig config;
  const auto result =
      Launch(device, *program, "frame", config, Arguments().Value(FrameArguments{}));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->statistics.instructions.empty());
}

}  // namespace
}  // namespace gcnjit::robustness
