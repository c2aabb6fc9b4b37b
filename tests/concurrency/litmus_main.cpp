// R15: litmus tests between work-groups on different host threads, in each engine: outcomes that
// the AMDGPU memory model forbids must not be seen. Sources: LLVM AMDGPUUsage, "Memory Model"; the
// tests are those of Alglave, Maranget, Tautschnig, "Herding Cats". Prints "N executed, M failed".
//
// Store buffering without a fence is run too: where the host shows its outcome, the tests with a
// fence are known to look at the right place.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backend_x64/host/features.h"
#include "gcnjit/gcnjit.h"

namespace {

using namespace gcnjit;

constexpr uint32_t kLanes = 64;
constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE

// A party runs `kernel`; `swapped`: with its two variables exchanged.
struct PartyOf {
  const char* kernel;
  bool swapped;
};

struct Litmus {
  const char* name;
  std::vector<PartyOf> parties;
  // What the parties noted of one test: forbidden?
  std::function<bool(std::span<const uint32_t> seen)> forbidden;
  bool must_hold = true;  // false: the outcome is allowed, and only shows that it can be seen
};

const std::vector<Litmus>& Tests() {
  const auto both_zero = [](std::span<const uint32_t> r) { return r[0] == 0 && r[1] == 0; };
  const auto torn = [](std::span<const uint32_t> r) { return r[1] != 0; };
  static const std::vector<Litmus> tests = {
      {"SB, seq_cst", {{"sb_seq_cst", false}, {"sb_seq_cst", true}}, both_zero},
      {"SB, fences", {{"sb_fence", false}, {"sb_fence", true}}, both_zero},
      {"SB, exchanges", {{"sb_exchange", false}, {"sb_exchange", true}}, both_zero},
      {"MP",
       {{"mp_send", false}, {"mp_receive", false}},
       [](std::span<const uint32_t> r) { return r[1] == 1; }},
      {"LB",
       {{"lb", false}, {"lb", true}},
       [](std::span<const uint32_t> r) { return r[0] == 1 && r[1] == 1; }},
      {"CoRR",
       {{"corr_write", false}, {"corr_read", false}},
       [](std::span<const uint32_t> r) { return (r[1] & 3) > r[1] >> 2; }},
      {"IRIW",
       {{"iriw_write", false}, {"iriw_write", true}, {"iriw_read", false}, {"iriw_read", true}},
       [](std::span<const uint32_t> r) { return r[2] == 1 && r[3] == 1; }},
      {"words in order", {{"words_in_order_write", false}, {"words_in_order_read", false}}, torn},
      {"words in part", {{"words_in_part_write", false}, {"words_in_part_read", false}}, torn},
      {"words reversed", {{"words_reversed_write", false}, {"words_reversed_read", false}}, torn},
      {"word of all", {{"word_of_all_write", false}, {"word_of_all_read", false}}, torn},
      {"word by all", {{"word_by_all_write", false}, {"word_by_all_read", false}}, torn},
      {"word of one lane",
       {{"word_of_one_lane_write", false}, {"word_of_one_lane_read", false}},
       torn},
      {"quads in order",
       {{"words_in_order_quad_write", false}, {"words_in_order_quad_read", false}},
       torn},
      {"quads in part",
       {{"words_in_part_quad_write", false}, {"words_in_part_quad_read", false}},
       torn},
      {"quads reversed",
       {{"words_reversed_quad_write", false}, {"words_reversed_quad_read", false}},
       torn},
      {"quad of all", {{"word_of_all_quad_write", false}, {"word_of_all_quad_read", false}}, torn},
      {"quad by all", {{"word_by_all_quad_write", false}, {"word_by_all_quad_read", false}}, torn},
      {"quad of one lane",
       {{"word_of_one_lane_quad_write", false}, {"word_of_one_lane_quad_read", false}},
       torn},
      {"SB, no fence", {{"sb_plain", false}, {"sb_plain", true}}, both_zero, false},
  };
  return tests;
}

struct Setting {
  std::string target;
  Engine engine = Engine::kInterpreter;
  uint32_t rounds = 0;
};

// Ends the program: nothing can be said about memory order if nothing runs.
template <typename T>
T Need(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "litmus: {}\n", result.error().message);
  std::exit(2);
}

class Machine {
 public:
  explicit Machine(const std::string& target)
      : program_(Need(Program::Load(device_, File(target)))) {}

  // How often the outcome was seen, of rounds * kLanes tests.
  uint64_t Run(const Litmus& test, const Setting& setting) {
    const uint32_t tests = setting.rounds * kLanes;
    const uint64_t arrived = Need(device_.Allocate(4));
    const uint64_t x = Need(device_.Allocate(tests * 4));
    const uint64_t y = Need(device_.Allocate(tests * 4));
    std::vector<uint64_t> seen;
    for (size_t n = 0; n < test.parties.size(); ++n) {
      seen.push_back(Need(device_.Allocate(tests * 4)));
    }
    {
      std::vector<std::jthread> threads;
      for (size_t n = 0; n < test.parties.size(); ++n) {
        const PartyOf& party = test.parties[n];
        threads.emplace_back([&, n] {
          Arguments arguments;
          arguments.Buffer(arrived).Value(static_cast<uint32_t>(test.parties.size()));
          arguments.Value(setting.rounds);
          arguments.Buffer(party.swapped ? y : x).Buffer(party.swapped ? x : y).Buffer(seen[n]);
          LaunchOne(party.kernel, setting, arguments);
        });
      }
    }
    uint64_t count = 0;
    std::vector<uint32_t> noted(seen.size());
    for (uint32_t at = 0; at < tests; ++at) {
      for (size_t n = 0; n < seen.size(); ++n) noted[n] = reinterpret_cast<uint32_t*>(seen[n])[at];
      count += test.forbidden(noted);
    }
    for (const uint64_t address : seen) Free(address);
    for (const uint64_t address : {arrived, x, y}) Free(address);
    return count;
  }

 private:
  static std::vector<std::byte> File(const std::string& target) {
    const std::string path = fmt::format("{}/litmus_{}.co", GCNJIT_CONCURRENCY_DATA, target);
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
  }
  void LaunchOne(const char* kernel, const Setting& setting, const Arguments& arguments) {
    LaunchConfig config;
    config.global.x = config.local.x = kLanes;
    config.engine = setting.engine;
    config.compile_first = true;
    config.threads = 1;
    const auto result = Need(Launch(device_, program_, kernel, config, arguments));
    if (result.status == LaunchStatus::kDone) return;
    fmt::print(stderr, "litmus: {}\n", result.fault ? result.fault->Describe() : "time-out");
    std::exit(2);
  }
  void Free(uint64_t address) {
    if (const auto freed = device_.Free(address); !freed) {
      fmt::print(stderr, "litmus: {}\n", freed.error().message);
    }
  }

  Device device_ = Need(Device::Create());
  Program program_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Litmus tests of the GPU's memory model between host threads.");
  std::string target = "all";
  std::string engine = "all";
  Setting setting;
  setting.rounds = 1000;
  bool verbose = false;
  app.add_option("--gen", target, "'all' or one target, e.g. gfx900");
  std::string isa;
  app.add_option("--engine", engine, "interp, jit or all")
      ->check(CLI::IsMember({"all", "interp", "jit"}));
  app.add_option("--isa", isa, "avx2 or avx512: code of the JIT; by default the host's best")
      ->check(CLI::IsMember({"avx2", "avx512"}));
  app.add_option("--rounds", setting.rounds, "of 64 tests each")->check(CLI::Range(1, 1 << 22));
  app.add_flag("--verbose", verbose, "one line a test");
  app.footer("Example: litmus --rounds=100000 --verbose");
  CLI11_PARSE(app, argc, argv);
  if (!isa.empty()) {
    if (!backend::HostHas(isa == "avx2" ? backend::HostIsa::kAvx2 : backend::HostIsa::kAvx512)) {
      fmt::print("this host has no {}\n", isa);
      return kSkipped;
    }
    setenv("GCNJIT_FORCE_ISA", isa.c_str(), 1);
  }
  uint64_t executed = 0;
  uint64_t failed = 0;
  uint64_t shown = 0;
  for (const char* name : {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"}) {
    if (target != "all" && target != name) continue;
    setting.target = name;
    Machine machine(name);
    for (const Engine which : {Engine::kInterpreter, Engine::kJit}) {
      const char* engine_name = which == Engine::kJit ? "jit" : "interp";
      if (engine != "all" && engine != engine_name) continue;
      setting.engine = which;
      for (const Litmus& test : Tests()) {
        const uint64_t seen = machine.Run(test, setting);
        (test.must_hold ? failed : shown) += seen;
        if (test.must_hold) executed += uint64_t{setting.rounds} * kLanes;
        if (verbose || (test.must_hold && seen != 0)) {
          fmt::print("{} {} {}: seen {} times of {}{}\n", name, engine_name, test.name, seen,
                     setting.rounds * kLanes, test.must_hold ? "" : " (allowed)");
        }
      }
    }
  }
  fmt::print("Store buffering without a fence was seen {} times{}\n", shown,
             shown == 0 ? ": this host, or this dose, does not tell a missing fence" : "");
  fmt::print("{} executed, {} failed\n", executed, failed);
  return failed == 0 && executed != 0 ? 0 : 1;
}
