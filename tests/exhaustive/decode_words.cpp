// R4: the decoder takes any words of any generation. Every 32-bit word is decoded alone and with a
// random word after it; some of what it finds is disassembled too. Prints
// "N executed, M failed"; a crash fails the whole run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "frontend/flow/register_access.h"

namespace {

using namespace gcnjit::frontend;

constexpr uint64_t kAllWords = uint64_t{1} << 32;
constexpr uint64_t kChunk = 1 << 16;
// Text and register sets take longer than decoding: one of so many words.
constexpr uint64_t kLookEvery = 256;

// SplitMix64: the second words, without a state that threads would share.
uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

bool IsStatus(DecodeStatus status) {
  switch (status) {
    case DecodeStatus::kOk:
    case DecodeStatus::kTruncated:
    case DecodeStatus::kUnknownOpcode:
    case DecodeStatus::kBadOperand: return true;
  }
  return false;
}

// Is what the decoder says of the words consistent?
bool IsSound(Generation generation, const std::array<uint32_t, 2>& words, bool look) {
  Instruction alone;
  const DecodeStatus status_alone = Decode(generation, std::span(words).first(1), alone);
  if (!IsStatus(status_alone)) return false;
  // Where one word decides, a word after it changes nothing.
  if (status_alone == DecodeStatus::kOk && alone.size != 4) return false;
  if (status_alone != DecodeStatus::kTruncated && !look) return true;
  Instruction both;
  const DecodeStatus status = Decode(generation, words, both);
  if (!IsStatus(status) || status == DecodeStatus::kTruncated) return false;
  if (status_alone != DecodeStatus::kTruncated) {
    if (status != status_alone) return false;
  } else if (status == DecodeStatus::kOk && both.size != 8) {
    return false;
  }
  if (!look || status != DecodeStatus::kOk) return true;
  const RegisterAccess access = AccessOf(both, generation);
  RegisterSet certain = access.writes;
  certain -= access.may_write;
  return certain.None() && !Disassemble(generation, both, 0x1000).empty();
}

struct Tally {
  std::atomic<uint64_t> executed = 0;
  std::atomic<uint64_t> failed = 0;
};

// `count` words of `all`, evenly strewn.
void Run(Generation generation, uint64_t count, bool random, uint64_t seed, unsigned threads,
         Tally& tally) {
  std::atomic<uint64_t> next = 0;
  const auto work = [&] {
    for (;;) {
      const uint64_t begin = next.fetch_add(kChunk);
      if (begin >= count) return;
      const uint64_t end = std::min(begin + kChunk, count);
      uint64_t failed = 0;
      for (uint64_t n = begin; n < end; ++n) {
        const uint64_t mixed = Mix(seed ^ n << 3 ^ static_cast<uint64_t>(generation));
        const auto first = static_cast<uint32_t>(
            random ? mixed >> 32 : static_cast<unsigned __int128>(n) * kAllWords / count);
        const std::array<uint32_t, 2> words = {first, static_cast<uint32_t>(mixed)};
        if (IsSound(generation, words, mixed % kLookEvery == 0)) continue;
        ++failed;
        fmt::print(stderr, "{}: {:#010x} {:#010x}\n", TargetName(generation), words[0], words[1]);
      }
      tally.executed += end - begin;
      tally.failed += failed;
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned n = 1; n < threads; ++n) workers.emplace_back(work);
  work();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Decodes words of every generation and checks that the decoder takes them all.");
  std::string words = "1000000";
  uint64_t random = 1'000'000;
  uint64_t seed = 1;
  unsigned threads = 1;
  std::string target;
  app.add_option("--words", words, "32-bit first words of each generation: 'all', or so many");
  app.add_option("--random", random, "random 64-bit words of each generation besides");
  app.add_option("--seed", seed, "of the random words");
  app.add_option("--threads", threads, "host threads")->check(CLI::Range(1, 1024));
  app.add_option("--gen", target, "one generation only, e.g. gfx900");
  app.footer("Example: decode_words --words=all --random=1000000000 --threads=8");
  CLI11_PARSE(app, argc, argv);
  const auto count = words == "all" ? kAllWords : std::strtoull(words.c_str(), nullptr, 10);
  if (count == 0 || count > kAllWords) {
    fmt::print(stderr, "decode_words: --words is 'all' or a number up to 2^32\n");
    return 2;
  }
  Tally tally;
  for (const Generation generation : kGenerations) {
    if (!target.empty() && GenerationOfTarget(target) != generation) continue;
    Run(generation, count, false, seed, threads, tally);
    Run(generation, random, true, ~seed, threads, tally);
  }
  fmt::print("{} executed, {} failed\n", tally.executed.load(), tally.failed.load());
  return tally.failed == 0 && tally.executed != 0 ? 0 : 1;
}
