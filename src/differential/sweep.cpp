#include "differential/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "differential/assembler.h"
#include "differential/generator.h"
#include "differential/instruction_maker.h"
#include "differential/operand_values.h"
#include "differential/progress.h"
#include "differential/sweep_state.h"
#include "encoding/row_samples.h"
#include "isa/matrix_shape.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using frontend::Instruction;
using frontend::OpcodeRow;

constexpr int kMadeSamples = 24;  // random ones of a row and form, besides the systematic ones

struct Dose {
  size_t samples_in;  // one of so many samples of a row
  int modes;          // of the 16 rounding and denormal modes, for floating-point rows
  uint64_t waves;     // at most, for each sample and mode
};
constexpr Dose kFullDose = {1, 16, 16};
constexpr Dose kQuickDose = {8, 1, 2};

// A row, and each of its samples, has random numbers of its own: a failure repeats whatever runs
// before it.
Random RandomOf(const SweepOptions& options, const OpcodeRow& row) {
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : std::string_view(row.id))
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return Random(options.seed ^ hash);
}
Random RandomOf(const SweepOptions& options, const encoding::Words& words, bool sram_ecc) {
  Random random(options.seed ^ uint64_t{sram_ecc});
  uint64_t state = random.Next();
  for (const uint32_t word : words) state = Random(state ^ word).Next();
  return Random(state);
}

bool IsFloatRow(const OpcodeRow& row) {
  if ((row.flags & (frontend::FP32 | frontend::FP64 | frontend::FPCVT)) != 0) return true;
  return IsFloat(row.dst) || std::ranges::any_of(row.src, frontend::IsFloat);
}

bool UsesMemory(const Instruction& instruction) {
  using frontend::Encoding;
  switch (instruction.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc:
    case Encoding::kSopp: return false;
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopc:
    case Encoding::kVop3a:
    case Encoding::kVop3b:
    case Encoding::kVop3p:
    case Encoding::kMai:
    case Encoding::kSdwa:
    case Encoding::kDpp:  // LDS_DIRECT only
      return std::ranges::any_of(instruction.src, [](const frontend::Operand& operand) {
        return operand.kind == frontend::OperandKind::kSpecial;
      });
    default: return true;
  }
}

// The systematic samples and some random ones, decoded and without repetition.
std::vector<Item> SamplesOf(Generation generation, const OpcodeRow& row, Random& random) {
  std::vector<encoding::Words> candidates = encoding::RowSamples(generation, row);
  const VgprPlan plan{32};
  InstructionMaker maker(generation, plan, random);
  for (const Form form : FormsOf(generation, row)) {
    for (int n = 0; n < kMadeSamples; ++n) {
      if (const auto item = maker.Make(row, form)) candidates.push_back(item->words);
    }
  }
  std::vector<Item> samples;
  std::set<encoding::Words> seen;
  for (encoding::Words words : candidates) {
    const runtime::CodeSlot slot = runtime::DecodeSlot(generation, words);
    if (slot.status != frontend::DecodeStatus::kOk || slot.instruction.opcode != row.opcode) {
      continue;
    }
    Item item;
    item.size = slot.instruction.size / 4;
    if (item.size == 1) words[1] = 0;
    item.words = words;
    if (seen.insert(words).second) samples.push_back(item);
  }
  return samples;
}

class Sweep {
 public:
  Sweep(Comparison& comparison, const SweepOptions& options, std::ostream& out)
      : comparison_(comparison),
        options_(options),
        dose_(options.quick ? kQuickDose : kFullDose),
        out_(out) {}

  SweepResult Run() {
    begin_ = shown_ = Now();
    uint64_t number = 0;
    for (int n = 0; n < frontend::kOpcodeCount; ++n) {
      const OpcodeRow& row = frontend::RowOf(n);
      if (!row.ExistsOn(options_.generation) || row.refusal != nullptr) continue;
      if (!options_.row.empty() && options_.row != row.id) continue;
      // Branches need a program around them.
      if (row.Has(frontend::BRANCH) || row.Has(frontend::END)) continue;
      if (ExcludedReason(row.opcode) != nullptr) continue;
      if (!options_.shard.Has(number++)) continue;
      RunRow(row);
      if (IsOver()) {
        result_.complete = n + 1 == frontend::kOpcodeCount;
        break;
      }
    }
    result_.seconds = Now() - begin_;
    return std::move(result_);
  }

 private:
  bool IsOver() {
    const double now = Now();
    result_.seconds = now - begin_;
    if (options_.progress && now - shown_ > kProgressSeconds) {
      shown_ = now;
      options_.progress(result_);
    }
    return (options_.seconds > 0 && result_.seconds > options_.seconds) ||
           result_.failed_rows >= static_cast<uint64_t>(options_.max_failed_rows);
  }

  void RunRow(const OpcodeRow& row) {
    ++result_.rows;
    int failures = 0;
    Random random = RandomOf(options_, row);
    const std::vector<Item> samples = SamplesOf(options_.generation, row, random);
    const size_t every = dose_.samples_in;
    const uint32_t phase = random.Below(static_cast<uint32_t>(every));
    for (size_t n = phase % std::max<size_t>(samples.size(), 1); n < samples.size(); n += every) {
      if (!RunSample(row, samples[n], false)) ++failures;
      if (HasHalfWithEcc(samples[n]) && !RunSample(row, samples[n], true)) ++failures;
      if (failures >= options_.failures_of_row || IsOver()) break;
    }
    if (failures > 0) ++result_.failed_rows;
  }

  // Does SRAM-ECC make a difference?
  bool HasHalfWithEcc(const Item& sample) const {
    if (!frontend::Has(options_.generation, frontend::kSramEcc)) return false;
    return runtime::DecodeSlot({options_.generation, true}, sample.words).instruction.zeroes_half;
  }

  // False if the engines differ.
  bool RunSample(const OpcodeRow& row, const Item& sample, bool sram_ecc) {
    random_ = RandomOf(options_, sample.words, sram_ecc);
    Program program;
    program.generation = options_.generation;
    program.sram_ecc = sram_ecc;
    const runtime::CodeSlot slot = runtime::DecodeSlot(program.processor(), sample.words);
    program.seed = options_.seed;
    program.vgpr_count = std::max<uint32_t>({slot.vgpr_limit.vgprs, slot.vgpr_limit.acc_vgprs, 16});
    program.uses_memory = UsesMemory(slot.instruction);
    program.uses_gds = slot.instruction.gds;
    program.items = {sample, Assembler(options_.generation).Sopp(frontend::Opcode::S_ENDPGM)};
    const int modes = IsFloatRow(row) ? dose_.modes : 1;
    const uint32_t first_mode = modes == 16 ? 0 : random_.Bits(4);
    for (int n = 0; n < modes; ++n) {
      program.mode = ModeOf(first_mode + static_cast<uint32_t>(n), IsFloatRow(row));
      // Matrices round to nearest whatever MODE says; where it flushes, the first denormal faults.
      if (frontend::MatrixShapeOf(row.opcode) != nullptr) {
        program.mode |= random_.Bits(4) | 3u << runtime::kModeDenorm32Shift;
      }
      if (!RunMode(program, slot.instruction)) return false;
    }
    return true;
  }

  // Rounding and denormals of both widths; the other bits at random.
  uint32_t ModeOf(uint32_t n, bool is_float) {
    const uint32_t round = n & 3;
    const uint32_t denormals = n >> 2 & 3;
    uint32_t mode = is_float ? round | round << 2 | denormals << 4 | denormals << 6 : 0xC0;
    if (random_.Percent(50)) mode |= runtime::kModeDx10Clamp;
    if (random_.Percent(50)) mode |= runtime::kModeIeee;
    if (is_float && frontend::IsGfx9(options_.generation) && random_.Percent(10)) {
      mode |= runtime::kModeFp16Overflow;
    }
    return mode;
  }

  bool RunMode(const Program& program, const Instruction& instruction) {
    ++result_.samples;
    comparison_.Load(program);
    SweepState state(comparison_.machine(), program, instruction);
    // All combinations if they are few; else an even choice of them, and a random wave.
    const uint64_t all = state.Combinations();
    const uint64_t count = std::min(all, dose_.waves);
    const uint64_t offset =
        random_.Below(static_cast<uint32_t>(std::max<uint64_t>(all / count, 1)));
    for (uint64_t n = 0; n <= count; ++n) {
      state.Fill(n == count ? all : std::min(n * all / count + offset, all - 1), random_);
      ++result_.executed;
      const Verdict verdict = comparison_.CompareLoaded(program, state.initial());
      if (comparison_.expected().event == runtime::WaveEvent::kFault) ++result_.faulted;
      if (verdict != Verdict::kDifferent) continue;
      Report(program, instruction, state);
      return false;
    }
    return true;
  }

  void Report(const Program& program, const Instruction& instruction, const SweepState& state) {
    Failure failure;
    failure.generation = options_.generation;
    failure.seed = options_.seed;
    failure.row = instruction.row().id;
    failure.instructions = 1;
    for (const Engine* engine : comparison_.differing()) failure.engines.push_back(engine->name);
    failure.report = comparison_.Report(program) + Operands(program, instruction, state);
    failure.command =
        fmt::format("gcnjit fuzz --sweep={} --gen {} --engines {} --seed {}{}", failure.row,
                    frontend::TargetName(options_.generation), comparison_.EngineNames(),
                    options_.seed, options_.quick ? " --quick" : "");
    out_ << fmt::format("---- {}(repeat with {})\n", failure.report, failure.command) << std::flush;
    result_.failures.push_back(std::move(failure));
  }

  // What the instruction found in its registers, in a lane that differs.
  std::string Operands(const Program& program, const Instruction& instruction,
                       const SweepState& state) const {
    const runtime::WaveState& a = comparison_.expected().wave;
    const runtime::WaveState& b = comparison_.got().wave;
    int lane = 0;
    for (uint32_t reg = 0; reg < runtime::kFirstAccVgpr + a.acc_vgpr_count; ++reg) {
      if (reg >= program.vgpr_count && reg < runtime::kFirstAccVgpr) continue;
      const auto at = std::ranges::mismatch(a.vgpr[reg], b.vgpr[reg]).in1 - a.vgpr[reg];
      if (at < runtime::kLanes) lane = static_cast<int>(at);
    }
    return "  before: " + OperandValues(instruction, state.initial().wave, lane) + "\n";
  }

  Comparison& comparison_;
  const SweepOptions& options_;
  const Dose& dose_;
  std::ostream& out_;
  Random random_{0};  // of the sample
  SweepResult result_;
  double begin_ = 0;
  double shown_ = 0;
};

}  // namespace

SweepResult RunSweep(Comparison& comparison, const SweepOptions& options, std::ostream& out) {
  return Sweep(comparison, options, out).Run();
}

std::string Summary(const SweepOptions& options, const Comparison& comparison,
                    const SweepResult& result) {
  return fmt::format(
      "{} {} sweep: {} rows, {} samples, {} waves executed, {} rows failed; {} waves ended in a "
      "fault{}; {:.1f} s\n",
      frontend::TargetName(options.generation), comparison.EngineNames(), result.rows,
      result.samples, result.executed, result.failed_rows, result.faulted,
      result.complete ? "" : "; stopped by the time limit", result.seconds);
}

}  // namespace gcnjit::differential
