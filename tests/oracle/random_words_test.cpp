// Random words: our decoder and disassembler against llvm-mc -disassemble, on gfx8 and gfx9 (LLVM
// cannot disassemble gfx6 and gfx7). $GCNJIT_ORACLE_WORDS sets how many words a target gets,
// $GCNJIT_ORACLE_SEED the seed.
#include "random_words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "exceptions.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "llvm_mc.h"

namespace gcnjit::oracle {
namespace {

using frontend::DecodeStatus;
using frontend::Generation;

constexpr size_t kBatch = 2000;  // small: a batch on which llvm-mc dies is bisected

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : otherwise;
}

struct Ours {
  bool accepted = false;
  int size = 0;
  std::string text;
  // Of what LLVM's syntax cannot say (`text` is `.long ...`): the words without it.
  Words expressible = {};
  bool has_syntax = true;
};

Ours Disassemble(Generation generation, const Words& words) {
  frontend::Instruction instruction;
  if (Decode(generation, words, instruction) != DecodeStatus::kOk) return {};
  const Words expressible = Expressible(generation, words);
  if (expressible == words) {
    return {true, instruction.size, frontend::Disassemble(generation, instruction), words, true};
  }
  return {true, instruction.size, frontend::DisassembleWords(generation, words, instruction, 0),
          expressible, false};
}

// LLVM marks operands that it cannot print with a comment: that is a refusal.
bool Accepted(const Disassembled& theirs) {
  return theirs.accepted && theirs.text.find("/*") == std::string::npos;
}

// The disagreement about `words`; nothing if there is none.
std::optional<Disagreement> Compare(const Ours& ours, const Disassembled& theirs) {
  if (!ours.accepted && !Accepted(theirs)) return std::nullopt;
  if (!ours.accepted) return Disagreement::kWeRefuse;
  if (!Accepted(theirs)) return Disagreement::kLlvmRefuses;
  if (ours.text != theirs.text || ours.size != theirs.size) return Disagreement::kText;
  return std::nullopt;
}

const std::vector<Exception>& Exceptions() {
  static const std::vector<Exception> exceptions = LoadExceptions(GCNJIT_ORACLE_EXCEPTIONS);
  return exceptions;
}

// The exception, or the two, that explain it; empty if none does.
std::string Explanation(const std::string& target, Generation generation, Disagreement kind,
                        const Words& words, const std::string& text) {
  for (const Exception& e : Exceptions()) {
    if (Explains(e, target, generation, kind, words, text)) return e.id;
  }
  for (const Exception& a : Exceptions()) {
    for (const Exception& b : Exceptions()) {
      if (a.id < b.id && ExplainTogether(a, b, target, generation, kind, words, text)) {
        return a.id + ", " + b.id;
      }
    }
  }
  return {};
}

class RandomWordsTest : public testing::TestWithParam<Generation> {};

TEST_P(RandomWordsTest, AgreeWithLlvm) {
  const Generation generation = GetParam();
  const std::string target = TargetName(generation);
  const uint64_t count = FromEnvironment("GCNJIT_ORACLE_WORDS", 20000);
  const uint64_t seed = FromEnvironment("GCNJIT_ORACLE_SEED", 1);
  std::mt19937_64 random(seed);
  std::map<std::string, uint64_t> explained;
  uint64_t accepted = 0, crashed = 0, unexplained = 0;

  // Words that LLVM's syntax cannot say come again without what it cannot say.
  std::vector<Words> again;
  for (uint64_t done = 0; done < count || !again.empty(); done += kBatch) {
    std::vector<Words> samples = std::move(again);
    const size_t seconds = samples.size();
    again.clear();
    if (done < count) samples.resize(samples.size() + std::min<uint64_t>(kBatch, count - done));
    for (size_t i = seconds; i < samples.size(); ++i) {
      samples[i] = RandomWords(generation, random);
    }
    const std::vector<Disassembled> llvm = LlvmDisassemble(target, samples);
    for (size_t i = 0; i < samples.size(); ++i) {
      const Words& words = samples[i];
      const Ours ours = Disassemble(generation, words);
      if (llvm[i].crashed) {
        ++crashed;
        EXPECT_FALSE(ours.accepted) << "llvm-mc dies of words that we accept: " << ours.text;
        continue;
      }
      accepted += i >= seconds && ours.accepted ? 1 : 0;
      if (!ours.has_syntax) again.push_back(ours.expressible);
      const auto disagreement = Compare(ours, llvm[i]);
      if (!disagreement) continue;
      const std::string& text =
          *disagreement == Disagreement::kLlvmRefuses ? ours.text : llvm[i].text;
      const std::string id = Explanation(target, generation, *disagreement, words, text);
      if (!id.empty()) {
        ++explained[id];
      } else if (++unexplained <= 50) {
        ADD_FAILURE() << fmt::format("{} {:08x} {:08x}\n  LLVM: {}\n  ours: {}", target, words[0],
                                     words[1], Accepted(llvm[i]) ? llvm[i].text : "(refused)",
                                     ours.accepted ? ours.text : "(refused)");
      }
    }
  }
  EXPECT_EQ(unexplained, 0u) << "seed " << seed;
  EXPECT_GT(accepted, count / 4) << "the generator has lost its aim";
  std::cout << fmt::format("{}: {} executed ({} accepted; llvm-mc died of {}), {} failed\n", target,
                           count, accepted, crashed, unexplained);
  for (const auto& [id, times] : explained) std::cout << fmt::format("  {:7} {}\n", times, id);
}

INSTANTIATE_TEST_SUITE_P(Targets, RandomWordsTest,
                         testing::Values(Generation::kGfx8, Generation::kGfx900,
                                         Generation::kGfx906, Generation::kGfx908,
                                         Generation::kGfx90a, Generation::kGfx942),
                         [](const auto& info) { return std::string(TargetName(info.param)); });

// Every exception is still needed: its example is a disagreement, and of its kind.
TEST(ExceptionsTest, ExamplesDisagree) {
  for (const Exception& e : Exceptions()) {
    if (e.kind == Disagreement::kRoundTrip) continue;
    SCOPED_TRACE(e.id);
    const auto generation = frontend::GenerationOfTarget(e.example_target);
    ASSERT_TRUE(generation.has_value());
    const Disassembled llvm = LlvmDisassemble(e.example_target, std::vector<Words>{e.example})[0];
    const Ours ours = Disassemble(*generation, e.example);
    const auto disagreement = Compare(ours, llvm);
    ASSERT_TRUE(disagreement.has_value()) << "both say " << ours.text;
    const std::string& text = *disagreement == Disagreement::kLlvmRefuses ? ours.text : llvm.text;
    EXPECT_TRUE(Explains(e, e.example_target, *generation, *disagreement, e.example, text))
        << "LLVM: " << llvm.text << "\nours: " << ours.text;
  }
}

// A FLAT offset of gfx8 and a status past v255: neither exception is enough.
TEST(ExceptionsTest, TwoTogether) {
  constexpr Words kWords = {0xde541890, 0xfe80262b};
  const auto explanation = [&](const std::string& llvm) {
    return Explanation("gfx803", Generation::kGfx8, Disagreement::kWeRefuse, kWords, llvm);
  };
  const std::string text = LlvmDisassemble("gfx803", std::vector<Words>{kWords})[0].text;
  EXPECT_EQ(text, "flat_load_dwordx2 v[254:255], v[43:44] offset:6288");
  EXPECT_EQ(explanation(text), "flat-offset-gfx8, status-past-v255");
  EXPECT_EQ(explanation("flat_load_dwordx2 v[254:255], v[42:43] offset:6288"), "");
}

}  // namespace
}  // namespace gcnjit::oracle
