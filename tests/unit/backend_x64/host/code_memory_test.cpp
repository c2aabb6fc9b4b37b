// Memory for compiled code (backend_x64/host/code_memory.h).
#include "backend_x64/host/code_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gcnjit::backend {
namespace {

TEST(CodeMemoryTest, CodeThatHasBeenReleasedTraps) {
  constexpr std::byte kNop{0x90};
  constexpr std::byte kInt3{0xCC};
  CodeMemory memory(/*anonymous=*/false);
  std::string error;
  const std::vector<std::byte> nops(1000, kNop);
  // Keeps what both lie in mapped.
  const std::byte* const stays = memory.Add(nops, &error);
  const std::byte* const goes = memory.Add(nops, &error);
  ASSERT_NE(stays, nullptr) << error;
  ASSERT_NE(goes, nullptr) << error;
  EXPECT_TRUE(std::equal(nops.begin(), nops.end(), goes));
  memory.Release(goes);
  EXPECT_EQ(std::count(goes, goes + nops.size(), kInt3), 1000);
  EXPECT_TRUE(std::equal(nops.begin(), nops.end(), stays));
}

std::vector<std::byte> Piece(size_t bytes, uint32_t number) {
  std::vector<std::byte> piece(bytes);
  for (size_t n = 0; n < bytes; ++n) piece[n] = static_cast<std::byte>(number * 31 + n * 7);
  return piece;
}

// Pieces of all sizes come and go. What is there stays as it was written, and is not elsewhere's.
TEST(CodeMemoryTest, PiecesStayApart) {
  struct Placed {
    const std::byte* at;
    std::vector<std::byte> bytes;
  };
  CodeMemory memory(/*anonymous=*/false);
  std::mt19937 random(1);
  std::map<uint32_t, Placed> placed;
  std::string error;
  for (uint32_t number = 0; number < 3000; ++number) {
    if (random() % 5 < 2 && !placed.empty()) {
      auto goes = placed.begin();
      std::advance(goes, random() % placed.size());
      ASSERT_TRUE(std::ranges::equal(goes->second.bytes,
                                     std::span(goes->second.at, goes->second.bytes.size())));
      memory.Release(goes->second.at);
      placed.erase(goes);
      continue;
    }
    const size_t kind = random() % 100;
    const size_t bytes = kind == 0   ? 1 + random() % 200'000
                         : kind < 10 ? 64 * (1 + random() % 20)
                                     : 1 + random() % 3000;
    const std::vector<std::byte> piece = Piece(bytes, number);
    const std::byte* const at = memory.Add(piece, &error);
    ASSERT_NE(at, nullptr) << error;
    EXPECT_EQ(reinterpret_cast<uint64_t>(at) % 64, 0u);
    EXPECT_TRUE(memory.Holds(reinterpret_cast<uint64_t>(at)));
    placed.emplace(number, Placed{at, piece});
  }
  std::map<const std::byte*, size_t> ranges;
  for (const auto& [number, piece] : placed) {
    EXPECT_TRUE(std::ranges::equal(piece.bytes, std::span(piece.at, piece.bytes.size())));
    ranges.emplace(piece.at, piece.bytes.size());
  }
  const std::byte* end = nullptr;
  for (const auto& [at, bytes] : ranges) {
    EXPECT_GE(at, end);
    end = at + bytes;
  }
  for (const auto& [number, piece] : placed) memory.Release(piece.at);
}

// What was given back is used again.
TEST(CodeMemoryTest, DoesNotGrowForEver) {
  CodeMemory memory(/*anonymous=*/false);
  std::string error;
  std::set<const std::byte*> places;
  for (int n = 0; n < 10'000; ++n) {
    const std::byte* const at = memory.Add(Piece(1000, 1), &error);
    ASSERT_NE(at, nullptr) << error;
    places.insert(at);
    memory.Release(at);
  }
  EXPECT_EQ(places.size(), 1u);
}

// Random pieces come and go in a process, in one that it forks off meanwhile, and in that one's
// own: each has what it had placed, and what had been there before, as it was written.
class ForkedPieces {
 public:
  explicit ForkedPieces(uint32_t seed) : random_(seed) {}

  // Did all of the processes find their pieces as they should be?
  bool Run(int generations) {
    Change(40);
    if (generations == 0) return AreRight();
    memory_.BeginFork();
    const pid_t child = ::fork();
    memory_.EndFork();
    if (child == 0) {
      random_.seed(static_cast<uint32_t>(random_() + 1));
      ::_exit(Run(generations - 1) ? 0 : 1);
    }
    bool is_right = true;
    for (int round = 0; round < 20; ++round) {
      Change(10);
      is_right &= AreRight();
      ::usleep(100);  // lets the other one get on
    }
    int status = -1;
    is_right &= ::waitpid(child, &status, 0) == child && status == 0;
    return is_right && AreRight();
  }

 private:
  void Change(int count) {
    for (int n = 0; n < count; ++n) {
      if (random_() % 2 == 0 && !placed_.empty()) {
        const auto goes = std::next(placed_.begin(), static_cast<int>(random_() % placed_.size()));
        memory_.Release(goes->first);
        placed_.erase(goes);
        continue;
      }
      const auto piece = Piece(1 + random_() % 5000, static_cast<uint32_t>(random_()));
      std::string error;
      const std::byte* const at = memory_.Add(piece, &error);
      if (at == nullptr) ::abort();
      placed_.emplace(at, piece);
    }
  }
  bool AreRight() const {
    return std::ranges::all_of(placed_, [](const auto& piece) {
      return std::ranges::equal(piece.second, std::span(piece.first, piece.second.size()));
    });
  }

  CodeMemory memory_{/*anonymous=*/false};
  std::mt19937 random_;
  std::map<const std::byte*, std::vector<std::byte>> placed_;
};

TEST(CodeMemoryTest, ForkedProcessesLeaveEachOthersCode) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    EXPECT_TRUE(ForkedPieces(seed).Run(/*generations=*/1 + static_cast<int>(seed % 3))) << seed;
  }
}

// What is not written any more goes when nothing of it is left.
TEST(CodeMemoryTest, KeepsNothingEmptyAfterForks) {
  CodeMemory memory(/*anonymous=*/false);
  std::string error;
  for (int n = 0; n < 100; ++n) {
    const std::byte* const at = memory.Add(Piece(1000, 1), &error);
    ASSERT_NE(at, nullptr) << error;
    memory.BeginFork();
    memory.EndFork();
    memory.Release(at);
    EXPECT_FALSE(memory.Holds(reinterpret_cast<uint64_t>(at)));
  }
}

// Code is memory and no file: neither the size of files nor their number is a limit.
TEST(CodeMemoryTest, NeedsNoFile) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none = {0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::setrlimit(RLIMIT_NOFILE, &none);
    CodeMemory memory(/*anonymous=*/false);
    std::string error;
    const std::vector<std::byte> code = Piece(100'000, 1);
    const std::byte* const at = memory.Add(code, &error);
    ::_exit(at != nullptr && std::ranges::equal(code, std::span(at, code.size())) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(CodeMemoryTest, KnowsBothItsMappings) {
  CodeMemory memory(/*anonymous=*/false);
  std::string error;
  const std::byte* const at = memory.Add(Piece(10, 1), &error);
  ASSERT_NE(at, nullptr) << error;
  std::vector<std::string> permissions;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const uint64_t begin = std::stoull(line, nullptr, 16);
    if (memory.Holds(begin)) permissions.push_back(line.substr(line.find(' ') + 1, 4));
  }
  std::ranges::sort(permissions);
  EXPECT_EQ(permissions, (std::vector<std::string>{"r-xs", "rw-s"}));
}

}  // namespace
}  // namespace gcnjit::backend
