// Float rows on the values that float rules are about: every class of numbers, neighbours of powers
// of two and of ties, operands that are equal or cancel out; under random rounding, denormal and
// NaN modes. Lifted and evaluated, they must leave what the interpreter leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "../unit/frontend/flow/wave_fixture.h"
#include "encoding/row_samples.h"
#include "frontend/disassemble/disassembler.h"
#include "frontend/lift/lifter.h"
#include "lift/lifted_step.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Generation;
using frontend::OneIn;
using frontend::OpcodeRow;
using frontend::Operand;
using frontend::OperandKind;
using frontend::OperandType;
using frontend::Random;
using runtime::CodeSlot;
using runtime::WaveState;

// States each sample is tried on; GCNJIT_LIFT_FLOAT_STATES for a longer dose.
int StatesEach() {
  const char* wanted = std::getenv("GCNJIT_LIFT_FLOAT_STATES");
  return wanted != nullptr ? std::atoi(wanted) : 2;
}

struct Format {
  int bits;
  int fraction_bits;
  int bias;
};
constexpr Format kHalf = {16, 10, 15};
constexpr Format kSingle = {32, 23, 127};
constexpr Format kDouble = {64, 52, 1023};

uint64_t Below(Random& random, int64_t end) { return random() % static_cast<uint64_t>(end); }

uint64_t Exponent(Random& random, const Format& f) {
  const int64_t top = 2 * f.bias + 1;
  switch (random() % 8) {
    case 0: return 0;
    case 1: return static_cast<uint64_t>(top);
    case 2: return Below(random, 4);
    case 3: return static_cast<uint64_t>(top - 1) - Below(random, 3);
    case 4: return static_cast<uint64_t>(f.bias) + Below(random, f.bias < 32 ? 15 : 34);
    case 5: return static_cast<uint64_t>(f.bias) - Below(random, f.bias < 32 ? 14 : 30);
    default: return Below(random, top);
  }
}

uint64_t Fraction(Random& random, const Format& f) {
  const uint64_t all = (uint64_t{1} << f.fraction_bits) - 1;
  const uint64_t bit = uint64_t{1} << Below(random, f.fraction_bits);
  switch (random() % 6) {
    case 0: return 0;
    case 1: return bit;
    case 2: return all;
    case 3: return all & ~bit;
    case 4: return random() % 4;
    default: return random() & all;
  }
}

uint64_t Float(Random& random, const Format& f) {
  const uint64_t sign = (random() & 1) << (f.bits - 1);
  return sign | Exponent(random, f) << f.fraction_bits | Fraction(random, f);
}

// A number of about 2^exponent, of few bits or many.
uint64_t Near(Random& random, const Format& f, int64_t exponent) {
  const int64_t biased = std::clamp<int64_t>(exponent + f.bias, 0, 2 * f.bias);
  const uint64_t sign = (random() & 1) << (f.bits - 1);
  return sign | static_cast<uint64_t>(biased) << f.fraction_bits | Fraction(random, f);
}

class FloatSweep {
 public:
  explicit FloatSweep(Generation generation)
      : generation_(generation), random_(4242 + static_cast<uint64_t>(generation)) {
    dispatch_.memory = memory_.guest();
    dispatch_.processor = generation;
    dispatch_.stop = &stop_;
    group_.lds = memory_.lds();
    group_.lds_bytes = frontend::TestMemory::kLdsBytes;
    group_.wave_count = 1;
    frontend::FillState(pool_, random_, registers_, *pattern_);
  }

  void Run(const OpcodeRow& row) {
    for (const encoding::Words& words : encoding::RowSamples(generation_, row)) {
      const CodeSlot slot = runtime::DecodeSlot(generation_, words);
      if (slot.status != frontend::DecodeStatus::kOk || slot.instruction.opcode != row.opcode) {
        continue;
      }
      for (int n = 0; n < StatesEach() && reports_ < kMaxReports; ++n) Compare(slot, words);
      if (slot.instruction.encoding == frontend::Encoding::kVop3a) RunWithConstants(row, words);
    }
  }
  // Chains of instructions that use each other's results: the lifter knows what a sum cannot be.
  void RunChains(std::span<const frontend::Opcode> rows) {
    for (int n = 0; n < 200 * StatesEach() && reports_ < kMaxReports; ++n) {
      std::vector<CodeSlot> slots;
      while (slots.size() < 4) {
        const OpcodeRow& row = frontend::RowOf(rows[random_() % rows.size()]);
        if (row.ExistsOn(generation_)) slots.push_back(RandomVop3(row));
      }
      CompareChain(slots);
    }
  }
  int runs() const { return runs_; }

 private:
  // With registers v0, v2, v4 or v6, neg and abs.
  CodeSlot RandomVop3(const OpcodeRow& row) {
    const auto reg = [this] { return static_cast<uint32_t>(random_() % 4 * 2); };
    const auto number = static_cast<uint32_t>(frontend::Vop3NumberOf(row, generation_) >= 0
                                                  ? frontend::Vop3NumberOf(row, generation_)
                                                  : row.On(generation_).number);
    const auto modifiers = [this] { return OneIn(random_, 2) ? random_() & 7 : 0; };
    const uint32_t opcode = number << (frontend::IsGfx8Plus(generation_) ? 16 : 17);
    encoding::Words words = {0xD0000000 | opcode | reg(), 0};
    uint32_t present = 0;
    for (uint32_t n = 0; n < 3; ++n) {
      if (row.src[n] == OperandType::NONE) continue;
      words[1] |= (256 + reg()) << (9 * n);
      present |= 1u << n;
    }
    words[0] |= (static_cast<uint32_t>(modifiers()) & present) << 8;
    words[1] |= (static_cast<uint32_t>(modifiers()) & present) << 29;
    CodeSlot slot = runtime::DecodeSlot(generation_, words);
    EXPECT_EQ(slot.status, frontend::DecodeStatus::kOk);
    EXPECT_EQ(slot.instruction.opcode, row.opcode);
    return slot;
  }

  void CompareChain(std::span<const CodeSlot> slots) {
    frontend::CopyState(*pattern_, registers_, *initial_);
    const OperandType type = slots[0].instruction.dst.type;
    Operand operand;
    operand.kind = OperandKind::kVector;
    operand.type = type;
    for (int lane = 0; lane < runtime::kLanes; ++lane) {
      for (uint16_t reg = 0; reg < 8; reg += 2) {
        operand.index = reg;
        Set(*initial_, operand, lane, ValueOf(type));
      }
    }
    initial_->SetPair(frontend::kCodeExecLo, OneIn(random_, 2) ? ~uint64_t{0} : random_());
    initial_->mode = static_cast<uint32_t>(random_() & 0x3FF);
    frontend::CopyState(*initial_, registers_, *lifted_);
    runtime::Wave wave{*lifted_, group_, dispatch_};
    ASSERT_EQ(RunLifted(wave, slots), "");
    frontend::CopyState(*initial_, registers_, *expected_);
    const uint32_t host_mxcsr = _mm_getcsr();
    runtime::Wave reference{*expected_, group_, dispatch_};
    for (const CodeSlot& slot : slots) runtime::StepWave(reference, slot);
    _mm_setcsr(host_mxcsr);
    ++runs_;
    if (std::memcmp(lifted_.get(), expected_.get(), frontend::StateBytes(registers_)) == 0) return;
    ++reports_;
    std::string code;
    for (const CodeSlot& slot : slots) {
      code += frontend::Disassemble(generation_, slot.instruction) + "; ";
    }
    ADD_FAILURE() << code << frontend::TargetName(generation_) << ": "
                  << Difference(slots[0].instruction);
  }

  // Some or all sources of a VOP3 instruction as inline constants, which the lifter may know how to
  // use.
  void RunWithConstants(const OpcodeRow& row, const encoding::Words& words) {
    // 0, small integers (denormals to a float), -1, and +-0.5 to 1/(2 pi).
    constexpr uint32_t kCodes[] = {128, 129, 133, 177, 193, 240, 241, 242, 243, 247, 248};
    for (int n = 0; n < StatesEach() && reports_ < kMaxReports; ++n) {
      encoding::Words changed = words;
      for (int source = 0; source < 3; ++source) {
        if (row.src[source] == OperandType::NONE || OneIn(random_, 3)) continue;
        const uint32_t code = kCodes[random_() % std::size(kCodes)];
        changed[1] = (changed[1] & ~(0x1FFu << (9 * source))) | code << (9 * source);
      }
      const CodeSlot slot = runtime::DecodeSlot(generation_, changed);
      if (slot.status != frontend::DecodeStatus::kOk) continue;
      if (slot.instruction.opcode == row.opcode) Compare(slot, changed);
    }
  }

  static constexpr int kMaxReports = 40;

  // What a register of the type holds.
  uint64_t ValueOf(OperandType type) {
    switch (type) {
      case OperandType::F64: return Float(random_, kDouble);
      case OperandType::F32: return Float(random_, kSingle);
      case OperandType::F16:
      case OperandType::P16F: return Halves();
      case OperandType::MIX: return OneIn(random_, 2) ? Halves() : Float(random_, kSingle);
      default: break;
    }
    // Integers: as numbers to convert, exponents to scale by, sets of classes.
    const uint64_t magnitude = random_() >> (random_() % 64);
    return OneIn(random_, 2) ? magnitude : ~magnitude;
  }
  uint64_t Halves() { return Float(random_, kHalf) | Float(random_, kHalf) << 16; }

  void Set(WaveState& state, const Operand& operand, int lane, uint64_t value) {
    if (operand.kind == OperandKind::kVector) {
      state.vgpr[operand.index][lane] = static_cast<uint32_t>(value);
      if (frontend::RegistersOf(operand.type) == 2) {
        state.vgpr[operand.index + 1][lane] = static_cast<uint32_t>(value >> 32);
      }
    } else if (operand.kind == OperandKind::kScalar && lane == 0 && operand.index < 100) {
      state.sgpr[operand.index] = static_cast<uint32_t>(value);
      if (frontend::RegistersOf(operand.type) == 2) {
        state.sgpr[operand.index + 1] = static_cast<uint32_t>(value >> 32);
      }
    }
  }

  // -(x * y), or near it.
  uint64_t Cancelling(OperandType type, uint64_t x, uint64_t y) {
    uint64_t product = 0;
    if (type == OperandType::F64) {
      product = std::bit_cast<uint64_t>(-std::bit_cast<double>(x) * std::bit_cast<double>(y));
    } else if (type == OperandType::F32) {
      const auto single = [](uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); };
      product = std::bit_cast<uint32_t>(-single(x) * single(y));
    }
    return product + random_() % 3 - 1;
  }

  // A product and an addend whose sum is where v_div_fmas scales it to the ends of the range.
  void FillSum(const Format& f, uint64_t (&values)[3]) {
    const int64_t scale = f.bits == 64 ? 128 : 64;
    const auto within = [this](int64_t range) {
      return static_cast<int64_t>(Below(random_, 2 * range + 1)) - range;
    };
    const bool at_top = OneIn(random_, 4);
    const int64_t target = at_top ? f.bias + scale / 2 + within(scale / 2 + 2)
                                  : 1 - f.bias + scale + within(OneIn(random_, 2) ? 3 : 60);
    const int64_t apart = within(OneIn(random_, 2) ? f.bias / 2 : 20);
    values[0] = Near(random_, f, target / 2 + apart);
    values[1] = Near(random_, f, target - target / 2 - apart);
    const bool far = OneIn(random_, 2);
    values[2] = Near(random_, f, at_top ? within(f.bias) : target + within(far ? 120 : 3));
  }

  void FillOperands(WaveState& state, const frontend::Instruction& i) {
    const OperandType type = i.dst.type;
    const bool fused = (type == OperandType::F32 || type == OperandType::F64) &&
                       i.src[0].type == type && i.src[1].type == type && i.src[2].type == type;
    for (int lane = 0; lane < runtime::kLanes; ++lane) {
      uint64_t values[3] = {};
      for (int n = 0; n < 3; ++n) {
        const OperandType source = i.src[n].type;
        values[n] = ValueOf(source);
        const int other = static_cast<int>(random_() % 3);
        if (other < n && i.src[other].type == source && OneIn(random_, 2)) {
          values[n] = values[other];
          if (OneIn(random_, 2)) values[n] += random_() % 3 - 1;
          const int bits = frontend::BitsOf(source);  // 0: there is no such operand
          if (bits != 0 && OneIn(random_, 3)) values[n] ^= uint64_t{1} << (bits - 1);
        }
        if (n == 2 && OneIn(random_, 4)) values[n] = Cancelling(source, values[0], values[1]);
      }
      if (fused && OneIn(random_, 3)) {
        FillSum(type == OperandType::F32 ? kSingle : kDouble, values);
      }
      if (i.row().Has(frontend::READS_DST)) Set(state, i.dst, lane, ValueOf(i.dst.type));
      for (int n = 0; n < 3; ++n) Set(state, i.src[n], lane, values[n]);
    }
  }

  void Compare(const CodeSlot& slot, const encoding::Words& words) {
    frontend::CopyState(*pattern_, registers_, *initial_);
    FillOperands(*initial_, slot.instruction);
    initial_->SetPair(frontend::kCodeVccLo, random_());
    initial_->SetPair(frontend::kCodeExecLo, OneIn(random_, 2) ? ~uint64_t{0} : random_());
    initial_->mode = static_cast<uint32_t>(random_() & 0x3FF);
    if (OneIn(random_, 3)) initial_->mode = (initial_->mode & 0x300) | 0xC0;
    if (OneIn(random_, 4)) initial_->mode |= runtime::kModeFp16Overflow;

    frontend::CopyState(*initial_, registers_, *lifted_);
    runtime::Wave wave{*lifted_, group_, dispatch_};
    const std::string reason = StepLifted(wave, slot);
    if (!reason.empty()) {
      if (reason.starts_with(kMalformed)) Report(slot, words, reason);
      return;
    }
    frontend::CopyState(*initial_, registers_, *expected_);
    const uint32_t host_mxcsr = _mm_getcsr();
    runtime::Wave reference{*expected_, group_, dispatch_};
    runtime::StepWave(reference, slot);
    _mm_setcsr(host_mxcsr);
    ++runs_;
    if (std::memcmp(lifted_.get(), expected_.get(), frontend::StateBytes(registers_)) != 0) {
      Report(slot, words, Difference(slot.instruction));
    }
  }

  std::string Difference(const frontend::Instruction& i) const {
    for (int reg = 0; reg < runtime::kMaxVgprs; ++reg) {
      for (int lane = 0; lane < runtime::kLanes; ++lane) {
        if (lifted_->vgpr[reg][lane] == expected_->vgpr[reg][lane]) continue;
        return fmt::format("v{} lane {}: {:#010x}, expected {:#010x}\n  {}", reg, lane,
                           lifted_->vgpr[reg][lane], expected_->vgpr[reg][lane], Sources(i, lane));
      }
    }
    for (int code = 0; code < 128; ++code) {
      if (lifted_->sgpr[code] == expected_->sgpr[code]) continue;
      const uint32_t difference = lifted_->sgpr[code] ^ expected_->sgpr[code];
      const int lane = std::countr_zero(difference) + (code & 1) * 32;
      return fmt::format("scalar register {}: {:#010x}, expected {:#010x}\n  lane {}:{}", code,
                         lifted_->sgpr[code], expected_->sgpr[code], lane, Sources(i, lane));
    }
    return "another difference";
  }

  std::string Sources(const frontend::Instruction& i, int lane) const {
    std::string text = fmt::format("EXEC {:#x} VCC {:#x} MODE {:#x};", initial_->exec(),
                                   initial_->vcc(), initial_->mode);
    for (const Operand& operand : i.src) {
      if (operand.kind == OperandKind::kVector) {
        text += fmt::format(" v{} {:#010x}:{:#010x}", operand.index,
                            initial_->vgpr[operand.index + 1][lane],
                            initial_->vgpr[operand.index][lane]);
      } else if (operand.kind == OperandKind::kScalar) {
        text += fmt::format(" code {} {:#010x}", operand.index, initial_->sgpr[operand.index]);
      }
    }
    return text;
  }

  void Report(const CodeSlot& slot, const encoding::Words& words, const std::string& what) {
    if (++reports_ > kMaxReports) return;
    ADD_FAILURE() << fmt::format("{} [{:08x} {:08x}] on {}: {}",
                                 frontend::Disassemble(generation_, slot.instruction), words[0],
                                 words[1], frontend::TargetName(generation_), what);
  }

  const Generation generation_;
  const size_t registers_ = frontend::NamedVectorRegisters(generation_);
  Random random_;
  const frontend::DwordPool pool_;
  frontend::TestMemory memory_;
  runtime::DispatchState dispatch_;
  runtime::WorkgroupState group_;
  std::atomic<bool> stop_{false};
  const std::unique_ptr<WaveState> pattern_ = std::make_unique<WaveState>();
  const std::unique_ptr<WaveState> initial_ = std::make_unique<WaveState>();
  const std::unique_ptr<WaveState> lifted_ = std::make_unique<WaveState>();
  const std::unique_ptr<WaveState> expected_ = std::make_unique<WaveState>();
  int runs_ = 0;
  int reports_ = 0;
};

// Of the vector ALU: memory is the other sweep's.
bool IsFloatRow(const OpcodeRow& row) {
  if (!std::string_view(row.id).starts_with("V_")) return false;
  return (row.flags & (frontend::FP32 | frontend::FP64 | frontend::FPCVT)) != 0 ||
         frontend::IsFloat(row.dst);
}

class LiftFloats : public testing::TestWithParam<Generation> {};

// GCNJIT_LIFT_ROWS=V_ADD: only rows whose id begins with that.
TEST_P(LiftFloats, LeaveWhatTheInterpreterLeaves) {
  const char* prefix = std::getenv("GCNJIT_LIFT_ROWS");
  FloatSweep sweep(GetParam());
  int rows = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!row.ExistsOn(GetParam()) || row.refusal != nullptr || !IsFloatRow(row)) continue;
    if (frontend::LiftFunctionOf(row.opcode) == nullptr) continue;
    if (prefix != nullptr && !std::string_view(row.id).starts_with(prefix)) continue;
    ++rows;
    sweep.Run(row);
  }
  EXPECT_GT(rows, prefix == nullptr ? 150 : 0);
  fmt::print("{}: {} rows, {} instructions executed\n", frontend::TargetName(GetParam()), rows,
             sweep.runs());
}

TEST_P(LiftFloats, ChainsLeaveWhatTheInterpreterLeaves) {
  using enum frontend::Opcode;
  FloatSweep sweep(GetParam());
  sweep.RunChains(std::array{V_ADD_F32, V_MUL_F32, V_FRACT_F32, V_MIN_F32, V_MAX_F32, V_MIN3_F32,
                             V_MAX3_F32, V_MED3_F32});
  sweep.RunChains(std::array{V_ADD_F64, V_MUL_F64, V_FRACT_F64, V_MIN_F64, V_MAX_F64});
  if (frontend::IsGfx8Plus(GetParam())) {
    sweep.RunChains(std::array{V_ADD_F32, V_MAX_F32, V_ADD_F16, V_MAX_F16});
    sweep.RunChains(std::array{V_ADD_F16, V_MUL_F16, V_MIN_F16, V_MAX_F16, V_MED3_F16, V_CEIL_F16});
  }
  EXPECT_GT(sweep.runs(), 0);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftFloats, testing::ValuesIn(frontend::kGenerations),
                         [](const testing::TestParamInfo<Generation>& info) {
                           return frontend::TargetName(info.param);
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
