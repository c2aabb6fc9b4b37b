// AccessOf against the interpreter: every executable row in every encoding, with the operands of
// the row samples and with random ones. What an instruction is said not to read must not matter,
// what it is said not to write must stay, and what it is said to write must be written.
#include "frontend/flow/register_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "encoding/row_samples.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "wave_fixture.h"

namespace gcnjit::frontend {
namespace {

using encoding::Words;
using runtime::CodeSlot;
using runtime::kLanes;
using runtime::WaveEvent;
using runtime::WaveState;

uint64_t ActiveLanes(const WaveState& state) { return state.exec(); }
bool IsActive(uint64_t exec, int lane) { return ((exec >> lane) & 1) != 0; }

bool IsSame(const WaveState& a, const WaveState& b, size_t vgpr) {
  return std::memcmp(a.vgpr[vgpr], b.vgpr[vgpr], sizeof a.vgpr[vgpr]) == 0;
}

// Their results do not repeat.
bool ReadsClock(Opcode opcode) {
  return opcode == Opcode::S_MEMTIME || opcode == Opcode::S_MEMREALTIME;
}

class Checker {
 public:
  // `any_mode`: with GPR_IDX_EN and VSKIP set now and then, by AccessOfAnyMode.
  Checker(const Processor& processor, bool any_mode)
      : processor_(processor),
        generation_(processor.generation),
        any_mode_(any_mode),
        stepper_(processor.generation, memory_),
        random_(0xACCE55) {}

  // Several states; true if one did not fault.
  bool Check(const Words& words, int states) {
    slot_ = runtime::DecodeSlot(processor_, words);
    access_ = any_mode_ ? AccessOfAnyMode(slot_.instruction, generation_)
                        : AccessOf(slot_.instruction, generation_);
    CheckSets();
    bool any = false;
    for (int n = 0; n < states && !failed_; ++n) any |= CheckOnce();
    if (failed_) {
      ADD_FAILURE() << TargetName(generation_) << " " << slot_.instruction.row().id << " "
                    << Disassemble(generation_, slot_.instruction) << ": " << *failed_;
      failed_.reset();
    }
    return any;
  }

  uint64_t runs() const { return runs_; }

 private:
  void Fail(const std::string& what) {
    if (!failed_) failed_ = what;
  }

  void CheckSets() {
    RegisterSet surplus = access_.writes;
    surplus -= access_.may_write;
    if (!surplus.None()) Fail("writes is not within may_write");
    if ((access_.wide_vgpr_reads & ~access_.reads.vgprs).any()) Fail("wide reads are no reads");
    if ((access_.wide_vgpr_writes & ~access_.may_write.vgprs).any()) Fail("wide writes: no writes");
    if ((access_.wide_vgpr_writes & access_.writes.vgprs).any()) Fail("a wide write is definite");
    if ((access_.kept_vgprs & ~access_.wide_vgpr_reads).any()) Fail("kept lanes are not read");
    if ((access_.kept_vgprs & ~access_.wide_vgpr_writes).any()) Fail("kept lanes: no wide write");
  }

  bool CheckOnce() {
    FillState(pool_, random_, registers_, *before_a_);
    PrepareOperands(slot_.instruction, generation_, memory_, random_, *before_a_);
    if (any_mode_) ChangeMode();
    const bool touches_memory =
        (slot_.instruction.row().flags & (STORE | ATOMIC)) != 0 || slot_.instruction.lds;
    CopyState(*before_a_, registers_, *after_a_);
    const WaveEvent event_a = stepper_.Step(*after_a_, slot_);
    std::vector<std::byte> memory_a;
    if (touches_memory) memory_a = memory_.TakeChanges();
    if (event_a == WaveEvent::kFault) return false;
    ++runs_;
    CheckKept();
    CheckExec();
    if (ReadsClock(slot_.instruction.opcode)) return true;

    CopyState(*before_a_, registers_, *before_b_);
    ChangeUnread();
    CopyState(*before_b_, registers_, *after_b_);
    const WaveEvent event_b = stepper_.Step(*after_b_, slot_);
    if (touches_memory && memory_.TakeChanges() != memory_a) {
      Fail("memory depends on a register that is not read");
    }
    if (event_a != event_b) Fail("the event depends on a register that is not read");
    if (after_a_->pc != after_b_->pc) Fail("the pc depends on a register that is not read");
    if (after_a_->mode != after_b_->mode) Fail("MODE depends on a register that is not read");
    CompareResults();
    return true;
  }

  void ChangeMode() {
    const bool can_index = IsGfx8Plus(generation_);
    if (can_index && !OneIn(random_, 4)) {
      before_a_->mode |= runtime::kModeGprIdxEn;
      // {operands [15:12], index [7:0]}; memory instructions need their M0.
      const bool is_memory = (slot_.instruction.row().flags & (LOAD | STORE | ATOMIC)) != 0;
      if (!is_memory) before_a_->sgpr[kCodeM0] = static_cast<uint32_t>(random_() & 0xF01F);
    }
    if (!can_index || OneIn(random_, 4)) before_a_->mode |= runtime::kModeVskip;
  }

  // What is not in may_write stays, and VGPRs change in active lanes only.
  void CheckKept() {
    const RegisterSet& may_write = access_.may_write;
    for (size_t n = 0; n < 128; ++n) {
      if (!may_write.sgprs[n] && after_a_->sgpr[n] != before_a_->sgpr[n]) {
        Fail("writes scalar code " + std::to_string(n));
      }
    }
    if (!may_write.scc && after_a_->scc != before_a_->scc) Fail("writes SCC");
    const uint64_t exec = ActiveLanes(*before_a_);
    for (size_t n = 0; n < registers_; ++n) {
      if (access_.wide_vgpr_writes[n] || IsSame(*before_a_, *after_a_, n)) continue;
      for (int lane = 0; lane < kLanes; ++lane) {
        if (after_a_->vgpr[n][lane] == before_a_->vgpr[n][lane]) continue;
        if (!may_write.vgprs[n]) return Fail("writes v" + std::to_string(n));
        if (!IsActive(exec, lane)) {
          return Fail("writes an inactive lane of v" + std::to_string(n));
        }
      }
    }
  }

  void CheckExec() {
    const uint64_t before = ActiveLanes(*before_a_);
    const uint64_t after = ActiveLanes(*after_a_);
    if (access_.exec == ExecEffect::kNone && after != before) Fail("changes EXEC");
    if (access_.exec == ExecEffect::kNarrows && (after & ~before) != 0) Fail("widens EXEC");
  }

  // New values for everything in before_b_ that is not read.
  void ChangeUnread() {
    const RegisterSet& reads = access_.reads;
    for (size_t n = 0; n < 128; ++n) {
      if (!reads.sgprs[n]) before_b_->sgpr[n] = pool_.Next(random_);
    }
    if (!reads.scc) before_b_->scc ^= 1;
    const uint64_t exec = ActiveLanes(*before_a_);
    uint32_t changed[kLanes];
    for (size_t n = 0; n < registers_; ++n) {
      if (access_.wide_vgpr_reads[n]) continue;
      if (!reads.vgprs[n]) {
        pool_.Fill(random_, before_b_->vgpr[n], kLanes);
        continue;
      }
      pool_.Fill(random_, changed, kLanes);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (!IsActive(exec, lane)) before_b_->vgpr[n][lane] = changed[lane];
      }
    }
  }

  // Each register, of VGPRs each lane, was either left alone in both runs or became the same;
  // `writes` say that it was not left alone.
  void CompareResults() {
    const auto same = [&](bool written, uint32_t before_a, uint32_t after_a, uint32_t before_b,
                          uint32_t after_b) {
      if (after_a == after_b) return true;
      return !written && after_a == before_a && after_b == before_b;
    };
    for (size_t n = 0; n < 128; ++n) {
      if (!same(access_.writes.sgprs[n], before_a_->sgpr[n], after_a_->sgpr[n], before_b_->sgpr[n],
                after_b_->sgpr[n])) {
        Fail("scalar code " + std::to_string(n) + " depends on what is not read");
      }
    }
    if (!same(access_.writes.scc, before_a_->scc, after_a_->scc, before_b_->scc, after_b_->scc)) {
      Fail("SCC depends on what is not read");
    }
    const uint64_t exec = ActiveLanes(*before_a_);
    for (size_t n = 0; n < registers_; ++n) {
      if (!access_.writes.vgprs[n] && IsSame(*before_a_, *after_a_, n) &&
          IsSame(*before_b_, *after_b_, n)) {
        continue;
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool written = access_.writes.vgprs[n] && IsActive(exec, lane);
        if (!same(written, before_a_->vgpr[n][lane], after_a_->vgpr[n][lane],
                  before_b_->vgpr[n][lane], after_b_->vgpr[n][lane])) {
          return Fail("v" + std::to_string(n) + " lane " + std::to_string(lane) +
                      " depends on what is not read, or is not written");
        }
      }
    }
  }

  const Processor processor_;
  const Generation generation_;
  const size_t registers_ = NamedVectorRegisters(generation_);
  const bool any_mode_;
  TestMemory memory_;
  Stepper stepper_;
  DwordPool pool_;
  Random random_;
  std::unique_ptr<WaveState> before_a_ = std::make_unique<WaveState>();
  std::unique_ptr<WaveState> after_a_ = std::make_unique<WaveState>();
  std::unique_ptr<WaveState> before_b_ = std::make_unique<WaveState>();
  std::unique_ptr<WaveState> after_b_ = std::make_unique<WaveState>();
  CodeSlot slot_;
  RegisterAccess access_;
  std::optional<std::string> failed_;
  uint64_t runs_ = 0;
};

// For those that fault with most immediates: s_trap 3, MODE's rounding bits.
uint32_t HarmlessImmediate(Opcode opcode) {
  switch (opcode) {
    case Opcode::S_TRAP: return 3;
    case Opcode::S_SETREG_B32:
    case Opcode::S_SETREG_IMM32_B32: return 3 << 11 | 1;
    default: return 0;
  }
}

// Words of the row that decode: its samples, and samples with some operand bits flipped.
std::vector<Words> ValidWords(Generation generation, const OpcodeRow& row, size_t wanted,
                              Random& random) {
  std::vector<Words> samples;
  Instruction decoded;
  const auto is_valid = [&](const Words& words) {
    return Decode(generation, words, decoded) == DecodeStatus::kOk && decoded.opcode == row.opcode;
  };
  for (Words words : encoding::RowSamples(generation, row)) {
    if (const uint32_t immediate = HarmlessImmediate(row.opcode); immediate != 0) {
      encoding::SetField(words[0], 0, 16, immediate);
    }
    if (is_valid(words)) samples.push_back(words);
  }
  std::shuffle(samples.begin(), samples.end(), random);
  if (samples.size() > wanted / 2) samples.resize(wanted / 2);
  const size_t unchanged = samples.size();
  for (size_t tries = 0; unchanged > 0 && samples.size() < wanted && tries < 8 * wanted; ++tries) {
    Words words = samples[random() % unchanged];
    for (uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      words[random() % 2] ^= 1u << (random() % 32);
    }
    if (is_valid(words)) samples.push_back(words);
  }
  return samples;
}

// GCNJIT_ACCESS_DOSE multiplies the number of samples.
size_t Dose() {
  const char* dose = std::getenv("GCNJIT_ACCESS_DOSE");
  return dose == nullptr ? 1 : static_cast<size_t>(std::max(1, std::atoi(dose)));
}

class RegisterAccessTest : public testing::TestWithParam<Processor> {};

void CheckEveryRow(const Processor& processor, bool any_mode, size_t samples) {
  const Generation generation = processor.generation;
  Checker checker(processor, any_mode);
  Random random(7);
  size_t rows = 0;
  for (int n = 0; n < kOpcodeCount; ++n) {
    const OpcodeRow& row = RowOf(n);
    if (!row.ExistsOn(generation) || row.refusal != nullptr) continue;
    // The two modes matter to vector instructions only.
    if (any_mode && row.On(generation).format < Format::kVop1) continue;
    // SRAM-ECC changes what loads write.
    if (processor.sram_ecc && row.On(generation).format < Format::kDs) continue;
    ++rows;
    bool any = false;
    for (const Words& words : ValidWords(generation, row, samples, random)) {
      any |= checker.Check(words, 3);
    }
    // A halted wave is a fault.
    EXPECT_NE(any, row.opcode == Opcode::S_SENDMSGHALT)
        << TargetName(generation) << " " << row.id << ": every run faulted";
  }
  std::cout << TargetName(generation) << ": " << rows << " rows, " << checker.runs() << " runs\n";
}

TEST_P(RegisterAccessTest, EveryRowAgreesWithTheInterpreter) {
  CheckEveryRow(GetParam(), false, 24 * Dose());
}

TEST_P(RegisterAccessTest, EveryRowAgreesInAnyMode) { CheckEveryRow(GetParam(), true, 8 * Dose()); }

INSTANTIATE_TEST_SUITE_P(Targets, RegisterAccessTest, testing::ValuesIn(kProcessors),
                         [](const auto& info) {
                           return TargetName(info.param.generation) +
                                  std::string(info.param.sram_ecc ? "_sram_ecc" : "");
                         });

}  // namespace
}  // namespace gcnjit::frontend
