#include "lift/lift_machine.h"

#include <fmt/format.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "encoding/row_samples.h"
#include "isa/vector_registers.h"

namespace gcnjit::lift_tests {

using frontend::Generation;
using frontend::Instruction;
using frontend::OneIn;
using runtime::CodeSlot;
using runtime::Wave;
using runtime::WaveEvent;

LiftMachine::LiftMachine(Generation generation)
    : generation_(generation), random_(77 + static_cast<uint64_t>(generation)) {
  dispatch_.memory = memory_.guest();
  dispatch_.processor = generation;
  dispatch_.scratch_base = memory_.arena();
  dispatch_.gds = memory_.gds();
  dispatch_.stop = &stop_;
  group_.lds = memory_.lds();
  group_.lds_bytes = frontend::TestMemory::kLdsBytes;
  group_.wave_count = 1;
}

namespace {

// Random numbers of 64 bits are hardly ever equal: some lanes of src1 become those of src0.
void EqualizeSources(const Instruction& i, frontend::Random& random, runtime::WaveState& state) {
  const auto is_vector = [](const frontend::Operand& operand) {
    return operand.kind == frontend::OperandKind::kVector;
  };
  if (!is_vector(i.src[0]) || !is_vector(i.src[1])) return;
  const int registers =
      std::min(frontend::RegistersOf(i.src[0].type), frontend::RegistersOf(i.src[1].type));
  for (int lane = 0; lane < runtime::kLanes; ++lane) {
    if (!OneIn(random, 8)) continue;
    for (int n = 0; n < registers; ++n) {
      state.vgpr[i.src[1].index + n][lane] = state.vgpr[i.src[0].index + n][lane];
    }
  }
}

bool IsMemoryRow(const frontend::OpcodeRow& row) {
  return (row.flags & (frontend::LOAD | frontend::STORE | frontend::ATOMIC)) != 0;
}

}  // namespace

WaveEvent LiftMachine::Interpret(std::span<const CodeSlot> slots) {
  const uint32_t host_mxcsr = _mm_getcsr();
  Wave wave{*expected_, group_, dispatch_};
  for (const CodeSlot& slot : slots) {
    runtime::StepWave(wave, slot);
    if (wave.event != WaveEvent::kNone) break;
  }
  _mm_setcsr(host_mxcsr);
  return wave.event;
}

std::string LiftMachine::Compare(std::span<const CodeSlot> slots, std::string& refusal,
                                 frontend::LiftFn function) {
  frontend::FillState(pool_, random_, registers_, *initial_);
  if (OneIn(random_, 4)) initial_->mode |= runtime::kModeFp16Overflow;
  frontend::PrepareOperands(slots.front().instruction, generation_, memory_, random_, *initial_);
  if (!IsMemoryRow(slots.front().instruction.row())) {
    EqualizeSources(slots.front().instruction, random_, *initial_);
  }
  if (state_hook_) state_hook_(random_, memory_, *initial_);
  // Without an analysis it is not known what a later instruction reads of inactive lanes.
  const bool alone = slots.size() == 1;
  const Inactive inactive = alone && OneIn(random_, 3) ? Inactive::kLost : Inactive::kKept;
  const bool writes_memory = std::any_of(slots.begin(), slots.end(), [](const CodeSlot& slot) {
    return (slot.instruction.row().flags & (frontend::STORE | frontend::ATOMIC)) != 0;
  });

  frontend::CopyState(*initial_, registers_, *lifted_);
  Wave wave{*lifted_, group_, dispatch_};
  if (writes_memory) memory_.TakeChanges();
  refusal = RunLifted(wave, slots, {inactive, function});
  if (!refusal.empty()) {
    ++counts_.refused;
    return refusal.starts_with(kMalformed) ? refusal : "";
  }
  std::vector<std::byte> changes;
  if (writes_memory) changes = memory_.TakeChanges();
  frontend::CopyState(*initial_, registers_, *expected_);
  const WaveEvent event = Interpret(slots);
  ++counts_.executed;
  if (event != wave.event) {
    return fmt::format("event {}, the interpreter's {}", static_cast<int>(wave.event),
                       static_cast<int>(event));
  }
  if (event == WaveEvent::kFault) {  // what a faulting instruction has done is not promised
    ++counts_.faulted;
    return {};
  }
  std::string difference = Difference(inactive);
  if (difference.empty() && writes_memory && changes != memory_.TakeChanges()) {
    difference = "memory";
  }
  return difference;
}

// The first one.
std::string LiftMachine::Difference(Inactive inactive) const {
  const uint64_t exec = initial_->exec();
  for (int code = 0; code < 128; ++code) {
    if (lifted_->sgpr[code] != expected_->sgpr[code]) {
      return fmt::format("scalar register {}: {:#010x}, expected {:#010x}, was {:#010x}", code,
                         lifted_->sgpr[code], expected_->sgpr[code], initial_->sgpr[code]);
    }
  }
  if (lifted_->scc != expected_->scc) return fmt::format("SCC: {}", lifted_->scc);
  if (lifted_->mode != expected_->mode) return fmt::format("MODE: {:#x}", lifted_->mode);
  if (lifted_->pc != expected_->pc) return fmt::format("PC: {:#x}", lifted_->pc);
  for (int reg = 0; reg < static_cast<int>(registers_); ++reg) {
    if (std::memcmp(lifted_->vgpr[reg], expected_->vgpr[reg], sizeof expected_->vgpr[reg]) == 0) {
      continue;
    }
    for (int lane = 0; lane < runtime::kLanes; ++lane) {
      if (inactive == Inactive::kLost && (exec >> lane & 1) == 0) continue;
      if (lifted_->vgpr[reg][lane] != expected_->vgpr[reg][lane]) {
        return fmt::format("{} lane {}: {:#010x}, expected {:#010x}, was {:#010x}",
                           frontend::VectorRegisterName(reg), lane, lifted_->vgpr[reg][lane],
                           expected_->vgpr[reg][lane], initial_->vgpr[reg][lane]);
      }
    }
  }
  return {};
}

std::string LiftMachine::InitialState(const Instruction& i) const {
  std::string text =
      fmt::format("{} EXEC {:#018x} MODE {:#x}; lane 0:", frontend::TargetName(generation_),
                  initial_->exec(), initial_->mode);
  for (const frontend::Operand& operand : i.src) {
    if (operand.kind == frontend::OperandKind::kVector) {
      text += fmt::format(" {} {:#010x}", frontend::VectorRegisterName(operand.index),
                          initial_->vgpr[operand.index][0]);
    } else if (operand.kind == frontend::OperandKind::kScalar) {
      text += fmt::format(" code {} {:#010x}", operand.index, initial_->sgpr[operand.index]);
    }
  }
  return text;
}

std::vector<CodeSlot> DecodedSamples(Generation generation, const frontend::OpcodeRow& row) {
  std::vector<CodeSlot> slots;
  std::set<encoding::Words> seen;
  for (const encoding::Words& words : encoding::RowSamples(generation, row)) {
    const CodeSlot slot = runtime::DecodeSlot(generation, words);
    const bool decoded = slot.status == frontend::DecodeStatus::kOk;
    if (!decoded || slot.instruction.opcode != row.opcode) continue;
    if (!seen.insert({words[0], slot.instruction.size > 4 ? words[1] : 0}).second) continue;
    slots.push_back(slot);
  }
  return slots;
}

bool IsLifted(Generation generation, const frontend::OpcodeRow& row) {
  return row.ExistsOn(generation) && row.refusal == nullptr &&
         frontend::LiftFunctionOf(row.opcode) != nullptr;
}

}  // namespace gcnjit::lift_tests
