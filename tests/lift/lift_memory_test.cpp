// Memory instructions on states that the sweep does not make: resources of all kinds (swizzled,
// partly out of range, misaligned), LDS at its limits, addresses that are the same for all lanes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "encoding/skeleton.h"
#include "frontend/disassemble/disassembler.h"
#include "lift/lift_machine.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Encoding;
using frontend::Generation;
using frontend::Instruction;
using frontend::OneIn;
using frontend::Operand;
using frontend::OperandKind;
using frontend::Random;
using frontend::TestMemory;
using runtime::CodeSlot;
using runtime::kLanes;
using runtime::WaveState;

constexpr int kMaxMemoryReports = 20;
constexpr int kAddressSgpr = 60;  // no sample names it

uint32_t Below(Random& random, uint32_t end) { return static_cast<uint32_t>(random() % end); }

bool IsAtomic(const Instruction& i) { return i.row().Has(frontend::ATOMIC); }

void PrepareLds(const Instruction& i, Random& random, WaveState& state) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    uint32_t address = Below(random, TestMemory::kLdsBytes + 64);
    if (IsAtomic(i) && !OneIn(random, 2000)) address &= ~7u;
    if (OneIn(random, 10)) address = 0u - Below(random, 0x1000) * 8;
    if (OneIn(random, 4)) address = lane * 8;
    if (i.src[0].kind == OperandKind::kVector) state.vgpr[i.src[0].index][lane] = address;
  }
  state.sgpr[frontend::kCodeM0] = OneIn(random, 2) ? ~0u : Below(random, 0x8800);
}

void PrepareBuffer(const Instruction& i, Generation generation, Random& random, TestMemory& memory,
                   WaveState& state) {
  const bool misaligned = !IsAtomic(i) && OneIn(random, 3);
  const auto small = [&](uint32_t end) { return Below(random, end) & (misaligned ? ~0u : ~7u); };
  constexpr uint32_t kStrides[] = {0, 0, 4, 8, 12, 16, 64, 100};
  constexpr uint32_t kRecords[] = {0, 1, 7, 16, 40, 64, 200, 600, 5000, 0x10000, ~0u - 3};
  const uint64_t base = memory.middle() + small(64);
  uint32_t* resource = &state.sgpr[i.src[2].index];
  resource[0] = static_cast<uint32_t>(base);
  resource[1] =
      static_cast<uint32_t>(base >> 32) | kStrides[Below(random, 8)] << 16 | Below(random, 2) << 31;
  resource[2] = kRecords[Below(random, 11)] + Below(random, 4);
  resource[3] = static_cast<uint32_t>(random());
  if (!OneIn(random, 4)) resource[3] |= 1u << 15;  // a data format
  // Of ADD_TID_ENABLE on gfx8-9 it is a part of the stride: seldom so large.
  const bool extends_stride = IsGfx8Plus(generation) && (resource[3] >> 23 & 1) != 0;
  if (extends_stride && !OneIn(random, 4)) resource[3] &= ~(0xFu << 15);
  if (i.src[3].kind == OperandKind::kScalar) state.sgpr[i.src[3].index] = small(64);
  if (i.src[0].kind != OperandKind::kVector) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    int reg = i.src[0].index;
    if (i.addr64) {
      state.vgpr[reg][lane] = small(4096);
      state.vgpr[reg + 1][lane] = OneIn(random, 2) ? 0x7FFF0000 : 0;  // the sum has 48 bits
      continue;
    }
    if (i.idxen) {
      uint32_t& index = state.vgpr[reg++][lane];
      index = Below(random, 20);
      if (OneIn(random, 600)) index = ~0u - Below(random, 50);
    }
    if (i.offen) {
      uint32_t& offset = state.vgpr[reg][lane];
      offset = small(OneIn(random, 3) ? 256 : 32);
      if (OneIn(random, 600)) offset = 0u - Below(random, 300);
    }
  }
}

// v_mov_b32 of an SGPR, or of a literal, to the instruction's address.
CodeSlot UniformAddress(Generation generation, const Operand& address, Random& random) {
  const frontend::OpcodeNumber number = RowOf(frontend::Opcode::V_MOV_B32).On(generation);
  uint32_t words[2] = {encoding::SkeletonOf(generation, number.format, number.number).bits,
                       Below(random, 300)};
  encoding::SetField(words[0], 17, 8, address.index);
  encoding::SetField(words[0], 0, 9, OneIn(random, 2) ? kAddressSgpr : frontend::kCodeLiteral);
  return runtime::DecodeSlot(generation, words);
}

class LiftMemory : public testing::TestWithParam<Generation> {
 protected:
  // All rows of the encoding, each sample on a number of states.
  void Run(Encoding encoding, bool uniform, int states) {
    LiftMachine machine(GetParam());
    int reports = 0;
    for (int n = 0; n < frontend::kOpcodeCount; ++n) {
      const frontend::OpcodeRow& row = frontend::RowOf(n);
      if (!IsLifted(GetParam(), row)) continue;
      for (const CodeSlot& slot : DecodedSamples(GetParam(), row)) {
        const Instruction& i = slot.instruction;
        const bool has_address = i.src[0].kind == OperandKind::kVector;
        if (i.encoding != encoding || (uniform && !has_address)) continue;
        for (int state = 0; state < states && reports < kMaxMemoryReports; ++state) {
          reports += Compare(machine, slot, uniform) ? 0 : 1;
        }
      }
    }
    const LiftMachine::Counts& counts = machine.counts();
    EXPECT_GT(counts.executed - counts.faulted, 800);
  }

 private:
  bool Compare(LiftMachine& machine, const CodeSlot& slot, bool uniform) {
    const Instruction& i = slot.instruction;
    machine.SetStateHook([&i](Random& random, TestMemory& memory, WaveState& state) {
      if (i.encoding == Encoding::kDs) PrepareLds(i, random, state);
      if (i.encoding == Encoding::kMubuf && i.src[2].kind == OperandKind::kScalar) {
        PrepareBuffer(i, GetParam(), random, memory, state);
      }
      if (i.src[0].kind == OperandKind::kVector) {
        state.sgpr[kAddressSgpr] = state.vgpr[i.src[0].index][0];
      }
    });
    std::vector<CodeSlot> block;
    if (uniform) block.push_back(UniformAddress(GetParam(), i.src[0], machine.random()));
    block.push_back(slot);
    std::string refusal;
    const std::string difference = machine.Compare(block, refusal);
    if (difference.empty()) return true;
    ADD_FAILURE() << fmt::format("{}: {}\n  {}", frontend::Disassemble(GetParam(), i), difference,
                                 machine.InitialState(i));
    return false;
  }
};

TEST_P(LiftMemory, Buffers) { Run(Encoding::kMubuf, false, 3); }
TEST_P(LiftMemory, BuffersAtOneAddress) { Run(Encoding::kMubuf, true, 12); }
TEST_P(LiftMemory, Lds) { Run(Encoding::kDs, false, 3); }
TEST_P(LiftMemory, LdsAtOneAddress) { Run(Encoding::kDs, true, 2); }

// Lanes of a buffer of which the last one is out of range in part: what a lane moves at once does
// not depend on others. Words as llvm-mc -mcpu=gfx900 encodes them.
struct WholeLanes {
  const char* name;
  uint32_t bytes;
  uint32_t words[2];  // v[8:11], v2, s[4:7], 0 offen
};

class LiftWholeLanes : public testing::TestWithParam<WholeLanes> {};

TEST_P(LiftWholeLanes, AreAccessedAtOnce) {
  const uint32_t bytes = GetParam().bytes;
  TestMemory memory;
  const auto state = std::make_unique<WaveState>();
  state->vgpr_count = state->acc_vgpr_count = runtime::kMaxVgprs;
  state->SetPair(frontend::kCodeExecLo, ~uint64_t{0});
  state->SetPair(4, memory.middle());
  state->sgpr[6] = bytes * kLanes - 4;
  state->sgpr[7] = 1 << 15;  // a data format
  for (uint32_t lane = 0; lane < kLanes; ++lane) state->vgpr[2][lane] = lane * bytes;
  runtime::DispatchState dispatch;
  dispatch.memory = memory.guest();
  runtime::WorkgroupState group;
  runtime::Wave wave{*state, group, dispatch};
  std::map<uint64_t, std::vector<uint32_t>> accesses;  // bytes
  LiftOptions options;
  options.on_access = [&](uint64_t address, uint32_t size) {
    accesses[(address - memory.middle()) / bytes].push_back(size);
  };
  // s_mov_b32 s5, and what it holds already: that the buffer is not swizzled is known then.
  const uint32_t move[] = {0xBE8500FF, state->sgpr[5]};
  const CodeSlot block[] = {runtime::DecodeSlot(Generation::kGfx900, move),
                            runtime::DecodeSlot(Generation::kGfx900, GetParam().words)};
  ASSERT_EQ(RunLifted(wave, block, options), "");
  ASSERT_EQ(accesses.size(), size_t{kLanes});
  const std::vector<uint32_t> whole = {bytes};
  const std::vector<uint32_t> apart(bytes / 4 - 1, 4);
  for (const auto& [lane, sizes] : accesses) EXPECT_EQ(sizes, lane + 1 < kLanes ? whole : apart);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftWholeLanes,
                         testing::Values(WholeLanes{"load_x2", 8, {0xE0541000, 0x80010802}},
                                         WholeLanes{"load_x3", 12, {0xE0581000, 0x80010802}},
                                         WholeLanes{"load_x4", 16, {0xE05C1000, 0x80010802}},
                                         WholeLanes{"store_x2", 8, {0xE0741000, 0x80010802}},
                                         WholeLanes{"store_x3", 12, {0xE0781000, 0x80010802}},
                                         WholeLanes{"store_x4", 16, {0xE07C1000, 0x80010802}}),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Lift, LiftMemory, testing::ValuesIn(frontend::kGenerations),
                         [](const testing::TestParamInfo<Generation>& info) {
                           return frontend::TargetName(info.param);
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
