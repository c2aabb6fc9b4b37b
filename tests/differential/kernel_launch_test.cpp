// Random kernels with loops and LDS: their launches leave the same in whatever order they run, they
// have what they are for, and engines agree on them.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "differential/campaign.h"
#include "differential/compare.h"
#include "differential/generator.h"
#include "differential/group_run.h"
#include "frontend/decode/decoder.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using frontend::Opcode;

Machine& LaunchMachine() {
  static Machine machine;
  return machine;
}

// The interpreter, with each launch's groups from the last one to the first.
Engine BackwardsEngine() {
  Engine engine = InterpreterEngine();
  engine.name = "backwards";
  engine.prepare_launch = [](runtime::CodeMap& code) -> LaunchFunction {
    return [run = InterpreterEngine().prepare(code)](GridPlace& grid, const KernelInfo&,
                                                     const LaunchLimits& limits) {
      LaunchResult result;
      for (uint64_t index = limits.groups; index-- > 0;) {
        GroupRun group(grid, index);
        while (group.Take(run, uint64_t{1} << 40)) {
        }
        result.statistics.wave_instructions += group.executed();
      }
      return result;
    };
  };
  return engine;
}

class KernelLaunchTest : public testing::TestWithParam<Generation> {};
INSTANTIATE_TEST_SUITE_P(Generations, KernelLaunchTest, testing::ValuesIn(frontend::kGenerations),
                         [](const auto& info) { return frontend::TargetName(info.param); });

TEST_P(KernelLaunchTest, OrderMeansNothing) {
  Comparison comparison(
      LaunchMachine(), InterpreterEngine(),
      {InterpreterEngine(), BackwardsEngine(), WrongRowsEngine(Opcode::S_NOP, Opcode::S_NOP)});
  comparison.set_states(1);
  constexpr int kKernels = 60;
  int faulted = 0;
  for (uint64_t seed = 1; seed <= kKernels; ++seed) {
    const Program program = GenerateKernel(GetParam(), seed);
    const Verdict verdict = comparison.Compare(program);
    if (comparison.expected().event == runtime::WaveEvent::kFault) {
      ++faulted;
    } else {
      EXPECT_EQ(verdict, Verdict::kSame) << comparison.Report(program);
    }
  }
  EXPECT_LT(faulted, kKernels / 6);
}

TEST_P(KernelLaunchTest, DependsOnTheSeedAlone) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(Assemble(GenerateKernel(GetParam(), seed)),
              Assemble(GenerateKernel(GetParam(), seed)));
    EXPECT_NE(Assemble(GenerateKernel(GetParam(), seed)),
              Assemble(GenerateKernel(GetParam(), seed + 1)));
  }
}

// What a kernel has, in words.
std::set<std::string> FeaturesOf(const Program& program) {
  std::set<std::string> features;
  for (size_t n = 0; n < program.items.size(); ++n) {
    const Item& item = program.items[n];
    frontend::Instruction instruction;
    const auto status = frontend::Decode(program.processor(), item.words, instruction);
    EXPECT_EQ(status, frontend::DecodeStatus::kOk);
    const frontend::OpcodeRow& row = instruction.row();
    const bool goes_back =
        item.fixup == Item::Fixup::kBranch && static_cast<size_t>(item.target) <= n;
    if (goes_back) features.insert(row.opcode == Opcode::S_CBRANCH_EXECNZ ? "lanes" : "loop");
    if (row.opcode == Opcode::S_BARRIER) features.insert("barrier");
    const bool is_lds = row.On(program.generation).format == frontend::Format::kDs;
    if (row.Has(frontend::ATOMIC)) features.insert(is_lds ? "lds atomic" : "atomic");
  }
  const auto& groups = program.rows.groups;
  const auto& missing = program.rows.missing_items;
  if (groups[1] > 1) features.insert("rows");
  if (groups[2] > 1) features.insert("planes");
  if (program.group.size[2] > 1) features.insert("groups of three dimensions");
  if (missing[0] + missing[1] + missing[2] != 0) features.insert("partial groups");
  return features;
}

TEST_P(KernelLaunchTest, HasLoopsAndLds) {
  std::set<std::string> features;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    features.merge(FeaturesOf(GenerateKernel(GetParam(), seed)));
  }
  EXPECT_EQ(features,
            (std::set<std::string>{"lanes", "loop", "barrier", "lds atomic", "atomic", "rows",
                                   "planes", "groups of three dimensions", "partial groups"}));
}

TEST_P(KernelLaunchTest, EnginesAgree) {
  std::vector<Engine> tested;
  for (const char* name : {"avx2-live", "avx512-live"}) {
    if (auto engine = JitEngine(name)) tested.push_back(*std::move(engine));
  }
  Comparison comparison(LaunchMachine(), InterpreterEngine(), std::move(tested));
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = GenerateKernel(GetParam(), seed);
    EXPECT_NE(comparison.Compare(program), Verdict::kDifferent) << comparison.Report(program);
  }
}

// A difference that shows on several host threads alone.
TEST(KernelLaunchErrors, AreFoundOnThreads) {
  Comparison comparison(LaunchMachine(), InterpreterEngine(),
                        WrongThreadsEngine(Opcode::V_MUL_LO_U32, Opcode::V_MUL_HI_U32));
  bool found = false;
  for (uint64_t seed = 1; seed < 20 && !found; ++seed) {
    const Program program = GenerateKernel(Generation::kGfx900, seed);
    found = comparison.Compare(program) == Verdict::kDifferent;
    if (found) {
      EXPECT_NE(comparison.Report(program).find(" threads"), std::string::npos);
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace gcnjit::differential
