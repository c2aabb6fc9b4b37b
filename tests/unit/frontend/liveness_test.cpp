// Liveness: small graphs whose result is known, and random programs that run twice in the
// interpreter, once with every value overwritten that the analysis calls dead.
#include "frontend/liveness.h"

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string>

#include "encoding/row_samples.h"
#include "frontend/decoder.h"
#include "frontend/disassembler.h"
#include "wave_fixture.h"

namespace gcnjit::frontend {
namespace {

using runtime::CodeSlot;
using runtime::kLanes;
using runtime::WaveEvent;
using runtime::WaveState;

constexpr uint64_t kBase = 0x10000;
constexpr int kVgprs = 8;   // what the programs use
constexpr int kSgprs = 16;  // and VCC, now and then EXEC and M0
// Registers with addresses, which nothing writes.
constexpr uint16_t kAddressPair = 16;   // s[16:17]
constexpr uint16_t kSmallOffset = 18;   // s18
constexpr uint16_t kResource = 20;      // s[20:23]
constexpr uint16_t kAddressVgprs = 30;  // v[30:31]

Operand Scalar(uint16_t index, OperandType type) {
  return {OperandKind::kScalar, type, index, index, 0};
}
Operand Vector(uint16_t index, OperandType type) {
  return {OperandKind::kVector, type, index, static_cast<uint16_t>(kCodeFirstVgpr + index), 0};
}
Operand Constant(uint64_t value, OperandType type) {
  return {OperandKind::kConstant, type, 0, 128, value};
}

Instruction Make(Opcode opcode, Encoding encoding, Operand dst, Operand src0 = {},
                 Operand src1 = {}) {
  Instruction inst;
  inst.opcode = opcode;
  inst.encoding = encoding;
  inst.dst = dst;
  inst.src[0] = src0;
  inst.src[1] = src1;
  return inst;
}
Instruction VMov(uint16_t to, Operand from) {
  return Make(Opcode::V_MOV_B32, Encoding::kVop1, Vector(to, OperandType::B32), from);
}
Instruction VMov(uint16_t to, uint16_t from) { return VMov(to, Vector(from, OperandType::B32)); }
Instruction SMov64(uint16_t to, Operand from) {
  return Make(Opcode::S_MOV_B64, Encoding::kSop1, Scalar(to, OperandType::B64), from);
}
Instruction Program(Opcode opcode, int imm = 0) {
  Instruction inst;
  inst.opcode = opcode;
  inst.encoding = Encoding::kSopp;
  inst.imm = imm;
  return inst;
}
const Instruction kRestoreExec = SMov64(kCodeExecLo, Scalar(4, OperandType::B64));
const Instruction kNarrowExec = Make(Opcode::S_AND_SAVEEXEC_B64, Encoding::kSop1,
                                     Scalar(4, OperandType::B64), Scalar(6, OperandType::B64));
const Instruction kEnd = Program(Opcode::S_ENDPGM);

// Blocks in program order, each with its successors.
struct BlockPlan {
  std::vector<Instruction> instructions;
  std::vector<uint32_t> successors;
};
ControlFlowGraph GraphOf(const std::vector<BlockPlan>& plans) {
  ControlFlowGraph graph;
  uint64_t pc = kBase;
  for (const BlockPlan& plan : plans) {
    CodeBlock block;
    block.begin = pc;
    for (const Instruction& inst : plan.instructions) {
      block.instructions.push_back({pc, inst});
      pc += inst.size;
    }
    block.end = pc;
    block.successors = plan.successors;
    const OpcodeRow& last = plan.instructions.back().row();
    block.ends_program = last.Has(END);
    block.leaves = last.opcode == Opcode::S_SETPC_B64;
    graph.by_pc.emplace(block.begin, static_cast<uint32_t>(graph.blocks.size()));
    graph.blocks.push_back(block);
  }
  return graph;
}

constexpr Generation kGeneration = Generation::kGfx900;

// The points after the instructions of a program of one block.
std::vector<LivePoint> PointsOf(const std::vector<Instruction>& instructions,
                                const LiveAtEnd& at_end = {}) {
  const ControlFlowGraph graph = GraphOf({{instructions, {}}});
  return Liveness(graph, kGeneration, at_end).AfterEach(0);
}

TEST(LivenessTest, WriteUnderOneExecIsNotWide) {
  // v1 is written and read under the same EXEC.
  const auto points = PointsOf({VMov(1, 2), VMov(3, 1), kEnd});
  EXPECT_TRUE(points[0].live.vgprs[1]);
  EXPECT_FALSE(points[0].wide[1]);
  EXPECT_FALSE(points[1].live.vgprs[1]);
  EXPECT_FALSE(points[1].live.vgprs[3]);
}

TEST(LivenessTest, GrowingExecMakesWide) {
  const auto points = PointsOf({VMov(1, 2), kRestoreExec, VMov(3, 1), kEnd});
  EXPECT_TRUE(points[0].wide[1]);
  EXPECT_TRUE(points[1].live.vgprs[1]);
  EXPECT_FALSE(points[1].wide[1]);
  EXPECT_TRUE(points[0].live.sgprs[4]);
  EXPECT_TRUE(points[0].live.sgprs[5]);
  EXPECT_FALSE(points[1].live.sgprs[4]);
}

TEST(LivenessTest, NarrowingExecDoesNotMakeWide) {
  const auto points = PointsOf({VMov(1, 2), kNarrowExec, VMov(3, 1), kEnd});
  EXPECT_TRUE(points[0].live.vgprs[1]);
  EXPECT_FALSE(points[0].wide[1]);
}

TEST(LivenessTest, WriteUnderNarrowedExecKeepsTheOthersLive) {
  // if (...) v1 = v2; the value of before is used in the lanes that did not take the branch.
  const auto points =
      PointsOf({VMov(1, 5), kNarrowExec, VMov(1, 2), kRestoreExec, VMov(3, 1), kEnd});
  EXPECT_TRUE(points[2].wide[1]);
  EXPECT_TRUE(points[1].live.vgprs[1]);
  EXPECT_TRUE(points[1].wide[1]);  // lanes inactive before the branch may be active after it
  EXPECT_TRUE(points[0].wide[1]);
}

TEST(LivenessTest, ReadsOfAnyLaneAreWide) {
  const Instruction read_lane =
      Make(Opcode::V_READLANE_B32, Encoding::kVop3a, Scalar(0, OperandType::S32),
           Vector(1, OperandType::B32), Constant(3, OperandType::S32));
  const auto points = PointsOf({VMov(1, 2), read_lane, kEnd});
  EXPECT_TRUE(points[0].wide[1]);
}

TEST(LivenessTest, WriteLaneKillsNothingAndKeepsNothingAlive) {
  Instruction write_lane =
      Make(Opcode::V_WRITELANE_B32, Encoding::kVop3a, Vector(1, OperandType::B32),
           Scalar(2, OperandType::S32), Constant(3, OperandType::S32));
  const auto used = PointsOf({VMov(1, 2), write_lane, VMov(3, 1), kEnd});
  EXPECT_TRUE(used[0].live.vgprs[1]);
  EXPECT_FALSE(used[0].wide[1]);
  const auto unused = PointsOf({VMov(1, 2), write_lane, kEnd});
  EXPECT_FALSE(unused[0].live.vgprs[1]);
}

TEST(LivenessTest, PartialWritesReadTheRest) {
  Instruction preserve = VMov(1, 2);
  preserve.encoding = Encoding::kSdwa;
  preserve.sdwa.dst_sel = SdwaSelect::kWord1;
  preserve.sdwa.dst_unused = SdwaUnused::kPreserve;
  EXPECT_TRUE(PointsOf({VMov(1, 4), preserve, VMov(3, 1), kEnd})[0].live.vgprs[1]);
  preserve.sdwa.dst_unused = SdwaUnused::kPad;
  EXPECT_FALSE(PointsOf({VMov(1, 4), preserve, VMov(3, 1), kEnd})[0].live.vgprs[1]);
}

TEST(LivenessTest, EndOfProgramIsTheCallers) {
  LiveAtEnd at_end;
  at_end.live.vgprs[1] = at_end.live.vgprs[2] = true;
  at_end.live.scc = true;
  at_end.wide[2] = true;
  const auto points = PointsOf({VMov(1, 3), VMov(2, 3), kEnd}, at_end);
  EXPECT_EQ(points[2].live, at_end.live);
  EXPECT_EQ(points[2].wide, at_end.wide);
  EXPECT_FALSE(points[0].live.vgprs[2] && !points[0].wide[2]);
  EXPECT_TRUE(points[0].live.vgprs[1]);
  EXPECT_FALSE(points[0].wide[1]);
}

TEST(LivenessTest, EverythingIsLiveWhereCodeIsLeft) {
  Instruction set_pc = Make(Opcode::S_SETPC_B64, Encoding::kSop1, {}, Scalar(0, OperandType::B64));
  const auto points = PointsOf({VMov(1, 2), set_pc});
  EXPECT_EQ(points[1].live, RegisterSet::All());
  EXPECT_TRUE(points[1].wide.all());
  EXPECT_TRUE(points[0].wide[1]);
}

TEST(LivenessTest, Loop) {
  // v1 is carried around the loop, v2 is read in it, v3 is written in it before it is read.
  const Instruction branch = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph = GraphOf(
      {{{VMov(1, 4), VMov(2, 4)}, {1}}, {{VMov(3, 2), VMov(1, 3), branch}, {2, 1}}, {{kEnd}, {}}});
  LiveAtEnd at_end;
  at_end.live.vgprs[1] = true;
  const Liveness liveness(graph, kGeneration, at_end);
  EXPECT_TRUE(liveness.AtBegin(1).live.vgprs[2]);
  EXPECT_FALSE(liveness.AtBegin(1).live.vgprs[1]);
  EXPECT_FALSE(liveness.AtBegin(1).live.vgprs[3]);
  EXPECT_TRUE(liveness.AtEnd(1).live.vgprs[2]);
  EXPECT_TRUE(liveness.AtEnd(1).live.vgprs[1]);
  EXPECT_TRUE(liveness.AtEnd(1).live.scc);
  EXPECT_TRUE(liveness.AtEnd(0).live.sgprs[kCodeExecLo]);
  EXPECT_FALSE(liveness.AtEnd(2).live.sgprs[kCodeExecLo]);
}

TEST(LivenessTest, ExecGrowsInALoop) {
  const Instruction branch = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph =
      GraphOf({{{VMov(1, 4)}, {1}}, {{VMov(3, 1), kRestoreExec, branch}, {2, 1}}, {{kEnd}, {}}});
  const Liveness liveness(graph, kGeneration, {});
  EXPECT_TRUE(liveness.AtEnd(0).wide[1]);
}

TEST(LivenessTest, IndexedRegistersKillNothing) {
  Instruction index_on =
      Make(Opcode::S_SET_GPR_IDX_ON, Encoding::kSopc, {}, Scalar(0, OperandType::B32));
  const Instruction index_off = Program(Opcode::S_SET_GPR_IDX_OFF);
  const auto indexed = PointsOf({index_on, VMov(1, 2), index_off, VMov(3, 1), kEnd});
  EXPECT_TRUE(indexed[0].live.vgprs[1]);
  EXPECT_TRUE(indexed[0].live.vgprs[200]);
  EXPECT_TRUE(indexed[0].live.sgprs[kCodeM0]);
  const auto plain = PointsOf({index_on, index_off, VMov(1, 2), VMov(3, 1), kEnd});
  EXPECT_FALSE(plain[1].live.vgprs[1]);
  LiveAtEnd any_mode;
  any_mode.any_mode_at_entry = true;
  EXPECT_TRUE(PointsOf({kEnd, VMov(1, 2), VMov(3, 1), kEnd}, any_mode)[0].live.vgprs[200]);
}

// ---- Random programs

class RandomProgram {
 public:
  RandomProgram(Generation generation, Random& random) : generation_(generation), random_(random) {
    const size_t blocks = 2 + random_() % 6;
    plans_.resize(blocks);
    for (size_t n = 0; n < blocks; ++n) {
      for (size_t count = 2 + random_() % 10; count > 0; --count) AddInstruction(plans_[n]);
      AddTerminator(n);
    }
    graph_ = GraphOf(plans_);
    SetBranchTargets();
  }

  const ControlFlowGraph& graph() const { return graph_; }
  std::optional<CodeSlot> SlotAt(uint64_t pc) const {
    for (const CodeBlock& block : graph_.blocks) {
      for (const DecodedInstruction& at : block.instructions) {
        if (at.pc != pc) continue;
        CodeSlot slot = runtime::DecodeSlot(generation_, words_.at(at.inst.opcode));
        slot.instruction = at.inst;
        slot.vgpr_limit = 0;
        slot.is_vector = at.inst.encoding >= Encoding::kVop1;
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
      operand.index = Below(static_cast<uint64_t>(std::max(1, kVgprs - registers + 1)));
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
    for (CodeBlock& block : graph_.blocks) {
      if (block.successors.size() < 2) continue;
      const auto distance =
          static_cast<int64_t>(graph_.blocks[block.successors[1]].begin - block.end);
      block.instructions.back().inst.imm = static_cast<int32_t>(distance / 4);
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
    state.mode = 0x3C0;
    state.pc = kBase;
  }

  Outcome Run(const RandomProgram& program, const Liveness* liveness, WaveState& state) {
    memory_.Reset();
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
    outcome.memory = memory_.Contents();
    return outcome;
  }

  static std::unordered_map<uint64_t, LivePoint> PointsBefore(const ControlFlowGraph& graph,
                                                              const Liveness& liveness) {
    std::unordered_map<uint64_t, LivePoint> points;
    for (uint32_t n = 0; n < graph.blocks.size(); ++n) {
      const auto& instructions = graph.blocks[n].instructions;
      const std::vector<LivePoint> after = liveness.AfterEach(n);
      for (size_t i = 0; i < instructions.size(); ++i) {
        points[instructions[i].pc] = i == 0 ? liveness.AtBegin(n) : after[i - 1];
      }
    }
    return points;
  }

  void Scramble(const LivePoint& point, WaveState& state) {
    const uint64_t exec = state.exec();
    for (size_t n = 0; n < 128; ++n) {
      if (!point.live.sgprs[n]) state.sgpr[n] = pool_.Next(random_);
    }
    if (!point.live.scc) state.scc = random_() & 1;
    // Whatever the programs name is below 64, but for indexed registers.
    for (size_t n = 0; n < 64; ++n) {
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
    for (size_t n = 0; n < 64; ++n) {
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
        text += std::to_string(at.pc - kBase) + ": " + Disassemble(generation, at.inst) + "\n";
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

    FillState(pool_, random_, *initial);
    Address(*initial);
    *expected = *initial;
    *actual = *initial;
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
