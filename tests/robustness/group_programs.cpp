// Random programs of work-groups (group_program.h) as a program: "N executed, M failed".
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gcnjit/device.h"
#include "robustness/frame.h"
#include "robustness/group_program.h"
#include "robustness/launch_counts.h"

namespace {

using namespace gcnjit;
using robustness::GroupProgram;

constexpr const char* kHelp =
    "group_programs [--gen=gfx900] [--seed=N] [--count=N]\n"
    "Runs random kernels whose waves go different ways to the same barriers, in each engine: "
    "memory,\n"
    "number of instructions and faults must be the interpreter's.\n"
    "  --gen    one generation: gfx600 gfx700 gfx803 gfx900 gfx906 gfx908 gfx90a gfx942; without "
    "it all\n"
    "  --count  programs of each generation (100), from --seed (1) on\n"
    "Example: group_programs --gen=gfx803 --seed=1000 --count=5000\n";

struct Outcome {
  std::string text;
  std::vector<std::byte> memory;
};

class Runner {
 public:
  Runner(frontend::Generation generation, robustness::LaunchCounts& counts)
      : generation_(generation), counts_(counts) {}

  // Batches have one run of the assembler.
  void Run(uint64_t seed, uint64_t count) {
    constexpr uint64_t kBatch = 200;
    for (; count != 0; seed += kBatch, count -= std::min(count, kBatch)) {
      RunBatch(seed, std::min(count, kBatch));
    }
  }

 private:
  static constexpr size_t kBytes = size_t{robustness::kMostItems} * robustness::kItemBytes;

  void RunBatch(uint64_t seed, uint64_t count) {
    std::vector<GroupProgram> programs;
    std::vector<std::string> lines;
    for (uint64_t n = 0; n < count; ++n) {
      programs.push_back(robustness::MakeGroupProgram(generation_, seed + n));
      for (const GroupProgram::Line& line : programs.back().lines) {
        // How far branches go is not known yet.
        lines.push_back(line.text.starts_with("s_cbranch") ? line.text + " 0x0" : line.text);
      }
    }
    const auto words = robustness::Assemble(generation_, lines);
    size_t first = 0;
    for (uint64_t n = 0; n < count; ++n) {
      const size_t size = programs[n].lines.size();
      RunProgram(seed + n, programs[n], Link(programs[n], std::span(words).subspan(first, size)));
      first += size;
    }
  }

  static std::vector<uint32_t> Link(const GroupProgram& program,
                                    std::span<const std::vector<uint32_t>> words) {
    std::vector<size_t> begin(words.size() + 1);
    for (size_t n = 0; n < words.size(); ++n) begin[n + 1] = begin[n] + words[n].size();
    std::vector<uint32_t> code;
    for (size_t n = 0; n < words.size(); ++n) {
      code.insert(code.end(), words[n].begin(), words[n].end());
      if (!program.lines[n].text.starts_with("s_cbranch")) continue;
      const size_t distance = begin[program.lines[n].target] - begin[n + 1];
      code.back() = (code.back() & 0xFFFF0000) | static_cast<uint16_t>(distance);
    }
    return code;
  }

  Outcome Launch(const std::string& engine, const GroupProgram& program,
                 const std::vector<std::byte>& file) {
    const auto bytes = device_.Data(buffer_, kBytes);
    std::memset(bytes.data(), 0x11, bytes.size());
    robustness::FrameArguments arguments;
    arguments.words[robustness::kArgumentsOfBuffer] = buffer_;
    // As many bytes as there are, and no format.
    arguments.words[robustness::kArgumentsOfBuffer + 1] = 0xFFFFFFFF | uint64_t{0x00027FAC} << 32;
    std::memcpy(&arguments.words[robustness::kArgumentsOfBounds], program.bounds.data(),
                sizeof program.bounds);
    LaunchConfig config;
    config.global = program.global;
    config.local = program.local;
    config.threads = 1;
    config.compile_first = true;
    robustness::UseEngine(engine, config);
    const auto loaded = Program::Load(device_, file);
    if (!loaded) throw std::runtime_error("cannot be loaded: " + loaded.error().message);
    const auto result =
        gcnjit::Launch(device_, *loaded, "frame", config, Arguments().Value(arguments));
    ++counts_.executed;
    if (!result) throw std::runtime_error("cannot be launched: " + result.error().message);
    if (result->fault) {
      ++counts_.faults;
      return {result->fault->Describe(), {}};  // stores before a fault may differ
    }
    return {fmt::format("no fault, {} instructions", result->statistics.wave_instructions),
            {bytes.begin(), bytes.end()}};
  }

  void RunProgram(uint64_t seed, const GroupProgram& program, const std::vector<uint32_t>& code) {
    std::vector<std::byte> file = robustness::FrameFile(generation_, code);
    // Groups that follow one another start in another way where there is no scratch.
    constexpr uint32_t kLdsBytes[] = {robustness::kFrameLdsBytes, 1500, 1024, 1000, 260, 0};
    robustness::ChangeFrame(file, kLdsBytes[seed / 2 % std::size(kLdsBytes)], seed % 2 == 0);
    std::optional<Outcome> expected;
    for (const std::string& engine : robustness::Engines()) {
      const Outcome outcome = Launch(engine, program, file);
      if (!expected) expected = outcome;
      if (outcome.text == expected->text && outcome.memory == expected->memory) continue;
      std::string text;
      for (const GroupProgram::Line& line : program.lines) text += line.text + "\n";
      counts_.failures.push_back(fmt::format(
          "{} {}, --seed={} --count=1, groups of {} x {} x {}: the interpreter says\n{}\nthis "
          "engine\n{}{}\n{}",
          frontend::TargetName(generation_), engine, seed, program.local.x, program.local.y,
          program.local.z, expected->text, outcome.text,
          outcome.memory == expected->memory ? "" : ", and stores something else", text));
    }
  }

  const frontend::Generation generation_;
  robustness::LaunchCounts& counts_;
  Device device_ = *Device::Create();
  const uint64_t buffer_ = *device_.Allocate(kBytes);
};

int Run(int argc, char** argv) {
  std::string target;
  uint64_t seed = 1;
  uint64_t count = 100;
  for (int n = 1; n < argc; ++n) {
    const std::string_view argument = argv[n];
    const auto value = [&](std::string_view name) -> const char* {
      return argument.starts_with(name) ? argv[n] + name.size() : nullptr;
    };
    if (const char* gen = value("--gen=")) {
      target = gen;
    } else if (const char* from = value("--seed=")) {
      seed = std::strtoull(from, nullptr, 10);
    } else if (const char* number = value("--count=")) {
      count = std::strtoull(number, nullptr, 10);
    } else {
      fmt::print("{}", kHelp);
      return argument == "--help" ? 0 : 2;
    }
  }
  robustness::LaunchCounts counts;
  for (const auto generation : frontend::kGenerations) {
    if (!target.empty() && target != frontend::TargetName(generation)) continue;
    Runner(generation, counts).Run(seed, count);
  }
  return robustness::Report(counts);
}

}  // namespace

int main(int argc, char** argv) {
  return gcnjit::robustness::RunProgram("group_programs", [&] { return Run(argc, argv); });
}
