// Fields that instructions ignore (isa/ignored_fields.h): every row, in every encoding,
// with every bit of them set, leaves what it leaves with the bit clear, in the interpreter and in
// compiled code. And VOP3's neg and abs of sources that are no floats: as if the sign bit had been
// changed in the register.
#include "isa/ignored_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <functional>
#include <iostream>

#include "differential/assembler.h"
#include "differential/compare.h"
#include "differential/generator.h"
#include "differential/instruction_maker.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"

namespace gcnjit::differential {
namespace {

using frontend::Encoding;
using frontend::Generation;
using frontend::Instruction;
using frontend::OpcodeRow;

constexpr uint32_t kVgprs = 48;

// The interpreter, and every JIT that the host has.
Comparison Engines(Machine& machine) {
  std::vector<Engine> jits;
  for (const char* isa : {"avx2", "avx512"}) {
    if (auto jit = JitEngine(isa)) jits.push_back(std::move(*jit));
  }
  return Comparison(machine, InterpreterEngine(), std::move(jits));
}

Program ProgramOf(Generation generation, const Item& item, uint64_t seed) {
  Program program;
  program.generation = generation;
  program.seed = seed;
  program.vgpr_count = kVgprs;
  program.mode = 0xC0;  // without IEEE and f32 denormals, so that OMOD acts where it can
  program.items = {item, Assembler(generation).Sopp(frontend::Opcode::S_ENDPGM)};
  return program;
}

bool IsRun(Generation generation, const OpcodeRow& row) {
  return row.ExistsOn(generation) && row.refusal == nullptr && !row.Has(frontend::BRANCH) &&
         !row.Has(frontend::END) && ExcludedReason(row.opcode) == nullptr;
}

class IgnoredFieldsTest : public testing::TestWithParam<Generation> {
 protected:
  Machine machine_;
  Random random_{1};
  InstructionMaker maker_{GetParam(), VgprPlan{kVgprs}, random_};

  // An instruction with zeros in what it ignores.
  std::optional<Item> Plain(const OpcodeRow& row, Form form,
                            std::initializer_list<Field> fields = {}) {
    auto item = maker_.Make(row, form, fields);
    Instruction made;
    if (!item || Decode(GetParam(), item->words, made) != frontend::DecodeStatus::kOk) return {};
    const frontend::IgnoredFields ignored(GetParam(), row, made.encoding);
    for (size_t n = 0; n < 2; ++n) item->words[n] &= ~ignored.Mask(n);
    return item;
  }
};
INSTANTIATE_TEST_SUITE_P(Generations, IgnoredFieldsTest, testing::ValuesIn(frontend::kGenerations),
                         [](const auto& info) { return frontend::TargetName(info.param); });

TEST_P(IgnoredFieldsTest, ChangeNothing) {
  Comparison interpreter(machine_, InterpreterEngine(), std::vector<Engine>{});
  Comparison engines = Engines(machine_);
  uint64_t executed = 0;
  uint64_t fields = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!IsRun(GetParam(), row)) continue;
    for (const Form form : FormsOf(GetParam(), row)) {
      const auto item = Plain(row, form);
      if (!item) continue;
      Instruction plain;
      ASSERT_EQ(Decode(GetParam(), item->words, plain), frontend::DecodeStatus::kOk);
      const frontend::IgnoredFields ignored(GetParam(), row, plain.encoding);
      if (ignored.empty()) continue;
      Program program = ProgramOf(GetParam(), *item, static_cast<uint64_t>(n));
      InitialState initial;
      FillInitialState(machine_, program, 0, initial);
      interpreter.Load(program);
      ASSERT_NE(interpreter.CompareLoaded(program, initial), Verdict::kUnfinished);
      const Outcome expected = interpreter.expected();

      const auto check = [&](Comparison& comparison, const encoding::Words& words) {
        SCOPED_TRACE(fmt::format("{} as {:08x} {:08x}", frontend::Disassemble(GetParam(), plain),
                                 words[0], words[1]));
        program.items[0].words = words;
        comparison.Load(program);
        EXPECT_EQ(comparison.CompareLoaded(program, initial), Verdict::kSame);
        const std::string difference =
            Differences(expected, comparison.expected(), program.vgpr_count, true, machine_);
        EXPECT_EQ(difference, "");
        ++executed;
      };
      encoding::Words all = item->words;
      for (const frontend::EncodedField& field : ignored) {
        ++fields;
        all[field.word] |= field.Mask();
        for (int bit = field.lo; bit < field.lo + field.bits; ++bit) {
          encoding::Words words = item->words;
          words[field.word] |= 1u << bit;
          check(interpreter, words);
        }
      }
      check(engines, all);
      if (HasFailure() && executed > 20000) return;
    }
  }
  EXPECT_GT(fields, 500u);
  std::cout << fmt::format("{}: {} fields, {} executed\n", frontend::TargetName(GetParam()), fields,
                           executed);
}

// What the decoder refuses of VOP3's fields is refused in every instruction of the row: a field is
// ignored, acts, or is refused, never one of them by chance.
TEST_P(IgnoredFieldsTest, AreCleared) {
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!IsRun(GetParam(), row)) continue;
    for (const Form form : FormsOf(GetParam(), row)) {
      const auto item = Plain(row, form);
      if (!item) continue;
      Instruction plain;
      ASSERT_EQ(Decode(GetParam(), item->words, plain), frontend::DecodeStatus::kOk);
      encoding::Words words = item->words;
      const frontend::IgnoredFields ignored(GetParam(), row, plain.encoding);
      for (size_t word = 0; word < 2; ++word) words[word] |= ignored.Mask(word);
      Instruction set;
      ASSERT_EQ(Decode(GetParam(), words, set), frontend::DecodeStatus::kOk) << row.id;
      EXPECT_EQ(frontend::Disassemble(GetParam(), set), frontend::Disassemble(GetParam(), plain));
      const std::string text = frontend::DisassembleWords(GetParam(), words, set, 0);
      EXPECT_EQ(text.starts_with(".long "), !ignored.empty()) << text;
    }
  }
}

// The register that holds the sign of source n.
uint32_t SignRegister(const OpcodeRow& row, size_t n) {
  return 2 + 4 * static_cast<uint32_t>(n) + (BitsOf(row.src[n]) == 64 ? 1 : 0);
}

TEST_P(IgnoredFieldsTest, SignsOfIntegersAreChangedAsInRegisters) {
  Comparison engines = Engines(machine_);
  uint64_t executed = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!IsRun(GetParam(), row) || row.Has(frontend::M0_IN)) continue;
    const bool vop3 = row.On(GetParam()).format == frontend::Format::kVop3;
    if (!vop3 && Vop3NumberOf(row, GetParam()) < 0) continue;
    for (size_t source = 0; source < 3; ++source) {
      if (!TakesIntegerSignModifiers(row, source)) continue;
      // Sources in registers of their own: v2, v6, v10. A vector result goes to v20.
      const bool to_scalar = row.dst == frontend::OperandType::M64;
      const auto vgpr = [&](size_t at, int lo) -> Field {
        const bool is_vector =
            row.src[at] != frontend::OperandType::NONE && row.src[at] != frontend::OperandType::M64;
        const uint32_t none = row.src[at] == frontend::OperandType::NONE ? 0u : uint32_t{kPool};
        return {1, lo, 9, is_vector ? 258 + 4 * static_cast<uint32_t>(at) : none};
      };
      const uint32_t abs_bits = row.Has(frontend::CARRY_OUT) ? 1 : 3;
      auto item = Plain(row, vop3 ? Form::kHome : Form::kVop3,
                        {vgpr(0, 0),
                         vgpr(1, 9),
                         vgpr(2, 18),
                         {0, 0, 8, to_scalar ? uint32_t{kPool} : 20},
                         {1, 27, 5, 0}});
      if (!item) continue;
      if (!row.Has(frontend::CARRY_OUT)) item->words[0] &= ~(7u << 8);
      for (uint32_t change = 1; change <= abs_bits; ++change) {
        const bool neg = (change & 1) != 0;
        const bool abs = (change & 2) != 0;
        Program program = ProgramOf(GetParam(), *item, static_cast<uint64_t>(n));
        InitialState plain;
        FillInitialState(machine_, program, 0, plain);
        InitialState changed = plain;
        for (uint32_t& lane : changed.wave.vgpr[SignRegister(row, source)]) {
          lane = (lane & (abs ? 0x7FFFFFFFu : ~0u)) ^ (neg ? 0x80000000u : 0);
        }
        engines.Load(program);
        ASSERT_NE(engines.CompareLoaded(program, changed), Verdict::kUnfinished);
        Outcome expected = engines.expected();
        const uint32_t reg = SignRegister(row, source);
        std::memcpy(expected.wave.vgpr[reg], plain.wave.vgpr[reg], sizeof plain.wave.vgpr[reg]);

        encoding::Words& words = program.items[0].words;
        if (neg) words[1] |= 1u << (29 + source);
        if (abs) words[0] |= 1u << (8 + source);
        SCOPED_TRACE(Listing(program, 0));
        engines.Load(program);
        EXPECT_EQ(engines.CompareLoaded(program, plain), Verdict::kSame);
        EXPECT_EQ(Differences(expected, engines.expected(), kVgprs, true, machine_), "");
        ++executed;
      }
    }
  }
  EXPECT_GT(executed, 200u);
  std::cout << fmt::format("{}: {} executed\n", frontend::TargetName(GetParam()), executed);
}

}  // namespace
}  // namespace gcnjit::differential
