// Every row on every generation, in each encoding and with each operand class: the disassembly
// assembles back to the same bytes. This is the oracle for gfx6 and gfx7, which LLVM cannot
// disassemble.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "encoding/row_samples.h"
#include "exceptions.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "llvm_mc.h"

namespace gcnjit::oracle {
namespace {

using frontend::Generation;

struct Sample {
  Words words;
  int size;
  std::string text;
  const frontend::OpcodeRow* row;
};

std::string Hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x} ", byte);
  return text;
}

std::vector<uint8_t> Bytes(const Sample& sample) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < sample.size; ++i) {
    bytes.push_back(
        static_cast<uint8_t>(sample.words[static_cast<size_t>(i / 4)] >> (8 * (i % 4))));
  }
  return bytes;
}

class RoundTripTest : public testing::TestWithParam<Generation> {};

TEST_P(RoundTripTest, EveryRow) {
  const Generation generation = GetParam();
  const std::string target = TargetName(generation);
  const std::vector<Exception> exceptions = LoadExceptions(GCNJIT_ORACLE_EXCEPTIONS);

  std::vector<Sample> samples;
  std::vector<std::string> lines;
  for (int i = 0; i < frontend::kOpcodeCount; ++i) {
    const frontend::OpcodeRow& row = frontend::RowOf(i);
    if (!row.ExistsOn(generation)) continue;
    bool any = false;
    std::set<Words> seen;
    for (const Words& sample : encoding::RowSamples(generation, row)) {
      // What LLVM's syntax cannot say is left out: the test of ignored fields is another.
      const Words words = Expressible(generation, sample);
      frontend::Instruction in;
      if (!seen.insert(words).second) continue;
      if (Decode(generation, words, in) != frontend::DecodeStatus::kOk) continue;
      ASSERT_EQ(in.row().id, row.id) << fmt::format("{:08x} decodes to another row", words[0]);
      any = true;
      samples.push_back({words, in.size, Disassemble(generation, in), &row});
      lines.push_back(samples.back().text);
    }
    EXPECT_TRUE(any) << target << ": no sample of " << row.id << " decodes";
  }

  const std::vector<Assembled> assembled = LlvmAssemble(target, lines);
  std::map<std::string, uint64_t> explained;
  std::set<std::string> reported;
  uint64_t unexplained = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& s = samples[i];
    if (assembled[i].accepted && assembled[i].bytes == Bytes(s)) continue;
    // Patterns of round-trip exceptions see what the assembler said, too.
    const std::string text = s.text + " ;; " + assembled[i].error;
    const auto e = std::find_if(exceptions.begin(), exceptions.end(), [&](const Exception& e) {
      return Explains(e, target, generation, Disagreement::kRoundTrip, s.words, text);
    });
    if (e != exceptions.end()) {
      ++explained[e->id];
      continue;
    }
    ++unexplained;
    // One example a row and kind of failure.
    const std::string llvm = assembled[i].accepted ? Hex(assembled[i].bytes) : assembled[i].error;
    const std::string kind = assembled[i].accepted ? "other bytes" : llvm;
    if (!reported.insert(std::string(s.row->id) + kind).second) continue;
    ADD_FAILURE() << fmt::format("{} {}: {}\n  from {}\n  LLVM: {}", target, s.row->id, s.text,
                                 Hex(Bytes(s)), llvm);
  }
  EXPECT_EQ(unexplained, 0u);
  std::cout << fmt::format("{}: {} executed, {} failed\n", target, samples.size(), unexplained);
  for (const auto& [id, times] : explained) std::cout << fmt::format("  {:7} {}\n", times, id);
  for (const Exception& e : exceptions) {
    if (e.kind == Disagreement::kRoundTrip && e.AppliesTo(target)) {
      EXPECT_GT(explained[e.id], 0u) << e.id << " is not needed on " << target;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, RoundTripTest, testing::ValuesIn(frontend::kGenerations),
                         [](const auto& info) { return std::string(TargetName(info.param)); });

}  // namespace
}  // namespace gcnjit::oracle
