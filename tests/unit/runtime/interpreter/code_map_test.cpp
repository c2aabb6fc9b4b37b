// Decoded code by guest address (code_map.h).
#include "runtime/interpreter/code_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace gcnjit::runtime {
namespace {

using frontend::Opcode;

constexpr uint32_t kNop = 0xBF800000;
constexpr uint32_t kEnd = 0xBF810000;

const CodeSlot* SlotAt(CodeReader& code, uint64_t pc) {
  const CodePage* page = code.PageAt(pc);
  return page == nullptr ? nullptr : &page->SlotAt(pc);
}

TEST(CodeMapTest, PagesEndWithTheCode) {
  alignas(4) const uint32_t words[2] = {kNop, kEnd};
  const auto begin = reinterpret_cast<uint64_t>(words);
  CodeMap map(Generation::kGfx900, {{begin, begin + 8}});
  CodeReader code(map);
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
  CodeMap map(Generation::kGfx900,
              {{begin + 1, begin + 15}, {begin + 17, begin + 19}, {begin + 21, begin + 21}});
  CodeReader code(map);
  EXPECT_EQ(SlotAt(code, begin), nullptr);
  ASSERT_NE(SlotAt(code, begin + 4), nullptr);
  EXPECT_EQ(SlotAt(code, begin + 4)->instruction.opcode, Opcode::S_NOP);
  EXPECT_EQ(SlotAt(code, begin + 8)->instruction.opcode, Opcode::S_ENDPGM);
  ASSERT_NE(SlotAt(code, begin + 12), nullptr);
  EXPECT_NE(SlotAt(code, begin + 12)->status, frontend::DecodeStatus::kOk);
  EXPECT_EQ(SlotAt(code, begin + 20), nullptr);
}

// Code that only a function pointer leads to is asked for once, and kept.
TEST(CodeMapTest, CodeElsewhere) {
  // No code follows the others.
  const struct {
    uint32_t words[2] = {kNop, kEnd};
    uint32_t others[2][3] = {{kEnd, kNop, kEnd}, {kNop, kNop, kNop}};
    uint32_t none[2] = {};
  } memory;
  const auto& words = memory.words;
  const auto& others = memory.others;
  const auto begin = reinterpret_cast<uint64_t>(words);
  const auto other = reinterpret_cast<uint64_t>(others);
  constexpr uint64_t kBytes = sizeof others[0];
  const auto alive = std::make_shared<int>(0);
  int asked = 0;
  std::optional<CodeMap> map(std::in_place, Generation::kGfx900,
                             std::vector{std::pair(begin, begin + sizeof words)}, size_t{1},
                             [&](uint64_t pc) -> std::optional<CodeMap::Elsewhere> {
                               ++asked;
                               if (pc - other >= sizeof others) return std::nullopt;
                               const uint64_t at = pc - (pc - other) % kBytes;
                               return CodeMap::Elsewhere{at, at + kBytes, alive};
                             });
  {
    CodeReader code(*map);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(SlotAt(code, begin)->instruction.opcode, Opcode::S_NOP);
      for (uint64_t n = 0; n < 6; ++n) {
        ASSERT_NE(SlotAt(code, other + 4 * n), nullptr);
        EXPECT_EQ(SlotAt(code, other + 4 * n)->instruction.opcode,
                  others[n / 3][n % 3] == kEnd ? Opcode::S_ENDPGM : Opcode::S_NOP);
        EXPECT_EQ(map->RangeAt(other + 4 * n).begin, other + n / 3 * kBytes);
        EXPECT_EQ(map->WordsAt(other + 4 * n).size(), 3 - n % 3);
      }
      EXPECT_EQ(asked, 2);
    }
    EXPECT_EQ(SlotAt(code, other + sizeof others), nullptr);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(map->DecodedPages(), 3u);
  }
  EXPECT_EQ(alive.use_count(), 3);
  map.reset();
  EXPECT_EQ(alive.use_count(), 1);
}

// s_movk_i32 s<n % 64>, n: each dword tells where it lies.
std::vector<uint32_t> NumberedCode(uint32_t dwords) {
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < dwords; ++n) words.push_back(0xB0000000 | n % 64 << 16 | (n & 0x7FFF));
  return words;
}
testing::AssertionResult IsNumber(const CodeSlot& slot, uint32_t n) {
  const Instruction& i = slot.instruction;
  const bool is_it = slot.status == frontend::DecodeStatus::kOk && i.opcode == Opcode::S_MOVK_I32 &&
                     i.dst.index == n % 64 && i.src[0].value == (n & 0x7FFF);
  return is_it ? testing::AssertionSuccess() : testing::AssertionFailure() << "number " << n;
}

constexpr uint32_t kPageDwords = CodePage::kBytes / 4;

// However code is gone through, it is what it is, and no more pages are held than were allowed and
// one for each reader.
TEST(CodeMapTest, HoldsNoMorePagesThanAllowed) {
  constexpr uint32_t kPages = 50;
  const std::vector<uint32_t> words = NumberedCode(kPages * kPageDwords);
  const auto begin = reinterpret_cast<uint64_t>(words.data());
  const uint64_t end = begin + words.size() * 4;
  const std::vector<std::pair<uint64_t, uint64_t>> layouts[] = {
      {{begin, end}},
      {{begin + 20 * CodePage::kBytes, end}, {begin, begin + 20 * CodePage::kBytes - 100}},
  };
  for (const auto& ranges : layouts) {
    for (const size_t most : {1, 2, 7, 49, 50, 1000}) {
      CodeMap map(Generation::kGfx900, ranges, most);
      CodeReader code(map);
      EXPECT_EQ(map.DecodedPages(), 0u) << "nothing has been executed";
      std::minstd_rand random(1);
      for (uint32_t step = 0; step < 6000; ++step) {
        // In order, then anywhere.
        const auto n = static_cast<uint32_t>((step < 3500 ? step : random()) % words.size());
        const uint64_t pc = begin + n * 4;
        const CodeSlot* const slot = SlotAt(code, pc);
        ASSERT_EQ(slot == nullptr, map.RangeAt(pc).end == 0);
        if (slot != nullptr) {
          ASSERT_TRUE(IsNumber(*slot, n));
        }
        ASSERT_LE(map.DecodedPages(), most + 1);
      }
      EXPECT_GE(map.DecodedPages(), std::min<size_t>(most, kPages - 1));
    }
  }
}

// What costs memory is what is executed.
TEST(CodeMapTest, PagesAreDecodedOneByOne) {
  const std::vector<uint32_t> words = NumberedCode(64 * kPageDwords);
  const auto begin = reinterpret_cast<uint64_t>(words.data());
  CodeMap map(Generation::kGfx900, {{begin, begin + words.size() * 4}});
  CodeReader code(map);
  for (uint32_t n = 0; n < 10; ++n) {
    ASSERT_NE(code.PageAt(begin + n * 3 * CodePage::kBytes), nullptr);
    EXPECT_EQ(map.DecodedPages(), n + 1);
  }
}

// Readers on threads of their own take each other's pages away all the time. What one has been
// given stays until it asks for another.
TEST(CodeMapTest, PagesStayWhileTheyAreRead) {
  constexpr uint32_t kPages = 12;
  constexpr int kThreads = 4;
  const std::vector<uint32_t> words = NumberedCode(kPages * kPageDwords);
  const auto begin = reinterpret_cast<uint64_t>(words.data());
  for (const size_t most : {1, 3}) {
    CodeMap map(Generation::kGfx900, {{begin, begin + words.size() * 4}}, most);
    std::atomic<int> wrong = 0;
    const auto read = [&](unsigned seed) {
      std::minstd_rand random(seed);
      CodeReader code(map);
      for (int round = 0; round < 4000; ++round) {
        const auto page = static_cast<uint32_t>(random() % kPages);
        const CodePage* const it = code.PageAt(begin + page * CodePage::kBytes);
        if (round % 16 == 0) std::this_thread::yield();
        for (uint32_t n = 0; n < kPageDwords; n += 7) {
          if (!IsNumber(it->slots[n], page * kPageDwords + n)) ++wrong;
        }
        if (map.DecodedPages() > most + kThreads) ++wrong;
      }
    };
    std::vector<std::thread> threads;
    for (unsigned n = 0; n < kThreads; ++n) threads.emplace_back(read, n + 1);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(map.DecodedPages(), most) << "no reader is left";
  }
}

}  // namespace
}  // namespace gcnjit::runtime
