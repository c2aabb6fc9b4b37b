// source_fuzz: random OpenCL C programs, compiled by the compilers that are installed, run in all
// engines, and compared with the same program compiled as C++ for the host.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "source_fuzz/campaign.h"
#include "source_fuzz/generator.h"

namespace {

using gcnjit::source_fuzz::Counts;
using gcnjit::source_fuzz::Options;

constexpr const char* kHelp = R"(source_fuzz [OPTION...]
  --count=N        so many programs x targets (default 200)
  --time=SECONDS   or for so long
  --seed=N         of the first source (default 1); each source counts on from it
  --kernels=N      programs in a source (default 12)
  --targets=A,B    default gfx600,gfx700,gfx803,gfx900,gfx906
  --compilers=A,B  default: clang-14, 15, 17, 19, 21, as far as they are installed
  --levels=A,B     default -O0,-O1,-O2,-O3
  --jobs=N         processes, each with seeds of its own (default 1)
  --folder=PATH    for sources and for failures, made smaller (default source_fuzz)
  --attempts=N     of making a failure smaller (default 400; 0: none)
  --sanitize       the host's side under UBSan: is the program well defined?
  --print          print the source of --seed and end
Examples:
  source_fuzz --count=1000 --jobs=2
  source_fuzz --seed=42 --count=60 --targets=gfx900 --compilers=clang-15 --levels=-O2
)";

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    text = comma == text.npos ? "" : text.substr(comma + 1);
  }
  return names;
}

template <typename T>
bool Number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

struct CommandLine {
  Options options;
  int jobs = 1;
  bool prints = false;

  bool Take(std::string_view argument) {
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const std::string_view value = equals == argument.npos ? "" : argument.substr(equals + 1);
    if (name == "--count") return Number(value, options.count);
    if (name == "--time") return Number(value, options.seconds);
    if (name == "--seed") return Number(value, options.seed);
    if (name == "--kernels") return Number(value, options.kernels) && options.kernels > 0;
    if (name == "--attempts") return Number(value, options.attempts);
    if (name == "--jobs") return Number(value, jobs) && jobs > 0 && jobs < 256;
    if (name == "--targets") return !(options.targets = Split(value)).empty();
    if (name == "--compilers") return !(options.compilers = Split(value)).empty();
    if (name == "--levels") return !(options.levels = Split(value)).empty();
    if (name == "--folder") return !(options.folder = value).empty();
    if (name == "--sanitize") return options.is_sanitized = true;
    if (name == "--print") return prints = true;
    return false;
  }
};

// In processes: kernels' fibers and the choice of the host's instruction set belong to a process.
Counts RunJobs(const Options& options, int jobs) {
  void* shared = ::mmap(nullptr, sizeof(Counts) * static_cast<size_t>(jobs), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* counts = static_cast<Counts*>(shared);
  for (int n = 0; n < jobs; ++n) {
    if (::fork() != 0) continue;
    Options mine = options;
    mine.seed = options.seed + static_cast<uint64_t>(n) * 1'000'000;
    mine.count = options.count / static_cast<uint64_t>(jobs);
    counts[n] = Run(mine);
    std::fflush(stdout);
    ::_exit(0);
  }
  Counts sum;
  for (int n = 0; n < jobs; ++n) {
    int status = 0;
    if (::wait(&status) > 0 && status != 0) ++sum.failed;  // it died
  }
  for (int n = 0; n < jobs; ++n) {
    sum.executed += counts[n].executed;
    sum.failed += counts[n].failed;
    sum.refused += counts[n].refused;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  for (int n = 1; n < argc; ++n) {
    if (line.Take(argv[n])) continue;
    fmt::print(stderr, "{}", kHelp);
    return std::string_view(argv[n]) == "--help" ? 0 : 2;
  }
  if (line.prints) {
    fmt::print(
        "{}",
        Print(gcnjit::source_fuzz::Generator(line.options.seed).MakeProgram(line.options.kernels)));
    return 0;
  }
  const Counts counts = RunJobs(line.options, line.jobs);
  fmt::print("{} executed, {} failed\n", counts.executed, counts.failed);
  if (counts.refused != 0) fmt::print("{} not compiled\n", counts.refused);
  return counts.failed == 0 && counts.executed != 0 ? 0 : 1;
}
