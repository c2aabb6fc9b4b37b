// Small hostile files (R22) as a program: "N executed, M failed". Each file is loaded by the
// library and given to gcnjit info, with and without --json, and to gcnjit run, each time in a
// process of its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace {

constexpr const char* kHelp =
    "hostile_files --gcnjit=PROGRAM [--only=TEXT] [--every=N] [--first=N] [--list] [--verbose]\n"
    "Loads small files that ask for much, and well formed ones: by the library, by gcnjit info "
    "and\n"
    "by gcnjit run. Each must end as it should, within 2 s of processor time and 64 MiB + 8 times\n"
    "the file's size of memory. That is the most pages that the process has had, less those that\n"
    "it had before it looked at the file: for the library, what it has with a device; for gcnjit,\n"
    "what it needs for the smallest file there is.\n"
    "  --only     files whose names contain this\n"
    "  --every    of these each Nth; --first says which one is the first (0)\n"
    "  --list     prints their names and runs nothing\n"
    "  --verbose  a line for each file and way\n"
    "Example: hostile_files --gcnjit=build/release/gcnjit --only=msgpack-deep --every=3\n";

constexpr double kMostSeconds = 2;
constexpr uint64_t kFreeBytes = uint64_t{64} << 20;
constexpr uint64_t kBytesPerFileByte = 8;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizer's memory and time are not the library's: only how files end is looked at.
constexpr bool kIsMeasured = false;
#else
constexpr bool kIsMeasured = true;
#endif

struct Options {
  std::string gcnjit;
  std::string only;
  size_t every = 1;
  size_t first = 0;
  bool list = false;
  bool verbose = false;
};

// How one process fared with a file.
struct Use {
  uint64_t peak_bytes = 0;
  double seconds = 0;  // of the processor
  std::string problem;
};

double Seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// So that a file which does its worst leaves the machine alone.
void LimitThisProcess() {
  if (!kIsMeasured) return;
  const rlimit seconds = {20, 20};
  ::setrlimit(RLIMIT_CPU, &seconds);
  const rlimit data = {uint64_t{8} << 30, uint64_t{8} << 30};
  ::setrlimit(RLIMIT_DATA, &data);
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

// --- The library ---

// A line of /proc/self/status, in bytes.
uint64_t StatusBytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, 10) << 10;
  }
  return 0;
}

// What the child tells, in memory that both see.
struct Told {
  uint64_t peak_bytes;
  double seconds;
  char problem[256];
};

std::string Load(const HostileFile& file, Told& told) {
  auto device = Device::Create();
  if (!device) return device.error().message;
  const uint64_t bytes_before = StatusBytes("VmRSS:");
  rusage before = {};
  ::getrusage(RUSAGE_SELF, &before);
  const auto program = Program::Load(*device, file.bytes);
  rusage after = {};
  ::getrusage(RUSAGE_SELF, &after);
  told.seconds = Seconds(after) - Seconds(before);
  const uint64_t peak = StatusBytes("VmHWM:");
  told.peak_bytes = peak > bytes_before ? peak - bytes_before : 0;
  if (!program) {
    if (program.error().message.empty()) return "an error without a message";
    return file.ends == Ends::kLoaded ? "refused: " + program.error().message : "";
  }
  if (file.ends == Ends::kRefused || file.ends == Ends::kShown) return "not refused";
  if (file.ends == Ends::kAnyhow) return {};
  if (!program->FindKernel("k")) return "it has no kernel k";
  if (file.ends == Ends::kLoaded && program->Kernels().size() != file.kernels) {
    return fmt::format("{} kernels instead of {}", program->Kernels().size(), file.kernels);
  }
  return {};
}

Use LoadInProcess(const HostileFile& file, Told& told) {
  told = {};
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    LimitThisProcess();
    try {
      Load(file, told).copy(told.problem, sizeof told.problem - 1);
    } catch (const std::exception& error) {
      fmt::format("exception {}", error.what()).copy(told.problem, sizeof told.problem - 1);
    }
    ::_exit(0);
  }
  int status = 0;
  rusage usage = {};
  ::wait4(child, &status, 0, &usage);
  Use use = {told.peak_bytes, told.seconds, told.problem};
  if (status != 0) {  // nothing was told
    use = {static_cast<uint64_t>(usage.ru_maxrss) << 10, Seconds(usage), HowItEnded(status)};
  }
  return use;
}

// --- The program ---

struct Outcome {
  Use use;
  int status = 0;
};

Outcome Gcnjit(const Options& options, std::vector<std::string> arguments, const std::string& file,
               const std::string& messages) {
  arguments.insert(arguments.begin(), options.gcnjit);
  arguments.push_back(file);
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    LimitThisProcess();
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::dup2(::open(messages.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    ::setenv("GCNJIT_CACHE", "0", 1);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  Outcome outcome;
  rusage usage = {};
  ::wait4(child, &outcome.status, 0, &usage);
  outcome.use.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) << 10;
  outcome.use.seconds = Seconds(usage);
  return outcome;
}

struct Way {
  std::string_view name;
  std::vector<std::string> arguments;  // and the file
};

const std::vector<Way>& Ways() {
  static const std::vector<Way> kWays = {
      {"info", {"info"}},
      {"info --json", {"info", "--json"}},
      {"run",
       {"run", "--kernel", "k", "--global", "64", "--engine", "interp", "--threads", "1",
        "--timeout", "60"}},
  };
  return kWays;
}

// --- The family ---

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {
    std::string name = (std::filesystem::temp_directory_path() / "gcnjit-hostile-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder in /tmp");
    folder_ = name;
    void* const shared =
        ::mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    told_ = new (shared) Told{};
    Write(SmallObject({0, "gfx900", 4}).Build());
    for (const Way& way : Ways()) {
      const Outcome outcome = Gcnjit(options_, way.arguments, File(), Messages());
      if (outcome.status != 0) {
        throw std::runtime_error(
            fmt::format("{} {}: {}", options_.gcnjit, way.name, HowItEnded(outcome.status)));
      }
      smallest_.push_back(outcome.use.peak_bytes);
    }
  }
  ~Runner() { std::filesystem::remove_all(folder_); }

  void Run(const HostileCase& one) {
    HostileFile file = one.kind.make(one.shape);
    const size_t bytes = file.bytes.size();
    Write(file.bytes);
    ::malloc_trim(0);  // what making the file has left must not hide what loading it takes
    Judge(one, "load", bytes, LoadInProcess(file, *told_));
    file.bytes = {};
    ::malloc_trim(0);  // a process begins with its parent's pages, by its own account
    for (size_t n = 0; n < Ways().size(); ++n) {
      Outcome outcome = Gcnjit(options_, Ways()[n].arguments, File(), Messages());
      outcome.use.peak_bytes -= std::min(smallest_[n], outcome.use.peak_bytes);
      outcome.use.problem = ProblemOf(file.ends, Ways()[n].name, outcome.status);
      Judge(one, Ways()[n].name, bytes, outcome.use);
    }
    ++executed_;
    if (has_failed_) ++failed_;
    has_failed_ = false;
  }

  int Report() const {
    fmt::print("{} executed, {} failed (at most {} MiB, {:.1f} times its size, {:.2f} s)\n",
               executed_, failed_, most_bytes_ >> 20, most_factor_, most_seconds_);
    return executed_ != 0 && failed_ == 0 ? 0 : 1;
  }

 private:
  std::string File() const { return folder_ / "file"; }
  std::string Messages() const { return folder_ / "messages"; }

  void Write(const FileBytes& bytes) const {
    std::ofstream(File(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  std::string ProblemOf(Ends ends, std::string_view way, int status) const {
    constexpr int kDone = 0;
    constexpr int kBadInput = 2;
    if (!WIFEXITED(status)) return HowItEnded(status);
    const int code = WEXITSTATUS(status);
    if (code != kDone && code != kBadInput) return HowItEnded(status);
    std::ifstream stream(Messages());
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    if ((code == kDone) != text.empty()) return "an error without a message, or the other way";
    if (ends == Ends::kShown) ends = way == "run" ? Ends::kRefused : Ends::kLoaded;
    if (ends == Ends::kRefused && code == kDone) return "not refused";
    if (ends == Ends::kLoaded && code != kDone) return "refused: " + text.substr(0, 200);
    return {};
  }

  void Judge(const HostileCase& one, std::string_view way, size_t bytes, const Use& use) {
    const uint64_t allowed = kFreeBytes + kBytesPerFileByte * bytes;
    std::string finding = use.problem;
    if (kIsMeasured && use.peak_bytes > allowed) {
      finding += fmt::format("{}{} MiB of memory; {} allowed", finding.empty() ? "" : "; ",
                             use.peak_bytes >> 20, allowed >> 20);
    }
    if (kIsMeasured && use.seconds > kMostSeconds) {
      finding +=
          fmt::format("{}{:.2f} s of the processor", finding.empty() ? "" : "; ", use.seconds);
    }
    if (!finding.empty()) {
      has_failed_ = true;
      fmt::print("--only={}: {}: {}\n", one.Name(), way, finding);
    } else if (options_.verbose) {
      fmt::print("{}: {}: {} bytes, {} KiB of memory, {:.3f} s\n", one.Name(), way, bytes,
                 use.peak_bytes >> 10, use.seconds);
    }
    most_bytes_ = std::max(most_bytes_, use.peak_bytes);
    most_seconds_ = std::max(most_seconds_, use.seconds);
    if (bytes >= 1 << 20) {
      most_factor_ =
          std::max(most_factor_, static_cast<double>(use.peak_bytes) / static_cast<double>(bytes));
    }
    std::fflush(stdout);
  }

  const Options& options_;
  std::filesystem::path folder_;
  Told* told_ = nullptr;
  std::vector<uint64_t> smallest_;  // memory for the smallest file, each way
  size_t executed_ = 0;
  size_t failed_ = 0;
  bool has_failed_ = false;
  uint64_t most_bytes_ = 0;
  double most_factor_ = 0;
  double most_seconds_ = 0;
};

int Run(const Options& options) {
  const std::vector<HostileCase> cases = HostileCases();
  std::vector<const HostileCase*> chosen;
  size_t found = 0;
  for (const HostileCase& one : cases) {
    if (one.Name().find(options.only) == std::string::npos) continue;
    const size_t place = found++;
    if (place >= options.first && (place - options.first) % options.every == 0) {
      chosen.push_back(&one);
    }
  }
  if (options.list) {
    for (const HostileCase* one : chosen) fmt::print("{}\n", one->Name());
    return 0;
  }
  Runner runner(options);
  for (const HostileCase* one : chosen) runner.Run(*one);
  return runner.Report();
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
    if (const char* program = value("--gcnjit=")) {
      options.gcnjit = program;
    } else if (const char* only = value("--only=")) {
      options.only = only;
    } else if (const char* every = value("--every=")) {
      options.every = std::max<size_t>(std::strtoull(every, nullptr, 10), 1);
    } else if (const char* first = value("--first=")) {
      options.first = std::strtoull(first, nullptr, 10);
    } else if (argument == "--list") {
      options.list = true;
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
    fmt::print(stderr, "hostile_files: {}\n", error.what());
    return 1;
  }
}
