// Liveness against the interpreter: random programs run twice, once with every value overwritten
// that the analysis calls dead. What is observed must be the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "encoding/row_samples.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "frontend/flow/liveness.h"
#include "hand_made.h"
#include "wave_fixture.h"

namespace gcnjit::frontend {
namespace {

using runtime::CodeSlot;
using runtime::kLanes;
using runtime::WaveEvent;
using runtime::WaveState;

constexpr int kVgprs = 8;   // what the programs use
constexpr int kSgprs = 16;  // and VCC, now and then EXEC and M0
// Registers with addresses, which nothing writes.
constexpr uint16_t kAddressPair = 16;   // s[16:17]
constexpr uint16_t kSmallOffset = 18;   // s18
constexpr uint16_t kResource = 20;      // s[20:23]
constexpr uint16_t kAddressVgprs = 30;  // v[30:31]

class RandomProgram {
 public:
  RandomProgram(Generation generation, Random& random) : generation_(generation), random_(random) {
    const size_t blocks = 2 + random_() % 6;
    plans_.resize(blocks);
    for (size_t n = 0; n < blocks; ++n) {
      for (size_t count = 2 + random_() % 10; count > 0; --count) AddInstruction(plans_[n]);
      AddTerminator(n);
    }
    SetBranchTargets();
    graph_ = GraphOf(plans_);
  }

  const ControlFlowGraph& graph() const { return graph_; }
  std::optional<CodeSlot> SlotAt(uint64_t pc) const {
    for (const CodeBlock& block : graph_.blocks) {
      for (const DecodedInstruction& at : block.instructions) {
        if (at.pc != pc) continue;
        CodeSlot slot = runtime::DecodeSlot(generation_, words_.at(at.inst().opcode));
        slot.instruction = at.inst();
        slot.vgpr_limit = {};
        slot.is_vector = at.inst().encoding >= Encoding::kVop1;
        return slot;
      }
    }
    return std::nullopt;
  }

 private:
  uint16_t Below(uint64_t n) { return static_cast<uint16_t>(random_() % n); }

  // Any executable row's sample that decodes.
  Instruction AnyInstruction() {
    for (;;) {
      const OpcodeRow& row = RowOf(static_cast<int>(random_() % kOpcodeCount));
      if (!row.ExistsOn(generation_) || row.refusal != nullptr) continue;
      if (row.Has(BRANCH) || row.Has(END) || row.Has(BARRIER) || IsExcluded(row.opcode)) continue;
      const bool is_memory = (row.flags & (LOAD | STORE | ATOMIC)) != 0;
      if (is_memory && !OneIn(random_, 4)) continue;
      // Most random resources are no image, and end the program.
      if (row.On(generation_).format == Format::kMimg && !OneIn(random_, 2)) continue;
      const auto& samples = SamplesOf(row);
      if (samples.empty()) continue;
      const encoding::Words words = samples[random_() % samples.size()];
      Instruction inst;
      (void)Decode(generation_, words, inst);
      words_[row.opcode] = words;
      return inst;
    }
  }
  // Clocks do not repeat; these mostly fault or stop.
  static bool IsExcluded(Opcode opcode) {
    switch (opcode) {
      case Opcode::S_MEMTIME:
      case Opcode::S_MEMREALTIME:
      case Opcode::S_SETHALT:
      case Opcode::S_SETKILL:
      case Opcode::S_SENDMSG:
      case Opcode::S_SENDMSGHALT:
      case Opcode::S_SLEEP:
      case Opcode::S_TRAP: return true;
      default: return false;
    }
  }
  const std::vector<encoding::Words>& SamplesOf(const OpcodeRow& row) {
    static std::map<std::pair<Generation, Opcode>, std::vector<encoding::Words>> cache;
    auto [found, is_new] = cache.try_emplace({generation_, row.opcode});
    if (is_new) {
      Instruction inst;
      for (const encoding::Words& words : encoding::RowSamples(generation_, row)) {
        const bool valid = Decode(generation_, words, inst) == DecodeStatus::kOk;
        if (valid && inst.opcode == row.opcode) found->second.push_back(words);
      }
    }
    return found->second;
  }

  static bool IsMemory(Encoding encoding) {
    return encoding >= Encoding::kDs || encoding == Encoding::kSmrd || encoding == Encoding::kSmem;
  }
  // Few registers, so that instructions meet.
  void Rename(Operand& operand, bool may_be_exec) {
    const int count = std::max(1, RegistersOf(operand.type));
    if (operand.kind == OperandKind::kVector) {
      const int registers = operand.type == OperandType::VADDR ? 2 : count;
      const int first = IsAccVgpr(operand.index) ? kFirstAccVgpr : 0;
      operand.index = static_cast<uint16_t>(
          first + Below(static_cast<uint64_t>(std::max(1, kVgprs - registers + 1))));
    } else if (operand.kind == OperandKind::kScalar) {
      const int alignment = std::min(count, 4);
      if (count == 2 && OneIn(random_, 4)) {
        operand.index = kCodeVccLo;
      } else if (count <= 2 && may_be_exec && OneIn(random_, 6)) {
        operand.index = kCodeExecLo;
      } else if (count == 1 && OneIn(random_, 10)) {
        operand.index = kCodeM0;
      } else {
        operand.index = static_cast<uint16_t>(
            Below(static_cast<uint64_t>(std::max(1, kSgprs / alignment - count / alignment + 1))) *
            alignment);
      }
    }
  }

  void AddInstruction(BlockPlan& plan) {
    if (OneIn(random_, 8)) return plan.instructions.push_back(ExecInstruction());
    Instruction inst = AnyInstruction();
    const bool implicit_vcc = inst.encoding == Encoding::kVop2 ||
                              inst.encoding == Encoding::kVopc ||
                              inst.encoding == Encoding::kSdwa || inst.encoding == Encoding::kDpp;
    for (Operand* operand :
         {&inst.dst, &inst.sdst, &inst.src[0], &inst.src[1], &inst.src[2], &inst.src[3]}) {
      if (operand->type == OperandType::M64 && implicit_vcc) continue;
      Rename(*operand, !IsMemory(inst.encoding));
    }
    if (IsMemory(inst.encoding)) {
      if (std::optional<Instruction> mask = Address(inst)) plan.instructions.push_back(*mask);
    }
    plan.instructions.push_back(inst);
  }

  // Gives a memory instruction addresses that exist; an instruction to put before it may be needed.
  std::optional<Instruction> Address(Instruction& inst) {
    switch (inst.encoding) {
      case Encoding::kSmrd:
      case Encoding::kSmem:
        if (inst.src[0].kind == OperandKind::kScalar) {
          inst.src[0].index = inst.src[0].type == OperandType::B128 ? kResource : kAddressPair;
        }
        if (inst.src[1].kind == OperandKind::kScalar) inst.src[1].index = kSmallOffset;
        return {};
      case Encoding::kMubuf:
      case Encoding::kMtbuf:
        if (inst.src[2].kind == OperandKind::kScalar) inst.src[2].index = kResource;
        if (inst.src[3].kind == OperandKind::kScalar) inst.src[3].index = kSmallOffset;
        if (inst.addr64) inst.src[0].index = kAddressVgprs + 2;
        return {};
      case Encoding::kFlat: inst.src[0].index = kAddressVgprs; return {};
      case Encoding::kGlobal:
      case Encoding::kScratch:
      case Encoding::kDs: break;
      default: return {};
    }
    if (inst.src[2].kind == OperandKind::kScalar) {
      inst.src[2].index = inst.encoding == Encoding::kGlobal ? kAddressPair : kSmallOffset;
    }
    if (inst.src[0].kind != OperandKind::kVector) return {};
    if (inst.src[0].type == OperandType::VADDR64) {
      inst.src[0].index = kAddressVgprs;
      return {};
    }
    const Instruction mask =
        Make(Opcode::V_AND_B32, Encoding::kVop2, Vector(inst.src[0].index, OperandType::B32),
             Constant(0x3F0, OperandType::B32), Vector(inst.src[0].index, OperandType::B32));
    words_[mask.opcode] = SamplesOf(mask.row()).front();
    return mask;
  }

  // The ways in which compilers change EXEC.
  Instruction ExecInstruction() {
    const Operand exec = Scalar(kCodeExecLo, OperandType::B64);
    const Operand saved = Scalar(static_cast<uint16_t>(Below(kSgprs / 2) * 2), OperandType::B64);
    Instruction inst;
    switch (random_() % 7) {
      case 0: inst = SMov64(kCodeExecLo, saved); break;
      case 1: inst = SMov64(kCodeExecLo, Constant(~uint64_t{0}, OperandType::B64)); break;
      case 2:
        inst = Make(Opcode::S_AND_SAVEEXEC_B64, Encoding::kSop1, saved,
                    Scalar(kCodeVccLo, OperandType::B64));
        break;
      case 3: inst = Make(Opcode::S_OR_SAVEEXEC_B64, Encoding::kSop1, saved, saved); break;
      case 4: inst = Make(Opcode::S_OR_B64, Encoding::kSop2, exec, exec, saved); break;
      case 5: inst = Make(Opcode::S_ANDN2_B64, Encoding::kSop2, exec, exec, saved); break;
      default: inst = Make(Opcode::S_AND_B64, Encoding::kSop2, exec, exec, saved); break;
    }
    words_[inst.opcode] = SamplesOf(inst.row()).front();
    return inst;
  }

  void AddTerminator(size_t n) {
    constexpr Opcode kBranches[] = {Opcode::S_CBRANCH_SCC0,  Opcode::S_CBRANCH_SCC1,
                                    Opcode::S_CBRANCH_VCCZ,  Opcode::S_CBRANCH_VCCNZ,
                                    Opcode::S_CBRANCH_EXECZ, Opcode::S_CBRANCH_EXECNZ};
    BlockPlan& plan = plans_[n];
    if (n + 1 == plans_.size()) {
      plan.instructions.push_back(Program(Opcode::S_ENDPGM));
    } else {
      plan.successors = {static_cast<uint32_t>(n + 1)};
      if (OneIn(random_, 3)) return;
      plan.instructions.push_back(Program(kBranches[random_() % std::size(kBranches)]));
      plan.successors.push_back(Below(plans_.size()));
    }
    const OpcodeRow& row = plan.instructions.back().row();
    words_[row.opcode] = SamplesOf(row).front();
  }

  void SetBranchTargets() {
    const ControlFlowGraph graph = GraphOf(plans_);
    for (size_t n = 0; n < plans_.size(); ++n) {
      if (plans_[n].successors.size() < 2) continue;
      const auto distance =
          static_cast<int64_t>(graph.blocks[plans_[n].successors[1]].begin - graph.blocks[n].end);
      plans_[n].instructions.back().imm = static_cast<int32_t>(distance / 4);
    }
  }

  const Generation generation_;
  Random& random_;
  std::vector<BlockPlan> plans_;
  std::map<Opcode, encoding::Words> words_;
  ControlFlowGraph graph_;
};

class ScrambleTest : public testing::TestWithParam<Generation> {
 protected:
  // Runs to the end, a fault or the limit of steps; `liveness` says what to scramble.
  struct Outcome {
    WaveEvent event = WaveEvent::kNone;
    uint64_t pc = 0;
    int steps = 0;
    std::vector<std::byte> memory;
  };

  void Address(WaveState& state) {
    state.SetPair(kAddressPair, memory_.middle());
    state.sgpr[kSmallOffset] = 64;
    state.SetPair(kResource, memory_.middle());
    state.sgpr[kResource + 2] = 0x1000;
    state.sgpr[kResource + 3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 7 << 12 | 4 << 15;
    state.SetPair(kCodeFlatScratchGfx8, memory_.arena());
    if (GetParam() == Generation::kGfx7) {
      state.SetPair(kCodeFlatScratchGfx7, 0x1000);
    } else if (GetParam() == Generation::kGfx8) {
      state.SetPair(kCodeFlatScratchGfx8, 0x1000);
    }
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t address = memory_.middle() + lane * 16;
      state.vgpr[kAddressVgprs][lane] = static_cast<uint32_t>(address);
      state.vgpr[kAddressVgprs + 1][lane] = static_cast<uint32_t>(address >> 32);
      state.vgpr[kAddressVgprs + 2][lane] = lane * 8;
      state.vgpr[kAddressVgprs + 3][lane] = 0;
    }
    state.sgpr[kCodeM0] = 0xFFFF;
    state.mode = 0x3F0;
    state.pc = kBase;
  }

  Outcome Run(const RandomProgram& program, const Liveness* liveness, WaveState& state) {
    Stepper stepper(GetParam(), memory_);
    std::unordered_map<uint64_t, LivePoint> before;
    if (liveness != nullptr) before = PointsBefore(program.graph(), *liveness);
    Outcome outcome;
    for (; outcome.steps < kMaxSteps; ++outcome.steps) {
      const std::optional<CodeSlot> slot = program.SlotAt(state.pc);
      if (!slot) break;
      if (liveness != nullptr) Scramble(before.at(state.pc), state);
      outcome.event = stepper.Step(state, *slot);
      if (outcome.event != WaveEvent::kNone) break;
    }
    outcome.pc = state.pc;
    outcome.memory = memory_.TakeChanges();
    return outcome;
  }

  static std::unordered_map<uint64_t, LivePoint> PointsBefore(const ControlFlowGraph& graph,
                                                              const Liveness& liveness) {
    std::unordered_map<uint64_t, LivePoint> points;
    for (uint32_t n = 0; n < graph.blocks.size(); ++n) {
      const auto& instructions = graph.blocks[n].instructions;
      const std::vector<LivePoint> after = PointsOf(liveness, n);
      for (size_t i = 0; i < instructions.size(); ++i) {
        points[instructions[i].pc] = i == 0 ? liveness.AtBegin(n) : after[i - 1];
      }
    }
    return points;
  }

  // Whatever the programs name is among the first 64, but for indexed registers.
  static std::array<size_t, 128> NamedVgprs() {
    std::array<size_t, 128> numbers;
    for (size_t n = 0; n < 64; ++n) {
      numbers[n] = n;
      numbers[64 + n] = kFirstAccVgpr + n;
    }
    return numbers;
  }

  void Scramble(const LivePoint& point, WaveState& state) {
    const uint64_t exec = state.exec();
    for (size_t n = 0; n < 128; ++n) {
      if (!point.live.sgprs[n]) state.sgpr[n] = pool_.Next(random_);
    }
    if (!point.live.scc) state.scc = random_() & 1;
    for (const size_t n : NamedVgprs()) {
      ASSERT_TRUE(point.live.vgprs[n] || !point.wide[n]);
      if (point.wide[n]) continue;
      uint32_t changed[kLanes];
      pool_.Fill(random_, changed, kLanes);
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool active = ((exec >> lane) & 1) != 0;
        if (!point.live.vgprs[n] || !active) {
          state.vgpr[n][lane] = changed[lane];
          ++scrambled_lanes_;
        }
      }
    }
  }

  // At the end of the program, what was asked for is as it would have been.
  void Compare(const LiveAtEnd& at_end, const WaveState& expected, const WaveState& actual) {
    for (size_t n = 0; n < 128; ++n) {
      if (!at_end.live.sgprs[n]) continue;
      ASSERT_EQ(actual.sgpr[n], expected.sgpr[n]) << "code " << n;
    }
    ASSERT_EQ(at_end.live.scc && actual.scc, at_end.live.scc && expected.scc);
    const uint64_t exec = expected.exec();
    for (const size_t n : NamedVgprs()) {
      if (!at_end.live.vgprs[n]) continue;
      for (int lane = 0; lane < kLanes; ++lane) {
        if (!at_end.wide[n] && ((exec >> lane) & 1) == 0) continue;
        ASSERT_EQ(actual.vgpr[n][lane], expected.vgpr[n][lane]) << "v" << n << " lane " << lane;
      }
    }
  }

  static std::string Listing(const ControlFlowGraph& graph, Generation generation) {
    std::string text;
    for (const CodeBlock& block : graph.blocks) {
      for (const DecodedInstruction& at : block.instructions) {
        text += std::to_string(at.pc - kBase) + ": " + Disassemble(generation, at.inst()) + "\n";
      }
      text += "--\n";
    }
    return text;
  }

  static constexpr int kMaxSteps = 200;
  TestMemory memory_;
  DwordPool pool_;
  Random random_{0x11FE};
  uint64_t scrambled_lanes_ = 0;
};

TEST_P(ScrambleTest, DeadValuesDoNotMatter) {
  const char* dose = std::getenv("GCNJIT_LIVENESS_DOSE");
  const int programs = 1500 * (dose == nullptr ? 1 : std::max(1, std::atoi(dose)));
  auto initial = std::make_unique<WaveState>();
  auto expected = std::make_unique<WaveState>();
  auto actual = std::make_unique<WaveState>();
  const size_t registers = NamedVectorRegisters(GetParam());
  int ended = 0;
  for (int round = 0; round < programs; ++round) {
    const RandomProgram program(GetParam(), random_);
    LiveAtEnd at_end;
    if (round % 2 == 0) {
      for (size_t n = 0; n < kVgprs; ++n) {
        at_end.live.vgprs[n] = OneIn(random_, 2);
        at_end.wide[n] = at_end.live.vgprs[n] && OneIn(random_, 2);
      }
      for (size_t n = 0; n < kSgprs; ++n) at_end.live.sgprs[n] = OneIn(random_, 2);
      at_end.live.AddSgprs(kCodeExecLo, 2);  // says which lanes are meant
      at_end.live.scc = OneIn(random_, 2);
    }
    const Liveness liveness(program.graph(), GetParam(), at_end);

    FillState(pool_, random_, registers, *initial);
    Address(*initial);
    CopyState(*initial, registers, *expected);
    CopyState(*initial, registers, *actual);
    const Outcome plain = Run(program, nullptr, *expected);
    const Outcome scrambled = Run(program, &liveness, *actual);
    EXPECT_EQ(scrambled.steps, plain.steps);
    EXPECT_EQ(scrambled.pc, plain.pc);
    EXPECT_EQ(scrambled.event, plain.event);
    EXPECT_TRUE(scrambled.memory == plain.memory);
    if (plain.event == WaveEvent::kEnd) {
      ++ended;
      Compare(at_end, *expected, *actual);
    }
    if (HasFailure()) {
      FAIL() << TargetName(GetParam()) << " program " << round << "\n"
             << Listing(program.graph(), GetParam());
    }
  }
  std::cout << TargetName(GetParam()) << ": " << programs << " programs, " << ended
            << " ran to the end, " << scrambled_lanes_ << " lanes overwritten\n";
  EXPECT_GT(ended, programs / 6);  // the others fault, or loop for ever
}

INSTANTIATE_TEST_SUITE_P(Targets, ScrambleTest, testing::ValuesIn(kGenerations),
                         [](const auto& info) { return std::string(TargetName(info.param)); });

}  // namespace
}  // namespace gcnjit::frontend
