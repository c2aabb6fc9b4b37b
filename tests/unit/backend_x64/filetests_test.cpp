// The blocks of tests/filetests, compiled: the passes' and rewrites' cases are what lifted code
// looks like where the back end has a choice.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "backend_x64/plan/block_invariants.h"
#include "ir/printer.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"
#include "tests/unit/ir/file_case.h"

namespace gcnjit::backend {
namespace {

// Registers whose pairs are often addresses in the guest's pages.
Machine RandomCaseMachine(std::mt19937_64& random, const ir::CaseFacts& facts) {
  Machine machine;
  const bool has_addresses = random() % 4 != 0;
  const auto fill = [&](uint32_t& low, uint32_t& high) {
    const uint64_t address = GuestPages::kBegin + random() % (GuestPages::kSize / 8) * 4;
    low = static_cast<uint32_t>(has_addresses ? address : random());
    high = static_cast<uint32_t>(has_addresses ? address >> 32 : random());
  };
  for (size_t n = 0; n < machine.sgpr.size(); n += 2) fill(machine.sgpr[n], machine.sgpr[n + 1]);
  for (size_t n = 0; n < machine.vgpr.size(); n += 2) {
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      fill(machine.vgpr[n][lane], machine.vgpr[n + 1][lane]);
    }
  }
  FillRandom(random, machine.memory);
  FillRandom(random, machine.lds);
  for (const ir::VgprShape& shape : facts.vgprs) {
    uint32_t lanes[ir::kLanes];
    ir::FillLanes(random, shape, lanes);
    std::copy(lanes, lanes + ir::kLanes, machine.vgpr[static_cast<size_t>(shape.vgpr)].begin());
  }
  for (size_t n = ir::kExec; n < ir::kExec + 2; ++n) {
    machine.sgpr[n] = facts.has_full_exec ? ~0u : static_cast<uint32_t>(random());
  }
  machine.scc = static_cast<uint32_t>(random() % 2);
  return machine;
}

// The addresses that faults are reported with: instructions' numbers, as in compiled_block.h.
void NumberInstructions(ir::Function& function) {
  std::vector<uint64_t>& pcs = function.blocks[0].guest_pcs;
  pcs.assign(1, 0);
  for (const ir::Inst& inst : function.insts) {
    while (pcs.size() <= inst.guest) pcs.push_back(pcs.size());
  }
}

class CompiledFileTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CompiledFileTest, LeavesWhatTheEvaluatorLeaves) {
  int blocks = 0;
  for (const ir::FileCase& test : ir::ReadCaseFile(GetParam()).cases) {
    ir::Function function = ir::ParseCase(test.input);
    ASSERT_FALSE(HasFailure()) << test.name;
    // Blocks by themselves: not those of group code, which waves run in a row.
    if (function.blocks.size() != 1 || ir::WaveOf(function.blocks[0].begin) >= 0) continue;
    if (!BrokenInvariant(function).empty()) continue;
    NumberInstructions(function);
    ++blocks;
    const ir::CaseFacts facts = ir::ReadCaseFacts(test.input);
    std::mt19937_64 random(1);
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock compiled(function, isa, {}, /*listing=*/false, facts.vgprs,
                             facts.has_full_exec);
      for (int n = 0; n < 8; ++n) {
        const Machine machine = RandomCaseMachine(random, facts);
        ASSERT_EQ(Difference(compiled.Run(machine), RunEvaluator(function, machine)), "")
            << NameOf(isa) << ", case " << test.name << ir::Print(function);
      }
    }
  }
  EXPECT_GT(blocks, 0);
}

std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> files = ir::CaseFiles("passes", ".ir");
  for (const auto& path : ir::CaseFiles("rewrite", ".ir")) files.push_back(path);
  // All of it is group code.
  std::erase_if(files, [](const auto& path) { return path.stem() == "share_scalars"; });
  return files;
}

INSTANTIATE_TEST_SUITE_P(Filetests, CompiledFileTest, ::testing::ValuesIn(Files()),
                         [](const auto& info) { return ir::NameOfCaseFile(info.param); });

}  // namespace
}  // namespace gcnjit::backend
