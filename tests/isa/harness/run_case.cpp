#include "harness/run_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include "harness/compare.h"
#include "harness/machine.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::isa_tests {
namespace {

using frontend::Generation;
using runtime::WaveEvent;
using runtime::WaveState;

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr uint64_t kAlternating = 0xAAAAAAAAAAAAAAAA;

bool IsMemoryFault(FaultKind kind) {
  return kind == FaultKind::kMemoryRead || kind == FaultKind::kMemoryWrite ||
         kind == FaultKind::kMisaligned;
}

// What decoding a section's words tells the harness.
struct DecodedSection {
  bool has_vector = false;
  std::vector<int> lane_masks;  // operand codes of SGPR pairs that hold a bit a lane
  std::string error;
};

DecodedSection DecodeSection(const Section& section, const Assembled& code, Generation generation) {
  DecodedSection result;
  const std::span<const uint32_t> words(code.words);
  for (size_t n = 0; n < code.starts.size(); ++n) {
    const CaseInstruction& written = section.header.instructions[n];
    const size_t end = n + 1 < code.starts.size() ? code.starts[n + 1] : words.size();
    const size_t count = end - code.starts[n];
    const runtime::CodeSlot slot =
        runtime::DecodeSlot(generation, words.subspan(code.starts[n], count));
    const std::string where = fmt::format("{} [{:08x}]", written.mnemonic,
                                          fmt::join(words.subspan(code.starts[n], count), " "));
    if (slot.status != frontend::DecodeStatus::kOk) {
      result.error = where + ": not decoded";
      return result;
    }
    const frontend::OpcodeRow& row = slot.instruction.row();
    if (slot.instruction.opcode != *OpcodeNamed(generation, written.mnemonic)) {
      result.error = fmt::format("{}: decoded as {}", where, row.id);
      return result;
    }
    if (slot.instruction.size != count * 4) {
      result.error = fmt::format("{}: decoded as {} bytes", where, slot.instruction.size);
      return result;
    }
    if (slot.function == nullptr && row.refusal == nullptr) {
      result.error = where + ": not implemented";
      return result;
    }
    result.has_vector = result.has_vector || slot.is_vector;
    for (const frontend::Operand* operand : {&slot.instruction.dst, &slot.instruction.sdst}) {
      if (slot.is_vector && operand->kind == frontend::OperandKind::kScalar &&
          operand->type == frontend::OperandType::M64) {
        result.lane_masks.push_back(operand->index);
      }
    }
  }
  return result;
}

// One run of a group: series element `run`, initial EXEC (unless the group sets it).
class GroupRun {
 public:
  GroupRun(const Section& section, const Group& group, const DecodedSection& decoded,
           Machine& machine, int run, uint64_t exec)
      : section_(section),
        group_(group),
        decoded_(decoded),
        machine_(machine),
        run_(run),
        exec_(exec),
        initial_(std::make_unique<WaveState>()),
        actual_(std::make_unique<WaveState>()),
        expected_(std::make_unique<WaveState>()) {}

  // Differences from what is expected, one a line.
  std::string Execute(size_t code_bytes) {
    SetUp();
    *actual_ = *initial_;
    const std::vector<std::string> names = machine_.MemoryNames();
    for (const std::string& name : names) initial_memory_[name] = machine_.Read(name);

    runtime::Wave wave{*actual_, machine_.group, machine_.dispatch};
    const bool finished = machine_.Run(wave, section_.header.instructions.size() == 1);
    if (!finished) return "  still running after 256 steps\n";
    std::string report = CompareEvent(wave);
    if (!report.empty()) return report;

    *expected_ = *initial_;
    expected_memory_ = initial_memory_;
    for (const std::string& name : names) actual_memory_[name] = machine_.Read(name);
    const bool faults = wave.event == WaveEvent::kFault;
    expected_->pc = group_.pc ? machine_.AddressOf("code") + static_cast<uint64_t>(*group_.pc)
                              : machine_.AddressOf("code") + code_bytes;
    if (faults) {  // what else an instruction did before it faulted is not promised
      *expected_ = *actual_;
      expected_memory_ = actual_memory_;
    }
    if (!nothing_active() || !faults) {
      for (const Statement& statement : group_.expectations) Expect(statement);
    }
    report = CompareStates(*initial_, *actual_, *expected_);
    for (const std::string& name : names) {
      report += CompareMemory(name, actual_memory_[name], expected_memory_[name]);
    }
    return report;
  }

 private:
  bool nothing_active() const { return exec_ == 0 && !section_.header.exec_ignored; }

  uint64_t Resolve(const Value& value) const {
    return value.bits + (value.symbol.empty() ? 0 : machine_.AddressOf(value.symbol));
  }

  const Value& InSeries(const Statement& s) const {
    return s.values[s.values.size() == 1 ? 0 : static_cast<size_t>(run_)];
  }

  static std::vector<uint64_t> Dwords(const Statement& s,
                                      const std::function<uint64_t(const Value&)>& bits) {
    std::vector<uint64_t> dwords;
    for (const Value& value : s.values) {
      const uint64_t resolved = bits(value);
      dwords.push_back(static_cast<uint32_t>(resolved));
      if (value.is_qword) dwords.push_back(resolved >> 32);
    }
    return dwords;
  }

  void SetUp() {
    uint64_t seed = static_cast<uint64_t>(group_.line) << 32 | static_cast<uint64_t>(run_);
    SeedState(*initial_, seed);
    machine_.Reset(group_);
    machine_.dispatch.scratch_base = 0;
    initial_->pc = machine_.AddressOf("code");
    initial_->SetPair(frontend::kCodeExecLo, exec_);
    for (const Statement& statement : group_.inputs) SetInput(statement);
  }

  void SetInput(const Statement& s) {
    const Place& place = s.place;
    WaveState& state = *initial_;
    switch (place.kind) {
      case Place::Kind::kVgpr:
        for (size_t lane = 0; lane < 64; ++lane) {
          if (place.count > 2) {
            const auto dwords = Dwords(s, [this](const Value& v) { return Resolve(v); });
            for (int n = 0; n < place.count; ++n) {
              state.vgpr[place.first + n][lane] = static_cast<uint32_t>(dwords[n % dwords.size()]);
            }
            continue;
          }
          const uint64_t value = Resolve(s.values[lane % s.values.size()]);
          state.vgpr[place.first][lane] = static_cast<uint32_t>(value);
          if (place.count == 2) {
            state.vgpr[place.first + 1][lane] = static_cast<uint32_t>(value >> 32);
          }
        }
        return;
      case Place::Kind::kScalar: {
        const int code = ScalarCode(place, machine_.dispatch.processor.generation);
        if (place.count > 2) {
          const auto dwords = Dwords(s, [this](const Value& v) { return Resolve(v); });
          for (int n = 0; n < place.count; ++n) {
            state.sgpr[code + n] = static_cast<uint32_t>(dwords[n % dwords.size()]);
          }
          return;
        }
        const uint64_t value = Resolve(InSeries(s));
        state.sgpr[code] = static_cast<uint32_t>(value);
        if (place.count == 2) state.sgpr[code + 1] = static_cast<uint32_t>(value >> 32);
        return;
      }
      case Place::Kind::kScc: state.scc = static_cast<uint32_t>(Resolve(InSeries(s))); return;
      case Place::Kind::kMode: state.mode = static_cast<uint32_t>(Resolve(InSeries(s))); return;
      case Place::Kind::kVgprCount:
        state.vgpr_count = state.acc_vgpr_count = static_cast<uint32_t>(Resolve(InSeries(s)));
        return;
      case Place::Kind::kAccVgprCount:
        state.acc_vgpr_count = static_cast<uint32_t>(Resolve(InSeries(s)));
        return;
      case Place::Kind::kScratchBase: machine_.dispatch.scratch_base = Resolve(InSeries(s)); return;
      case Place::Kind::kMemory: return;  // filled by Machine::Reset
    }
  }

  // What a place should hold, given what it held and what it holds.
  uint64_t Wanted(const Value& value, uint64_t before, uint64_t now, int bits) const {
    switch (value.kind) {
      case Value::Kind::kUnchanged: return before;
      case Value::Kind::kAnything: return now;
      case Value::Kind::kBits: break;
    }
    const uint64_t wanted = Resolve(value);
    const uint64_t field = value.format == FloatFormat::kF16 ? 0xFFFF : kAllLanes;
    const bool close = value.ulps != 0 && (now & ~field) == (wanted & ~field) &&
                       WithinUlps(value.format, now & field, wanted & field, value.ulps);
    const uint64_t result = close ? now : wanted;
    return bits == 64 ? result : static_cast<uint32_t>(result);
  }

  void Expect(const Statement& s) {
    switch (s.place.kind) {
      case Place::Kind::kVgpr: return ExpectVgpr(s);
      case Place::Kind::kScalar: return ExpectScalar(s);
      case Place::Kind::kScc:
        expected_->scc =
            static_cast<uint32_t>(Wanted(InSeries(s), initial_->scc, actual_->scc, 32));
        return;
      case Place::Kind::kMode:
        expected_->mode =
            static_cast<uint32_t>(Wanted(InSeries(s), initial_->mode, actual_->mode, 32));
        return;
      case Place::Kind::kMemory: return ExpectMemory(s);
      case Place::Kind::kVgprCount:
      case Place::Kind::kAccVgprCount:
      case Place::Kind::kScratchBase: return;
    }
  }

  void ExpectVgpr(const Statement& s) {
    const Place& place = s.place;
    const uint64_t active =
        section_.header.exec_ignored || group_.SetsExec() || section_.header.exec_sensitive
            ? kAllLanes
            : exec_;
    for (size_t lane = 0; lane < 64; ++lane) {
      if (((active >> lane) & 1) == 0) continue;
      if (place.count == 2) {
        const auto pair = [&](const WaveState& state) {
          return state.vgpr[place.first][lane] |
                 static_cast<uint64_t>(state.vgpr[place.first + 1][lane]) << 32;
        };
        const uint64_t wanted =
            Wanted(s.values[lane % s.values.size()], pair(*initial_), pair(*actual_), 64);
        expected_->vgpr[place.first][lane] = static_cast<uint32_t>(wanted);
        expected_->vgpr[place.first + 1][lane] = static_cast<uint32_t>(wanted >> 32);
        continue;
      }
      for (int n = 0; n < place.count; ++n) {
        const size_t index = place.count == 1 ? lane : static_cast<size_t>(n);
        const int reg = place.first + n;
        expected_->vgpr[reg][lane] =
            static_cast<uint32_t>(Wanted(s.values[index % s.values.size()],
                                         initial_->vgpr[reg][lane], actual_->vgpr[reg][lane], 32));
      }
    }
  }

  bool IsLaneMask(int code) const {
    return code == frontend::kCodeExecLo ||
           std::find(decoded_.lane_masks.begin(), decoded_.lane_masks.end(), code) !=
               decoded_.lane_masks.end();
  }

  void ExpectScalar(const Statement& s) {
    const int code = ScalarCode(s.place, machine_.dispatch.processor.generation);
    if (s.place.count > 2) {
      for (int n = 0; n < s.place.count; ++n) {
        expected_->sgpr[code + n] =
            static_cast<uint32_t>(Wanted(s.values[static_cast<size_t>(n) % s.values.size()],
                                         initial_->sgpr[code + n], actual_->sgpr[code + n], 32));
      }
      return;
    }
    const Value& value = InSeries(s);
    if (s.place.count == 1) {
      expected_->sgpr[code] =
          static_cast<uint32_t>(Wanted(value, initial_->sgpr[code], actual_->sgpr[code], 32));
      return;
    }
    uint64_t wanted = Wanted(value, initial_->Pair(code), actual_->Pair(code), 64);
    const bool masked = decoded_.has_vector && !section_.header.exec_ignored &&
                        !section_.header.exec_sensitive && !group_.SetsExec();
    if (masked && IsLaneMask(code)) wanted &= exec_;
    expected_->SetPair(code, wanted);
  }

  void ExpectMemory(const Statement& s) {
    if (nothing_active()) return;
    const std::vector<uint32_t>& before = initial_memory_.at(s.place.name);
    const std::vector<uint32_t>& now = actual_memory_.at(s.place.name);
    std::vector<uint32_t>& expected = expected_memory_.at(s.place.name);
    size_t at = s.place.offset / 4;
    for (const Value& value : s.values) {
      const bool wide = value.is_qword;
      if (at + (wide ? 1 : 0) >= expected.size()) {
        expected.push_back(0);  // reported as a difference of size
        return;
      }
      const auto read = [&](const std::vector<uint32_t>& from) {
        return from[at] | (wide ? static_cast<uint64_t>(from[at + 1]) << 32 : 0);
      };
      const uint64_t wanted = Wanted(value, read(before), read(now), wide ? 64 : 32);
      expected[at++] = static_cast<uint32_t>(wanted);
      if (wide) expected[at++] = static_cast<uint32_t>(wanted >> 32);
    }
  }

  std::string CompareEvent(const runtime::Wave& wave) const {
    const bool fault_expected =
        group_.fault && !(nothing_active() && IsMemoryFault(group_.fault->kind));
    if (wave.event == WaveEvent::kFault && !fault_expected) {
      return fmt::format("  fault: {} lane {} address {:#x}: {}\n", ToString(wave.fault.kind),
                         wave.fault.lane, wave.fault.address, wave.fault.detail);
    }
    if (!fault_expected) {
      if (wave.event == group_.event) return {};
      return fmt::format("  event {}, expected {}\n", static_cast<int>(wave.event),
                         static_cast<int>(group_.event));
    }
    if (wave.event != WaveEvent::kFault) {
      return fmt::format("  no fault, expected {}\n", ToString(group_.fault->kind));
    }
    const ExpectedFault& wanted = *group_.fault;
    if (wave.fault.kind != wanted.kind || (wanted.lane && wave.fault.lane != *wanted.lane) ||
        (wanted.address && wave.fault.address != Resolve(*wanted.address))) {
      return fmt::format(
          "  fault: {} lane {} address {:#x} ({}), expected {} lane {} address {:#x}\n",
          ToString(wave.fault.kind), wave.fault.lane, wave.fault.address, wave.fault.detail,
          ToString(wanted.kind), wanted.lane.value_or(wave.fault.lane),
          wanted.address ? Resolve(*wanted.address) : wave.fault.address);
    }
    return {};
  }

  const Section& section_;
  const Group& group_;
  const DecodedSection& decoded_;
  Machine& machine_;
  const int run_;
  const uint64_t exec_;
  const std::unique_ptr<WaveState> initial_;
  const std::unique_ptr<WaveState> actual_;
  const std::unique_ptr<WaveState> expected_;
  std::map<std::string, std::vector<uint32_t>> initial_memory_;
  std::map<std::string, std::vector<uint32_t>> actual_memory_;
  std::map<std::string, std::vector<uint32_t>> expected_memory_;
};

// What cannot be run at all: unknown buffers, registers that the generation does not have.
std::string CheckNames(const Group& group, const Machine& machine, Generation generation) {
  const auto check_values = [&](const std::vector<Value>& values) -> std::string {
    for (const Value& value : values) {
      if (!value.symbol.empty() && !machine.Knows(value.symbol)) {
        return "unknown buffer: " + value.symbol;
      }
    }
    return {};
  };
  for (const auto* statements : {&group.inputs, &group.expectations}) {
    for (const Statement& s : *statements) {
      if (std::string error = check_values(s.values); !error.empty()) return error;
      if (s.place.kind == Place::Kind::kScalar && ScalarCode(s.place, generation) < 0) {
        return fmt::format("line {}: no {} on this generation", s.line, s.place.name);
      }
    }
  }
  for (const Buffer& buffer : group.buffers) {
    if (std::string error = check_values(buffer.values); !error.empty()) return error;
  }
  if (group.fault && group.fault->address) return check_values({*group.fault->address});
  return {};
}

std::vector<uint64_t> ExecMasks(const Section& section, const Group& group,
                                const DecodedSection& decoded) {
  if (!decoded.has_vector || group.SetsExec() || section.header.exec_sensitive) {
    return {kAllLanes};
  }
  if (group.fault) {
    return IsMemoryFault(group.fault->kind) ? std::vector<uint64_t>{kAllLanes, 0}
                                            : std::vector<uint64_t>{kAllLanes};
  }
  if (group.ExpectsMemory() && !section.header.exec_ignored) return {kAllLanes, 0};
  uint64_t seed = static_cast<uint64_t>(group.line);
  return {kAllLanes, 0, kAlternating, NextRandom(seed)};
}

}  // namespace

std::vector<std::string> RunSection(const CaseFile& file, const Section& section,
                                    const Assembled& code, Generation generation,
                                    Substitution substitution, const StepFunction& step) {
  const auto place = [&](int line) {
    return fmt::format("{}:{}: {} on {}", file.name, line, section.title,
                       frontend::TargetName(generation));
  };
  if (!code.error.empty()) return {place(section.line) + ": " + code.error};
  const DecodedSection decoded = DecodeSection(section, code, generation);
  if (!decoded.error.empty()) return {place(section.line) + ": " + decoded.error};

  std::vector<std::string> failures;
  for (const Group& group : section.groups) {
    Machine machine({generation, section.header.sram_ecc}, code.words, substitution, step);
    const Result<void> declared = machine.Declare(group);
    const std::string error =
        declared ? CheckNames(group, machine, generation) : declared.error().message;
    if (!error.empty()) {
      failures.push_back(place(group.line) + ": " + error);
      continue;
    }
    for (int run = 0; run < group.runs; ++run) {
      for (const uint64_t exec : ExecMasks(section, group, decoded)) {
        GroupRun group_run(section, group, decoded, machine, run, exec);
        const std::string report = group_run.Execute(code.words.size() * 4);
        if (report.empty()) continue;
        failures.push_back(fmt::format(
            "{}\n  words {:08x}, initial EXEC {:#018x}, run {} of {}\n{}", place(group.line),
            fmt::join(code.words, " "), exec, run + 1, group.runs, report));
        break;  // the other masks would say the same again
      }
    }
  }
  return failures;
}

std::vector<std::string> RunFile(const CaseFile& file, const StepFunction& step) {
  // Each case has three states of 100 KB and more. To give their pages back and fault them in again
  // takes five times as long as the cases do.
  constexpr int kKept = 64 << 20;
  mallopt(M_MMAP_THRESHOLD, kKept / 2);
  mallopt(M_TRIM_THRESHOLD, kKept);
  std::vector<std::string> failures;
  for (const Generation generation : frontend::kGenerations) {
    const Result<std::vector<Assembled>> code = AssembleFile(file, generation);
    if (!code) {
      failures.push_back(file.name + ": " + code.error().message);
      continue;
    }
    for (size_t n = 0; n < file.sections.size(); ++n) {
      if (!file.sections[n].header.Holds(generation)) continue;
      for (std::string& failure :
           RunSection(file, file.sections[n], code.value()[n], generation, {}, step)) {
        failures.push_back(std::move(failure));
      }
    }
  }
  return failures;
}

}  // namespace gcnjit::isa_tests
