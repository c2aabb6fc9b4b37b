#include "source_fuzz/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

#include "differential/random.h"
#include "source_fuzz/device_run.h"
#include "source_fuzz/generator.h"
#include "source_fuzz/host_run.h"
#include "source_fuzz/memory_image.h"
#include "source_fuzz/reduce.h"

namespace gcnjit::source_fuzz {
namespace {

// What one engine did wrong; nothing if it did not.
std::string Wrong(const Kernel& kernel, const Buffers& expected, const DeviceResult& result) {
  if (!result.error.empty()) return result.error;
  const Difference difference = Compare(kernel, expected, result.buffers);
  if (!difference.found) return {};
  return fmt::format("byte {} of '{}' is {:#04x} and should be {:#04x}", difference.byte,
                     kernel.arguments[difference.argument].declaration,
                     static_cast<int>(result.buffers[difference.argument][difference.byte]),
                     static_cast<int>(expected[difference.argument][difference.byte]));
}

class Campaign {
 public:
  explicit Campaign(const Options& options)
      : options_(options),
        compilers_(options.compilers.empty() ? InstalledCompilers() : options.compilers),
        engines_(Engines()) {
    std::filesystem::create_directories(options_.folder);
  }

  Counts Go() {
    const auto begin = std::chrono::steady_clock::now();
    const auto is_over = [&] {
      if (counts_.executed >= options_.count && options_.seconds == 0) return true;
      return options_.seconds > 0 &&
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                 options_.seconds;
    };
    for (uint64_t seed = options_.seed; !is_over(); ++seed) Source(seed);
    return counts_;
  }

 private:
  std::string Path(const std::string& name) const { return options_.folder + "/" + name; }

  void Write(const std::string& path, const std::string& text) const {
    std::ofstream(path) << text;
  }

  std::vector<Buffers> OnHost(const Program& program, const std::string& source,
                              std::string& said) const {
    const std::string library = Path(fmt::format("host{}.so", options_.seed));
    std::vector<Buffers> expected;
    if (!CompileForHost(source, library, options_.is_sanitized, said)) return expected;
    const HostLibrary host(library);
    if (!host.ok()) {
      said = "the host's library cannot be loaded";
      return expected;
    }
    for (const Kernel& kernel : program.kernels) expected.push_back(host.Run(kernel));
    return expected;
  }

  void Source(uint64_t seed) {
    const Program program = Generator(seed).MakeProgram(options_.kernels);
    const std::string source = Path(fmt::format("source{}.cl", options_.seed));
    const std::string text = Print(program);
    Write(source, text);
    std::string said;
    const std::vector<Buffers> expected = OnHost(program, source, said);
    if (expected.empty()) {
      fmt::print("seed {}: the host's compiler refuses it: {}\n", seed, said.substr(0, 600));
      ++counts_.failed;
      return;
    }
    differential::Random random(seed * 77 + 5);
    for (const std::string& target : options_.targets) {
      Build build = {random.Pick(compilers_), target, random.Pick(options_.levels)};
      // At -O0 LLVM reads packed structs as if they were aligned; gfx6 has no unaligned accesses.
      const bool is_packed = text.find("PACKED") != std::string::npos;
      if (is_packed && target.starts_with("gfx6") && build.level == "-O0") build.level = "-O1";
      const std::string object = Path(fmt::format("device{}.co", options_.seed));
      Compiled compiled = CompileForDevice(source, build, object, said);
      // LLVM 14 and 15 do not come to an end with about one source in a hundred: two instructions
      // with one operand in common change places in SIFoldOperands for ever, in the second run of
      // the pass, which -O1 has not (llvm-project pull request 82099).
      if (compiled == Compiled::kOutOfTime && build.level != "-O1") {
        build.level = "-O1";
        compiled = CompileForDevice(source, build, object, said);
      }
      if (compiled != Compiled::kDone) {
        // A bug of the compiler, or of the generator: a person should look at it.
        counts_.refused += program.kernels.size();
        fmt::print("seed {}: {} refuses it: {}\n", seed, build.Name(), said.substr(0, 600));
        continue;
      }
      std::vector<std::string> wrong(program.kernels.size());
      for (const std::string& engine : engines_) {
        const auto results = RunOnDevice(object, program.kernels, engine);
        for (size_t n = 0; n < results.size(); ++n) {
          const std::string what = Wrong(program.kernels[n], expected[n], results[n]);
          if (!what.empty()) wrong[n] += fmt::format("  {}: {}\n", engine, what);
        }
      }
      for (size_t n = 0; n < wrong.size(); ++n) {
        ++counts_.executed;
        if (!wrong[n].empty()) Failure(seed, build, program, n, wrong[n]);
      }
      std::fflush(stdout);
    }
  }

  // The first engine that is wrong; nothing if none is, or if a compiler refuses the program.
  std::string WrongWith(const Program& program, const Build& build) {
    const std::string source = Path(fmt::format("smaller{}.cl", options_.seed));
    const std::string object = Path(fmt::format("smaller{}.co", options_.seed));
    Write(source, Print(program));
    std::string said;
    const std::vector<Buffers> expected = OnHost(program, source, said);
    if (expected.empty()) return {};
    if (CompileForDevice(source, build, object, said) != Compiled::kDone) return {};
    for (const std::string& engine : engines_) {
      const auto results = RunOnDevice(object, program.kernels, engine);
      for (size_t n = 0; n < results.size(); ++n) {
        if (!Wrong(program.kernels[n], expected[n], results[n]).empty()) return engine;
      }
    }
    return {};
  }

  void Failure(uint64_t seed, const Build& build, Program program, size_t kernel,
               const std::string& what) {
    ++counts_.failed;
    fmt::print("seed {}, k{}, {}:\n{}", seed, kernel, build.Name(), what);
    Program alone = program;
    alone.kernels = {program.kernels[kernel]};
    std::string engine = WrongWith(alone, build);
    if (!engine.empty()) {
      program = std::move(alone);
    } else {
      // What else is in the source decides what compilers make of shared functions.
      engine = WrongWith(program, build);
    }
    if (engine.empty()) {
      fmt::print("  not when it is compiled and run again\n");
      return;
    }
    program = Reduce(std::move(program), options_.attempts,
                     [&](const Program& smaller) { return WrongWith(smaller, build) == engine; });
    const std::string path = Path(fmt::format("failure_{}_k{}_{}_{}{}.cl", seed, kernel,
                                              build.target, build.compiler, build.level));
    Write(path, fmt::format("// {}\n", build.Name()) + Print(program));
    fmt::print("  made smaller: {}\n", path);
    for (const std::string& compiler : compilers_) {
      for (const std::string& level : options_.levels) {
        const std::string other = WrongWith(program, {compiler, build.target, level});
        fmt::print("  {} {}: {}\n", compiler, level,
                   other.empty() ? "right" : "wrong (" + other + ")");
      }
    }
  }

  const Options& options_;
  std::vector<std::string> compilers_;
  std::vector<std::string> engines_;
  Counts counts_;
};

}  // namespace

Counts Run(const Options& options) { return Campaign(options).Go(); }

}  // namespace gcnjit::source_fuzz
