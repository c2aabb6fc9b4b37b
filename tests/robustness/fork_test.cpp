// Processes that fork, as multiprocessing of Python's does: what one compiles, throws away and runs
// changes nothing in another, whichever of them had the code first.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;

constexpr uint32_t kForkItems = 256;

// Stores factor * id + count to each item's dword.
struct ForkKernel {
  uint32_t factor;
  uint32_t count;

  std::vector<std::string> Lines(Generation g) const {
    std::vector<std::string> lines = {"s_load_dwordx8 s[16:23], s[6:7], 0x0",
                                      "s_waitcnt lgkmcnt(0)",
                                      "s_lshl_b32 s24, s10, 6",
                                      AddLine(g, "v0", "s24", "v0"),
                                      fmt::format("s_mov_b32 s25, {}", factor),
                                      "v_mul_lo_u32 v1, v0, s25"};
    lines.insert(lines.end(), count, AddLine(g, "v1", "1", "v1"));
    lines.insert(lines.end(), {"v_lshlrev_b32_e32 v2, 2, v0",
                               "buffer_store_dword v1, v2, s[20:23], 0 offen", "s_endpgm"});
    return lines;
  }
};

class ForkingProcess {
 public:
  ForkingProcess(Generation generation, std::string engine, uint32_t seed)
      : generation_(generation), engine_(std::move(engine)), random_(seed) {
    for (uint32_t n = 0; n < kKernels; ++n) {
      kernels_.push_back({Random() | 1, 1 + Random() % 300});
      const auto lines = kernels_.back().Lines(generation);
      files_.push_back(FrameFile(generation, AssembleProgram(generation, lines)));
    }
    buffer_ = *device_.Allocate(kForkItems * 4);
    programs_.resize(kKernels);
  }

  // Forks, and so does the process that comes of it. Do all have right results?
  bool Run(int generations) {
    bool is_right = Work(8);
    if (generations == 0) return is_right;
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(120);
      random_.seed(Random() + 1);
      const bool rest_is_right = Run(generations - 1);
      programs_.clear();  // as at an ordinary end
      ::_exit(rest_is_right ? 0 : 1);
    }
    for (int round = 0; round < 4; ++round) is_right &= Work(4);
    int status = -1;
    is_right &= ::waitpid(child, &status, 0) == child && status == 0;
    return is_right && Work(8);
  }

 private:
  static constexpr uint32_t kKernels = 6;

  uint32_t Random() { return static_cast<uint32_t>(random_()); }

  // Loads programs, runs them, and throws them away.
  bool Work(int steps) {
    bool is_right = true;
    for (int step = 0; step < steps; ++step) {
      const uint32_t n = Random() % kKernels;
      if (programs_[n] && Random() % 3 == 0) {
        programs_[n].reset();
        continue;
      }
      if (!programs_[n]) {
        auto loaded = Program::Load(device_, files_[n]);
        if (!loaded) return false;
        programs_[n] = *std::move(loaded);
      }
      is_right &= IsRight(n);
    }
    return is_right;
  }

  bool IsRight(uint32_t n) {
    FrameArguments arguments;
    const uint64_t resource[2] = {buffer_, kForkItems * 4 | uint64_t{0x00027FAC} << 32};
    std::memcpy(&arguments.words[2], resource, sizeof resource);
    LaunchConfig config;
    config.global = {.x = kForkItems};
    config.local = {.x = 64};
    config.threads = 1;  // ThreadSanitizer has none start in a process that was forked off
    UseEngine(engine_, config);
    const auto result =
        Launch(device_, *programs_[n], "frame", config, Arguments().Value(arguments));
    if (!result || result->status != LaunchStatus::kDone) return false;
    uint32_t values[kForkItems];
    std::memcpy(values, device_.Data(buffer_, sizeof values).data(), sizeof values);
    for (uint32_t item = 0; item < kForkItems; ++item) {
      if (values[item] != kernels_[n].factor * item + kernels_[n].count) return false;
    }
    return true;
  }

  const Generation generation_;
  const std::string engine_;
  std::mt19937 random_;
  std::vector<ForkKernel> kernels_;
  std::vector<std::vector<std::byte>> files_;
  Device device_ = *Device::Create();
  uint64_t buffer_ = 0;
  std::vector<std::optional<Program>> programs_;
};

TEST(ForkTest, ProcessesDoNotChangeEachOthersCode) {
  for (const std::string& engine : Engines()) {
    for (uint32_t seed = 1; seed <= 12; ++seed) {
      ForkingProcess process(Generation::kGfx900, engine, seed);
      EXPECT_TRUE(process.Run(/*generations=*/1 + static_cast<int>(seed % 3)))
          << engine << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace gcnjit::robustness
