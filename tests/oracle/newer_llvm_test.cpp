// Rows that came with CDNA, or that it changed, against a newer llvm-mc, which knows forms of them
// that llvm-mc 15 does not: each sample that we accept, in both directions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "encoding/row_samples.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "isa/ignored_fields.h"
#include "llvm_mc.h"

namespace gcnjit::oracle {
namespace {

using frontend::Generation;

// llvm-mc, while it lives, is $GCNJIT_NEWER_LLVM_MC.
class NewerLlvm {
 public:
  NewerLlvm() { setenv("GCNJIT_LLVM_MC", NewerLlvmMcProgram().c_str(), 1); }
  ~NewerLlvm() { setenv("GCNJIT_LLVM_MC", before_.c_str(), 1); }

 private:
  const std::string before_ = LlvmMcProgram();
};

// Rows that gfx906 lacks, or that have SCC.
bool IsNewOn(const frontend::OpcodeRow& row, Generation generation) {
  if (!row.ExistsOn(generation)) return false;
  const bool has_scc =
      Has(generation, frontend::kSccBit) && row.On(generation).format >= frontend::Format::kMubuf;
  return has_scc || !row.ExistsOn(Generation::kGfx906);
}

// NEG and ABS that LLVM has no words for.
bool HasSyntax(const frontend::Instruction& in, const Words& words, Generation generation) {
  const frontend::IgnoredFields ignored(generation, in.row(), in.encoding);
  return !frontend::ChangesIntegerSigns(in) && (words[0] & ignored.Mask(0)) == 0 &&
         (words[1] & ignored.Mask(1)) == 0;
}

class NewerLlvmTest : public testing::TestWithParam<Generation> {};

TEST_P(NewerLlvmTest, NewRows) {
  const Generation generation = GetParam();
  const NewerLlvm newer;
  std::vector<Words> samples;
  std::vector<int> sizes;
  std::vector<std::string> lines;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const frontend::OpcodeRow& row = frontend::RowOf(n);
    if (!IsNewOn(row, generation)) continue;
    const size_t before = samples.size();
    for (const Words& words : encoding::RowSamples(generation, row)) {
      frontend::Instruction in;
      if (Decode(generation, words, in) != frontend::DecodeStatus::kOk) continue;
      if (!HasSyntax(in, words, generation)) continue;
      samples.push_back(words);
      sizes.push_back(in.size);
      lines.push_back(frontend::Disassemble(generation, in));
    }
    EXPECT_GT(samples.size(), before) << row.id;
  }
  const std::string target = TargetName(generation);
  const std::vector<Disassembled> texts = LlvmDisassemble(target, samples);
  const std::vector<Assembled> assembled = LlvmAssemble(target, lines);
  int failed = 0;
  for (size_t n = 0; n < samples.size(); ++n) {
    uint32_t words[2] = {};
    std::memcpy(words, assembled[n].bytes.data(), std::min<size_t>(8, assembled[n].bytes.size()));
    const bool second = sizes[n] == 8;
    const bool same = assembled[n].accepted && words[0] == samples[n][0] &&
                      (!second || words[1] == samples[n][1]) && texts[n].text == lines[n];
    if (same || ++failed > 20) continue;
    ADD_FAILURE() << fmt::format("{:08x} {:08x}: {}\n  LLVM: {}\n  its words: {:08x} {:08x} {}",
                                 samples[n][0], samples[n][1], lines[n], texts[n].text, words[0],
                                 words[1], assembled[n].error);
  }
  std::cout << fmt::format("{}: {} executed, {} failed\n", target, samples.size(), failed);
}

INSTANTIATE_TEST_SUITE_P(Targets, NewerLlvmTest,
                         testing::Values(Generation::kGfx908, Generation::kGfx90a),
                         [](const auto& info) { return std::string(TargetName(info.param)); });

}  // namespace
}  // namespace gcnjit::oracle
