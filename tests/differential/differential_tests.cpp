// Random programs in the interpreter and in the JIT. Without arguments a short dose (GoogleTest);
// with --count or --time a long one:
//   differential_tests --count=N --time=SECONDS --seed=S --states=3 --gen=gfx900 --isa=avx512
// With --sweep=all (or a row's name) every instruction by itself, in full:
//   differential_tests --sweep=all --seed=S --gen=gfx900 --isa=avx512
// --gen and --isa may be left out: all of them. --isa=avx512-live: see JitEngine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "differential/campaign.h"
#include "differential/command_line.h"
#include "differential/fixed_addresses.h"
#include "differential/generator.h"
#include "differential/reduce.h"
#include "differential/row_lists.h"
#include "differential/sweep.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using frontend::Opcode;

Machine& SharedMachine() {
  static Machine machine;
  return machine;
}

class DifferentialTest : public testing::TestWithParam<Generation> {};
INSTANTIATE_TEST_SUITE_P(Generations, DifferentialTest, testing::ValuesIn(frontend::kGenerations),
                         [](const auto& info) { return frontend::TargetName(info.param); });

// ---- The harness itself

TEST_P(DifferentialTest, InterpreterEqualsItself) {
  Comparison comparison(SharedMachine(), InterpreterEngine(), InterpreterEngine());
  const CampaignOptions options{.generations = {GetParam()}, .count = 2000};
  std::ostringstream report;
  const CampaignResult result = RunCampaign(comparison, options, report);
  EXPECT_EQ(result.failed, 0u) << report.str();
  std::cout << Summary(options, comparison, result);
  // Else the programs say little.
  EXPECT_LT(result.faulted, result.executed / 5);
  EXPECT_LT(result.unfinished, result.executed / 100);
  EXPECT_GT(result.instructions, result.executed * 20);
}

TEST_P(DifferentialTest, ProgramsDependOnTheSeedAlone) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(Assemble(GenerateProgram(GetParam(), seed)),
              Assemble(GenerateProgram(GetParam(), seed)));
    EXPECT_NE(Assemble(GenerateProgram(GetParam(), seed)),
              Assemble(GenerateProgram(GetParam(), seed + 1)));
  }
}

TEST_P(DifferentialTest, EveryExecutableRowIsGenerated) {
  std::vector<bool> seen(frontend::kOpcodeCount);
  for (uint64_t seed = 1; seed <= 16000; ++seed) {
    const Program program = GenerateProgram(GetParam(), seed);
    for (const Item& item : program.items) {
      frontend::Instruction instruction;
      if (frontend::Decode(GetParam(), item.words, instruction) == frontend::DecodeStatus::kOk) {
        seen[static_cast<size_t>(instruction.opcode)] = true;
      }
    }
  }
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const frontend::OpcodeRow& row = frontend::RowOf(n);
    if (!row.ExistsOn(GetParam()) || row.refusal != nullptr) continue;
    const bool excluded = ExcludedReason(row.opcode) != nullptr;
    EXPECT_NE(seen[static_cast<size_t>(n)], excluded) << row.id;
  }
}

TEST_P(DifferentialTest, SweepOfTheInterpreter) {
  Comparison comparison(SharedMachine(), InterpreterEngine(), InterpreterEngine());
  const SweepOptions options{.generation = GetParam(), .quick = true};
  std::ostringstream report;
  const SweepResult result = RunSweep(comparison, options, report);
  EXPECT_EQ(result.failed_rows, 0u) << report.str();
  std::cout << Summary(options, comparison, result);
  EXPECT_LT(result.faulted, result.executed / 4);
}

struct PlantedError {
  Generation generation;
  Opcode from;
  Opcode to;
};

// An engine that executes one row wrongly must be found, and the program reduced to little more
// than that instruction.
TEST(PlantedErrorTest, IsFoundAndReduced) {
  constexpr PlantedError kErrors[] = {
      {Generation::kGfx900, Opcode::V_ADD_F32, Opcode::V_SUB_F32},
      {Generation::kGfx900, Opcode::V_MAX_I32, Opcode::V_MAX_U32},
      {Generation::kGfx900, Opcode::DS_ADD_U32, Opcode::DS_SUB_U32},
      {Generation::kGfx900, Opcode::GLOBAL_STORE_DWORD, Opcode::GLOBAL_STORE_SHORT},
      {Generation::kGfx906, Opcode::V_DOT4_I32_I8, Opcode::V_DOT4_U32_U8},
      {Generation::kGfx8, Opcode::S_CBRANCH_VCCZ, Opcode::S_CBRANCH_EXECZ},
      {Generation::kGfx8, Opcode::FLAT_LOAD_UBYTE, Opcode::FLAT_LOAD_SBYTE},
      {Generation::kGfx7, Opcode::S_AND_SAVEEXEC_B64, Opcode::S_OR_SAVEEXEC_B64},
      {Generation::kGfx7, Opcode::S_BUFFER_LOAD_DWORDX2, Opcode::S_BUFFER_LOAD_DWORD},
      {Generation::kGfx6, Opcode::V_CMP_LT_F32, Opcode::V_CMP_LE_F32},
      {Generation::kGfx6, Opcode::V_READLANE_B32, Opcode::V_READFIRSTLANE_B32},
      {Generation::kGfx6, Opcode::BUFFER_ATOMIC_ADD, Opcode::BUFFER_ATOMIC_SUB},
  };
  for (const PlantedError& error : kErrors) {
    const frontend::OpcodeRow& row = frontend::RowOf(error.from);
    SCOPED_TRACE(row.id);
    Comparison comparison(SharedMachine(), InterpreterEngine(), WrongEngine(error.from, error.to));
    bool found = false;
    for (uint64_t seed = 1; seed < 20000 && !found; ++seed) {
      const Program program = GenerateProgram(error.generation, seed);
      if (comparison.Compare(program) != Verdict::kDifferent) continue;
      found = true;
      const Program reduced = Reduce(comparison, program);
      EXPECT_LE(reduced.LiveItems(), 8) << comparison.Report(reduced);
      const std::string report = comparison.Report(reduced);
      EXPECT_NE(report.find(row.Name(error.generation)), std::string::npos) << report;
      EXPECT_NE(report.find("expected"), std::string::npos) << report;
    }
    EXPECT_TRUE(found);
  }
}

TEST(PlantedErrorTest, IsFoundByTheSweep) {
  constexpr PlantedError kErrors[] = {
      {Generation::kGfx900, Opcode::V_MIN_F32, Opcode::V_MAX_F32},
      {Generation::kGfx900, Opcode::V_FMA_F16, Opcode::V_MAD_F16},
      {Generation::kGfx900, Opcode::GLOBAL_ATOMIC_UMIN, Opcode::GLOBAL_ATOMIC_SMIN},
      {Generation::kGfx8, Opcode::V_FMA_F32, Opcode::V_MAD_F32},
      {Generation::kGfx8, Opcode::S_LOAD_DWORDX2, Opcode::S_LOAD_DWORD},
      {Generation::kGfx6, Opcode::V_CMP_NLT_F64, Opcode::V_CMP_GE_F64},
      {Generation::kGfx6, Opcode::DS_MAX_I32, Opcode::DS_MAX_U32},
  };
  for (const PlantedError& error : kErrors) {
    Comparison comparison(SharedMachine(), InterpreterEngine(), WrongEngine(error.from, error.to));
    const SweepOptions options{.generation = error.generation,
                               .row = frontend::RowOf(error.from).id};
    std::ostringstream report;
    EXPECT_EQ(RunSweep(comparison, options, report).failed_rows, 1u) << options.row;
  }
}

// ---- The JIT

class JitTest : public testing::TestWithParam<std::tuple<Generation, const char*>> {};
INSTANTIATE_TEST_SUITE_P(All, JitTest,
                         testing::Combine(testing::ValuesIn(frontend::kGenerations),
                                          testing::Values("avx2", "avx512", "avx2-live",
                                                          "avx512-live")),
                         [](const auto& info) {
                           std::string name =
                               fmt::format("{}_{}", frontend::TargetName(std::get<0>(info.param)),
                                           std::get<1>(info.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(JitTest, RandomPrograms) {
  const auto& [generation, isa] = GetParam();
  std::optional<Engine> jit = JitEngine(isa);
  if (!jit) GTEST_SKIP() << "this host has no " << isa;
  Comparison comparison(SharedMachine(), InterpreterEngine(), std::move(*jit));
  const CampaignOptions options{
      .generations = {generation}, .seed = 1, .count = 500, .seconds = 10, .max_failures = 3};
  std::ostringstream report;
  const CampaignResult result = RunCampaign(comparison, options, report);
  std::cout << Summary(options, comparison, result);
  EXPECT_EQ(result.failed, 0u) << report.str();
  // What the JIT leaves to the interpreter is equal without proving anything.
  EXPECT_GT(comparison.tested()[0].counts->CompiledShare(), 0.85)
      << comparison.tested()[0].counts->Describe();
}

TEST_P(JitTest, Sweep) {
  const auto& [generation, isa] = GetParam();
  if (std::string_view(isa).ends_with("-live")) GTEST_SKIP() << "a row shows registers only";
  std::optional<Engine> jit = JitEngine(isa);
  if (!jit) GTEST_SKIP() << "this host has no " << isa;
  Comparison comparison(SharedMachine(), InterpreterEngine(), std::move(*jit));
  const SweepOptions options{.generation = generation, .quick = true};
  std::ostringstream report;
  const SweepResult result = RunSweep(comparison, options, report);
  std::cout << Summary(options, comparison, result);
  EXPECT_EQ(result.failed_rows, 0u) << report.str();
}

// ---- Long doses

uint64_t RunLong(const CommandLine& command, Generation generation, Comparison& comparison) {
  if (command.sweep) {
    const SweepOptions options{.generation = generation,
                               .seed = command.seed,
                               .row = command.row,
                               .seconds = command.seconds};
    const SweepResult result = RunSweep(comparison, options, std::cout);
    std::cout << Summary(options, comparison, result) << std::flush;
    return result.failed_rows;
  }
  const CampaignOptions options{.generations = {generation},
                                .seed = command.seed,
                                .count = command.count,
                                .seconds = command.seconds,
                                .max_failures = command.max_failures};
  const CampaignResult result = RunCampaign(comparison, options, std::cout);
  std::cout << Summary(options, comparison, result) << std::flush;
  return result.failed;
}

int RunLongDose(CommandLine command) {
  uint64_t failed = 0;
  // The time is for all of it.
  command.seconds /= static_cast<double>(command.isas.size() * command.generations.size());
  for (const std::string& isa : command.isas) {
    std::optional<Engine> engine = EngineOf(isa);
    if (!engine) {
      std::cout << "this host has no " << isa << "\n";
      continue;
    }
    Comparison comparison(SharedMachine(), InterpreterEngine(), std::move(*engine));
    comparison.set_states(command.states);
    for (const Generation generation : command.generations) {
      failed += RunLong(command, generation, comparison);
      if (const auto& counts = comparison.tested()[0].counts) {
        std::cout << "  " << counts->Describe() << "\n";
        *counts = {};
      }
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gcnjit::differential

int main(int argc, char** argv) {
  using namespace gcnjit::differential;
  FixAddresses();
  testing::InitGoogleTest(&argc, argv);
  const std::optional<CommandLine> command = ParseCommandLine(argc, argv, std::cerr);
  if (!command) return 2;
  return command->long_dose ? RunLongDose(*command) : RUN_ALL_TESTS();
}
