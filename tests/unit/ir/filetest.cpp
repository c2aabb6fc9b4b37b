// tests/filetests/{passes,rewrite}/*.ir: IR, what is done to it, and the text that must come out.
// README.md there has the format. What comes out is also run: it must leave what the input leaves.
// GCNJIT_UPDATE_FILETESTS=1 rewrites the expectations, to be read before they are committed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>

#include "ir/compute.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/rewrite/clone_compares.h"
#include "ir/rewrite/exit_masks.h"
#include "ir/rewrite/identity_permutes.h"
#include "ir/rewrite/invert_compares.h"
#include "ir/rewrite/quadword_loads.h"
#include "ir/rewrite/scalar_compares.h"
#include "ir/verifier.h"
#include "tests/unit/fill_random.h"
#include "tests/unit/ir/file_case.h"
#include "tests/unit/ir/random_ir.h"

namespace gcnjit::ir {
namespace {

// The same text without empty lines and indentation, so that files can be laid out freely.
std::string Normalised(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line[begin] != ';') result += line.substr(begin) + '\n';
  }
  return result;
}

// ---- What is done

using Rewrite = std::function<void(Function&, const CaseFacts&, RegionShapes&)>;

// What takes more than a function, by the names that files have for it.
const std::map<std::string, Rewrite, std::less<>>& Rewrites() {
  static const std::map<std::string, Rewrite, std::less<>> all = {
      {"all", [](Function& f, const CaseFacts&, RegionShapes&) { Optimise(f); }},
      {"share_scalars", [](Function& f, const CaseFacts&, RegionShapes&) { ShareScalars(f); }},
      {"share_loads",
       [](Function& f, const CaseFacts& facts, RegionShapes&) { ShareLoads(f, facts.fixed); }},
      {"clone_compares",
       [](Function& f, const CaseFacts&, RegionShapes& s) { CloneCompares(f, s.of_value); }},
      {"invert_compares",
       [](Function& f, const CaseFacts&, RegionShapes& s) { InvertCompares(f, s.of_value); }},
      {"quadword_loads", [](Function& f, const CaseFacts&,
                            RegionShapes& s) { LoadQuadwords(f, s.of_value, /*of_lds=*/true); }},
      {"identity_permutes", [](Function& f, const CaseFacts&,
                               RegionShapes& s) { RemoveIdentityPermutes(f, s.of_value); }},
      {"exit_masks", [](Function& f, const CaseFacts& facts,
                        RegionShapes&) { SimplifyExitMasks(f, facts.apart); }},
      {"scalar_compares", [](Function& f, const CaseFacts&,
                             RegionShapes& s) { ScalarizeCompares(f, s.patterns, s.of_value); }},
  };
  return all;
}

void RunPass(const std::string& name, const CaseFacts& facts, Function& function,
             RegionShapes& shapes) {
  if (const auto found = Rewrites().find(name); found != Rewrites().end()) {
    found->second(function, facts, shapes);
    return;
  }
  const Pass* pass = FindPass(name);
  ASSERT_NE(pass, nullptr) << "no pass " << name;
  pass->run(function);
}

// "; show shapes": what is known of the block's compares, which rewrites of compares have to keep
// or forget.
std::string ShownShapes(const Function& function, const RegionShapes& shapes) {
  std::string text;
  EXPECT_EQ(shapes.of_value.size(), function.insts.size());
  for (const Value v : function.blocks[0].insts) {
    const Inst& inst = function[v];
    if (!IsCompare(inst.op) || shapes.of_value[v.id] == LaneShape()) continue;
    text += "shape %" + std::to_string(v.id) + ' ' +
            ShapeText(shapes.patterns, shapes.of_value[v.id]) + '\n';
  }
  return text;
}

// ---- What it leaves

constexpr uint64_t kFixedBase = 0x6000'0000'0000;

// A wave's registers and memory. Every address has memory, so that no access ends a block; that of
// "; fixed" does not change.
struct Machine {
  std::array<uint32_t, 128> sgpr{};
  uint32_t scc = 0;
  uint32_t mode = 0;
  std::array<std::array<uint32_t, kLanes>, kVgprs> vgpr{};
  std::array<std::byte, 4096> memory{};
  std::array<std::byte, 1024> lds{};
  std::array<uint64_t, 64> common{};

  bool operator==(const Machine&) const = default;
};

struct BlocksOutcome {
  Machine machine;
  std::vector<std::pair<ExitReason, uint64_t>> ends;  // of the blocks
};

Machine RandomMachineOf(std::mt19937_64& random, const CaseFacts& facts) {
  constexpr uint32_t kSpecial[] = {0,          1,          2,          0x7FFFFFFF, 0x80000000,
                                   0xFFFFFFFE, 0xFFFFFFFF, 0x3F800000, 0x7FC00000};
  const auto number = [&] {
    return random() % 2 == 0 ? kSpecial[random() % std::size(kSpecial)]
                             : static_cast<uint32_t>(random());
  };
  Machine machine;
  for (uint32_t& sgpr : machine.sgpr) sgpr = number();
  for (auto& vgpr : machine.vgpr) {
    for (uint32_t& lane : vgpr) lane = number();
  }
  FillRandom(random, machine.memory);
  FillRandom(random, machine.lds);
  machine.scc = static_cast<uint32_t>(random() % 2);
  for (const VgprShape& shape : facts.vgprs) {
    uint32_t lanes[kLanes];
    FillLanes(random, shape, lanes);
    std::copy(lanes, lanes + kLanes, machine.vgpr[static_cast<size_t>(shape.vgpr)].begin());
  }
  if (facts.has_full_exec) machine.sgpr[kExec] = machine.sgpr[kExec + 1] = ~0u;
  for (size_t n = 0; n < facts.apart.size(); ++n) {
    if (!facts.apart[n]) continue;
    machine.sgpr[n] &= ~machine.sgpr[kExec];
    machine.sgpr[n + 1] &= ~machine.sgpr[kExec + 1];
  }
  for (const FixedMemory& fixed : facts.fixed) {
    machine.sgpr[static_cast<size_t>(fixed.sgpr)] = static_cast<uint32_t>(kFixedBase);
    machine.sgpr[static_cast<size_t>(fixed.sgpr) + 1] = static_cast<uint32_t>(kFixedBase >> 32);
  }
  return machine;
}

// All blocks, each with the registers of `machine`: those of group code are different waves'.
// Memory goes from one to the next.
BlocksOutcome RunBlocks(const Function& function, const Machine& machine, const CaseFacts& facts) {
  BlocksOutcome outcome{machine, {}};
  const uint64_t fixed_bytes = facts.fixed.empty() ? 0 : facts.fixed[0].bytes;
  Machine registers_of_all;  // added up, so that those of each block count
  for (const Block& block : function.blocks) {
    Machine& now = outcome.machine;
    now.sgpr = machine.sgpr;
    now.vgpr = machine.vgpr;
    now.scc = machine.scc;
    now.mode = machine.mode;
    EvaluatorState state;
    state.sgpr = now.sgpr.data();
    state.scc = &now.scc;
    state.mode = &now.mode;
    state.vgpr = reinterpret_cast<uint32_t(*)[kLanes]>(now.vgpr.data());
    state.lds = now.lds.data();
    state.lds_bytes = static_cast<uint32_t>(now.lds.size());
    state.common = now.common.data();
    state.memory = [&](uint64_t address, void* data, uint32_t bytes, bool is_write) {
      for (uint32_t n = 0; n < bytes; ++n, ++address) {
        auto* const byte = static_cast<std::byte*>(data) + n;
        std::byte& in_memory = now.memory[address % now.memory.size()];
        if (address - kFixedBase < fixed_bytes) {
          if (!is_write) *byte = static_cast<std::byte>(address * 7);
        } else if (is_write) {
          in_memory = *byte;
        } else {
          *byte = in_memory;
        }
      }
      return true;
    };
    const EvaluatorResult result = Evaluate(function, block, state);
    outcome.ends.emplace_back(result.reason, result.next_pc);
    for (size_t n = 0; n < now.sgpr.size(); ++n) {
      registers_of_all.sgpr[n] = registers_of_all.sgpr[n] * 31 + now.sgpr[n];
    }
    for (size_t n = 0; n < now.vgpr.size(); ++n) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        registers_of_all.vgpr[n][lane] = registers_of_all.vgpr[n][lane] * 31 + now.vgpr[n][lane];
      }
    }
    registers_of_all.scc = registers_of_all.scc * 31 + now.scc;
    registers_of_all.mode = registers_of_all.mode * 31 + now.mode;
  }
  outcome.machine.sgpr = registers_of_all.sgpr;
  outcome.machine.vgpr = registers_of_all.vgpr;
  outcome.machine.scc = registers_of_all.scc;
  outcome.machine.mode = registers_of_all.mode;
  outcome.machine.common = {};  // no state of the guest's
  return outcome;
}

std::string Difference(const BlocksOutcome& a, const BlocksOutcome& b) {
  if (a.ends != b.ends) return "the ends of blocks";
  if (a.machine.memory != b.machine.memory) return "memory";
  if (a.machine.lds != b.machine.lds) return "LDS";
  if (a.machine.scc != b.machine.scc) return "SCC";
  if (a.machine.mode != b.machine.mode) return "MODE";
  for (size_t n = 0; n < a.machine.sgpr.size(); ++n) {
    if (a.machine.sgpr[n] != b.machine.sgpr[n]) return "s" + std::to_string(n);
  }
  for (size_t n = 0; n < a.machine.vgpr.size(); ++n) {
    if (a.machine.vgpr[n] != b.machine.vgpr[n]) return "v" + std::to_string(n);
  }
  return {};
}

// ---- The files

class FileTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FileTest, GivesTheExpectedText) {
  constexpr int kMachines = 12;
  const bool update = std::getenv("GCNJIT_UPDATE_FILETESTS") != nullptr;
  CaseFile file = ReadCaseFile(GetParam());
  ASSERT_FALSE(file.passes.empty()) << "no line '; pass: NAME'";
  ASSERT_FALSE(file.cases.empty()) << "no line '; case: NAME'";
  for (FileCase& test : file.cases) {
    const Function before = ParseCase(test.input);
    ASSERT_FALSE(HasFailure()) << test.name;
    const CaseFacts facts = ReadCaseFacts(test.input);
    RegionShapes shapes = FindLaneShapes(before, facts.Assumptions(before));
    for (const auto& [id, shape] : facts.known) shapes.of_value[id] = shape;
    Function after = before;
    for (const std::string& name : file.passes) RunPass(name, facts, after, shapes);
    ASSERT_EQ(Verify(after), std::vector<std::string>{}) << test.name << Print(after);
    std::string found = Print(after);
    if (test.input.find("; show shapes\n") != std::string::npos) {
      found += ShownShapes(after, shapes);
    }
    const bool implied = !HasBlocks(test.input);
    if (update) {
      test.expected = implied ? found.substr(kImpliedBlock.size()) : found;
    } else {
      const std::string head(implied ? kImpliedBlock : "");
      EXPECT_EQ(Normalised(found), Normalised(head + test.expected)) << "case " << test.name;
    }
    std::mt19937_64 random(1);
    for (int n = 0; n < kMachines; ++n) {
      const Machine machine = RandomMachineOf(random, facts);
      ASSERT_EQ(Difference(RunBlocks(after, machine, facts), RunBlocks(before, machine, facts)), "")
          << "when case " << test.name << "is run: before\n"
          << Print(before) << "after\n"
          << Print(after);
    }
  }
  if (update) WriteCaseFile(GetParam(), file);
}

std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> files = CaseFiles("passes", ".ir");
  for (const auto& path : CaseFiles("rewrite", ".ir")) files.push_back(path);
  return files;
}

INSTANTIATE_TEST_SUITE_P(Filetests, FileTest, ::testing::ValuesIn(Files()),
                         [](const auto& info) { return NameOfCaseFile(info.param); });

}  // namespace
}  // namespace gcnjit::ir
