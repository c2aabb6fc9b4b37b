// Decoded code by guest address (code_map.h).
#include "runtime/interpreter/code_map.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gcnjit::runtime {
namespace {

using frontend::Opcode;

constexpr uint32_t kNop = 0xBF800000;
constexpr uint32_t kEnd = 0xBF810000;

const CodeSlot* SlotAt(CodeMap& code, uint64_t pc) {
  const CodePage* page = code.PageAt(pc);
  return page == nullptr ? nullptr : &page->slots[(pc - page->begin) / 4];
}

TEST(CodeMapTest, PagesEndWithTheCode) {
  alignas(4) const uint32_t words[2] = {kNop, kEnd};
  const auto begin = reinterpret_cast<uint64_t>(words);
  CodeMap code(Generation::kGfx900, {{begin, begin + 8}});
  ASSERT_NE(SlotAt(code, begin + 4), nullptr);
  EXPECT_EQ(SlotAt(code, begin)->instruction.opcode, Opcode::S_NOP);
  EXPECT_EQ(SlotAt(code, begin + 4)->instruction.opcode, Opcode::S_ENDPGM);
  EXPECT_EQ(SlotAt(code, begin - 4), nullptr);
  EXPECT_EQ(SlotAt(code, begin + 8), nullptr);
}

// A segment of a hostile file may begin and end anywhere; instructions are where PC can be.
TEST(CodeMapTest, InstructionsAreAtMultiplesOfFour) {
  alignas(4) const uint32_t words[4] = {kEnd, kNop, kEnd, kNop};
  const auto begin = reinterpret_cast<uint64_t>(words);
  CodeMap code(Generation::kGfx900,
               {{begin + 1, begin + 15}, {begin + 17, begin + 19}, {begin + 21, begin + 21}});
  EXPECT_EQ(SlotAt(code, begin), nullptr);
  ASSERT_NE(SlotAt(code, begin + 4), nullptr);
  EXPECT_EQ(SlotAt(code, begin + 4)->instruction.opcode, Opcode::S_NOP);
  EXPECT_EQ(SlotAt(code, begin + 8)->instruction.opcode, Opcode::S_ENDPGM);
  ASSERT_NE(SlotAt(code, begin + 12), nullptr);
  EXPECT_NE(SlotAt(code, begin + 12)->status, frontend::DecodeStatus::kOk);
  EXPECT_EQ(SlotAt(code, begin + 20), nullptr);
}

}  // namespace
}  // namespace gcnjit::runtime
