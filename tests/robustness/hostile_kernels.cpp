// Hostile code (R7) as a program: "N executed, M failed". The cases run in a child process, so that
// a crash is a finding and not the end.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "robustness/hostile_case.h"

namespace gcnjit::robustness {
namespace {

constexpr const char* kHelp =
    "hostile_kernels --dir=DIRECTORY [--seed=N] [--count=N] [--verbose]\n"
    "Runs kernels of the code objects (*.co) in DIRECTORY with bits of their code and descriptors\n"
    "changed, in each engine. They may end, fault or use up their instructions; anything else is "
    "a\n"
    "finding, and so is a difference between the engines.\n"
    "  --seed, --count   cases seed, seed + 1, ...; a failure names its seed (1, 300)\n"
    "  --verbose         one line a case\n"
    "Example: hostile_kernels --dir=b/tests/kernels/code_objects --seed=1000 --count=100000\n";

struct Options {
  std::string directory;
  uint64_t seed = 1;
  uint64_t count = 300;
  bool verbose = false;
};

// What the child tells its parent, in memory that both see.
struct Progress {
  std::atomic<uint64_t> next;  // seed of the case that runs
  std::atomic<uint64_t> executed;
  std::atomic<uint64_t> failed;
  std::atomic<uint64_t> kinds[5];  // done, fault, limit, refused, other
};
constexpr std::string_view kKinds[] = {"done", "fault", "limit", "refused"};

void RunCases(const Options& options, const std::vector<std::string>& files, Progress& progress) {
  for (uint64_t seed = progress.next; seed < options.seed + options.count; ++seed) {
    progress.next = seed;
    const HostileResult result = RunHostile(files, seed);
    ++progress.executed;
    size_t kind = 0;
    while (kind < std::size(kKinds) && !result.what.starts_with(kKinds[kind])) ++kind;
    ++progress.kinds[kind];
    if (options.verbose) fmt::print("{}: {}: {}\n", seed, result.name, result.what);
    if (!result.finding.empty()) {
      ++progress.failed;
      fmt::print("--seed={} --count=1: {}: {}\n", seed, result.name, result.finding);
    }
    std::fflush(stdout);
  }
  progress.next = options.seed + options.count;
}

// Waits for the child; what it died of, or nothing.
std::string Await(pid_t child, const Progress& progress) {
  constexpr auto kLongest = std::chrono::minutes(5);  // for one case, on a loaded machine
  using Clock = std::chrono::steady_clock;
  uint64_t seen = progress.next;
  Clock::time_point since = Clock::now();
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
      if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
      return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    }
    if (progress.next != seen) {
      seen = progress.next;
      since = Clock::now();
    } else if (Clock::now() - since > kLongest) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return "hangs";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

int Run(const Options& options) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path().extension() == ".co") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  if (files.empty()) {
    fmt::print(stderr, "hostile_kernels: no code objects (*.co) in {}\n", options.directory);
    return 2;
  }
  void* const shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& progress = *new (shared) Progress{};
  progress.next = options.seed;
  const uint64_t end = options.seed + options.count;
  while (progress.next < end) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      RunCases(options, files, progress);
      std::fflush(stdout);
      ::_exit(0);
    }
    const std::string death = Await(child, progress);
    if (death.empty()) break;
    fmt::print("--seed={} --count=1: {}\n", progress.next.load(), death);
    ++progress.executed;
    ++progress.failed;
    ++progress.next;
  }
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  constexpr long kMostMemory = 2 << 20;  // KiB
  if (usage.ru_maxrss > kMostMemory) {
    ++progress.failed;
    fmt::print("used {} MiB of host memory\n", usage.ru_maxrss >> 10);
  }
  fmt::print("{} executed, {} failed ({} done, {} faults, {} limits, {} refused; {} MiB)\n",
             progress.executed.load(), progress.failed.load(), progress.kinds[0].load(),
             progress.kinds[1].load(), progress.kinds[2].load(), progress.kinds[3].load(),
             usage.ru_maxrss >> 10);
  return progress.executed != 0 && progress.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gcnjit::robustness

int main(int argc, char** argv) {
  gcnjit::robustness::Options options;
  for (int n = 1; n < argc; ++n) {
    const std::string_view argument = argv[n];
    const auto value = [&](std::string_view name) -> const char* {
      return argument.starts_with(name) ? argv[n] + name.size() : nullptr;
    };
    if (const char* directory = value("--dir=")) {
      options.directory = directory;
    } else if (const char* seed = value("--seed=")) {
      options.seed = std::strtoull(seed, nullptr, 10);
    } else if (const char* count = value("--count=")) {
      options.count = std::strtoull(count, nullptr, 10);
    } else if (argument == "--verbose") {
      options.verbose = true;
    } else {
      fmt::print("{}", gcnjit::robustness::kHelp);
      return argument == "--help" ? 0 : 2;
    }
  }
  try {
    return gcnjit::robustness::Run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hostile_kernels: {}\n", error.what());
    return 1;
  }
}
