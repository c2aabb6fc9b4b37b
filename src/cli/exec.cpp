// gcnjit exec: runs a host program that uses HIP, OpenCL or HSA, with emulated devices.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/host_needs.h"
#include "cli/junit.h"
#include "cli/message.h"
#include "cli/outputs.h"
#include "cli/seconds.h"
#include "cli/timed_process.h"
#include "cli/whole_number.h"
#include "isa/target_features.h"
#include "runtime/check/check_names.h"

namespace gcnjit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libhsa-runtime64.so.1";
constexpr const char* kDriverLibrary = "libgcnjit-driver.so";

struct ExecOptions {
  std::vector<std::string> command;
  std::string device;
  unsigned devices = 0;
  std::string engine;
  std::optional<unsigned> threads;
  std::string check;  // empty: nothing is checked
  bool statistics = false;
  bool json = false;
  std::string trace;
  std::string html;
  std::string junit;
  std::optional<double> timeout;
};

int FailExec(int code, const std::string& message) {
  PrintMessage("gcnjit exec: {}\n", message);
  return code;
}

// This program's path; empty: unknown.
fs::path ThisProgram() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

// The folder of the library, in the build tree or in an installed one; empty: it is in neither.
fs::path LibraryFolder() {
  std::error_code error;
  const fs::path program = ThisProgram();
  for (const char* from_program : {"lib/gcnjit", "../lib/gcnjit"}) {
    const fs::path folder = (program.parent_path() / from_program).lexically_normal();
    if (fs::exists(folder / kLibrary, error)) return folder;
  }
  return {};
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

// As a shell does it: a name with a slash is a path, any other one is looked for in PATH, where
// files that are not executable count only if there is nothing better. Empty: not found.
std::string FindProgram(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos) return fs::exists(name, error) ? name : std::string();
  const char* variable = std::getenv("PATH");
  const std::string folders = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  std::string not_executable;
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = folders.substr(begin, end - begin);
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (IsFile(path)) {
      if (::access(path.c_str(), X_OK) == 0) return path;
      if (not_executable.empty()) not_executable = path;
    }
    begin = end + 1;
  }
  return not_executable;
}

// Does the program look for the kernel's driver itself, as rocminfo does?
bool LooksForDriver(const std::string& program) {
  static constexpr std::string_view kDevice = "/dev/kfd";
  const auto file = ReadFile(program);
  if (!file) return false;
  const auto* bytes = reinterpret_cast<const char*>(file->data());
  return std::string_view(bytes, file->size()).find(kDevice) != std::string_view::npos;
}

void Prepend(const char* variable, const std::string& entry) {
  const char* old = std::getenv(variable);
  const bool empty = old == nullptr || *old == '\0';
  ::setenv(variable, (empty ? entry : entry + ":" + old).c_str(), 1);
}

// The file by which OpenCL's loader finds AMD's library; empty: it is not installed.
std::string OpenClVendorFile() {
  std::error_code error;
  for (const auto& file : fs::directory_iterator("/etc/OpenCL/vendors", error)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("amdocl64") && name.ends_with(".icd")) return file.path().string();
  }
  return {};
}

// Options that were not given leave the environment as it is.
void SetEnvironment(const ExecOptions& options) {
  const auto set = [](const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
  };
  if (!options.device.empty()) set("GCNJIT_DEVICE", options.device);
  if (options.devices != 0) set("GCNJIT_DEVICES", std::to_string(options.devices));
  if (!options.engine.empty()) set("GCNJIT_ENGINE", options.engine);
  if (options.threads) set("GCNJIT_THREADS", std::to_string(*options.threads));
  if (!options.check.empty()) set("GCNJIT_CHECK", options.check);
  if (options.statistics) set("GCNJIT_STATS", "1");
  if (options.json) set("GCNJIT_STATS", "json");
  if (options.timeout) set("GCNJIT_UNFINISHED", "1");
  set("GCNJIT_PROGRAM", ThisProgram().string());
  // Absolute: the program may go elsewhere before it ends.
  if (!options.trace.empty()) set("GCNJIT_TRACE", fs::absolute(options.trace).string());
  if (!options.html.empty()) set("GCNJIT_HTML", fs::absolute(options.html).string());
  if (!options.junit.empty()) set("GCNJIT_JUNIT", fs::absolute(options.junit).string());
}

Result<void> CheckExecOutputs(const ExecOptions& options) {
  const std::vector<Output> outputs = {
      {"--trace", options.trace}, {"--html", options.html}, {"--junit", options.junit}};
  for (const auto& [option, path] : outputs) {
    if (path != "-") continue;
    return Error{ErrorCode::kInvalidArgument,
                 option + " -: standard output is the program's; give a file"};
  }
  return CheckOutputs(outputs);
}

// The library writes the report, if the program calls it. So that none of an earlier run stays
// where it does not, there is one of no kernel first; not in a pipe, which would get both.
Result<void> BeginReports(const ExecOptions& options) {
  std::error_code error;
  const auto type = fs::status(options.junit, error).type();
  const bool is_file = type == fs::file_type::not_found || type == fs::file_type::regular;
  if (options.junit.empty() || !is_file || IsStandardOutput(options.junit)) return {};
  std::string line;
  for (const std::string& word : options.command) line += " " + word;
  return WriteJunit(options.junit, {"gcnjit exec" + line, 0, {}});
}

int Exec(const ExecOptions& options) {
  const fs::path folder = LibraryFolder();
  if (folder.empty()) {
    return FailExec(
        kExitBadInput,
        fmt::format("{} is neither in lib/gcnjit nor in ../lib/gcnjit beside this program. "
                    "It is built together with gcnjit where libhsa-runtime-dev is "
                    "installed ('scripts/setup'), and installed with it.",
                    kLibrary));
  }
  const std::string& name = options.command[0];
  const std::string program = FindProgram(name);
  if (program.empty()) {
    return FailExec(kExitNotFound, fmt::format("{}: not found{}", name,
                                               name.find('/') == std::string::npos
                                                   ? " in PATH; is it ./" + name + "?"
                                                   : std::string()));
  }
  if (const auto needs = CheckHostNeeds(); !needs)
    return FailExec(kExitBadInput, needs.error().message);
  if (!options.check.empty()) {
    if (const auto checks = ParseChecks(options.check); !checks) {
      return FailExec(kExitBadInput,
                      fmt::format("--check {}. If that is the program: gcnjit exec --check -- {}",
                                  checks.error().message, options.check));
    }
  }
  if (const auto fit = CheckExecOutputs(options); !fit) {
    return FailExec(kExitBadInput, fit.error().message);
  }
  if (const auto begun = BeginReports(options); !begun) {
    return FailExec(kExitBadInput, begun.error().message);
  }
  Prepend("LD_LIBRARY_PATH", folder.string());
  if (LooksForDriver(program)) Prepend("LD_PRELOAD", (folder / kDriverLibrary).string());
  if (const std::string icd = OpenClVendorFile(); !icd.empty())
    ::setenv("OCL_ICD_VENDORS", icd.c_str(), 0);
  SetEnvironment(options);

  if (options.timeout) return RunTimedProgram(program, options.command, *options.timeout);
  return BecomeProgram(program, options.command);
}

}  // namespace

void AddExec(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExecOptions>();
  CLI::App* exec = app.add_subcommand(
      "exec", "Run a program that uses HIP, OpenCL or HSA, with emulated devices");
  exec->add_option("--device", options->device,
                   "Processor of the devices, or a target ID such as gfx906:sramecc-:xnack-; "
                   "gfx900 unless told otherwise")
      ->check([](const std::string& device) {
        // Which of them there are is for the library, which knows them.
        if (!frontend::HasPlainFeatures(device)) {
          return fmt::format("'{}' is no target ID: each feature is named once, with + or -",
                             device);
        }
        const std::string processor = device.substr(0, device.find(':'));
        return CLI::IsMember(
            {"gfx701", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"})(processor);
      });
  exec->add_option("--devices", options->devices,
                   "How many devices there are; 1 unless told otherwise")
      ->check(IsWholeNumber(1, 16));
  exec->add_option("--engine", options->engine, "interp or jit")
      ->check(CLI::IsMember({"interp", "jit"}));
  exec->add_option("--threads", options->threads, "Host threads a kernel; 0: one a processor")
      ->check(IsWholeNumber(0, 1024));
  exec->add_option("--check", options->check,
                   "Look for mistakes of kernels while they run, in the interpreter (slow): "
                   "memory,races,waits,barriers,uninit,atomics; all if nothing is said")
      ->expected(0, 1)
      ->default_str("all")
      ->type_name("KINDS");
  exec->add_flag("--stats", options->statistics,
                 "At the end print which kernels ran, how often, for how long");
  exec->add_flag("--json", options->json, "Print that, and what --check finds, as JSON");
  exec->add_option("--trace", options->trace,
                   "Write a trace of kernels and copies for chrome://tracing or ui.perfetto.dev");
  exec->add_option("--html", options->html,
                   "At the end write a page with what --stats prints, and charts of it")
      ->type_name("FILE");
  AddJunitOption(*exec, options->junit);
  exec->add_option("--timeout", options->timeout,
                   "End the program after so many seconds, by SIGTERM, 5 seconds later by SIGKILL, "
                   "and say which kernels were running; the exit code is then 124")
      ->check(CLI::Validator(NoTimeLimit, "SECONDS"));
  exec->add_option("PROGRAM", options->command, "The program and its arguments")->required();
  exec->positionals_at_end();
  exec->footer(
      "The program is started as it is, with LD_LIBRARY_PATH pointing at gcnjit's own\n"
      "libhsa-runtime64.so.1, OCL_ICD_VENDORS, if it is not set, at AMD's OpenCL, and the options\n"
      "in the environment (GCNJIT_DEVICE, GCNJIT_DEVICES, GCNJIT_ENGINE, GCNJIT_THREADS,\n"
      "GCNJIT_CHECK, GCNJIT_STATS, GCNJIT_TRACE, GCNJIT_HTML, GCNJIT_JUNIT). Reports go to "
      "stderr,\n"
      "with source lines of kernels that were compiled with -g (GCNJIT_PROGRAM names this "
      "program,\n"
      "which reads them).\n"
      "Its exit code is that of the program, also if --check finds something; 127 if there is no\n"
      "such program, 126 if it cannot be executed.\n"
      "With --timeout the program is a child, to which signals are passed on, and the exit code\n"
      "is 128 and the number of the signal if one ends it.\n\n"
      "Compiled code is kept for the next run: in $GCNJIT_CACHE_DIR, else in gcnjit in\n"
      "$XDG_CACHE_HOME or ~/.cache, up to $GCNJIT_CACHE_SIZE (256M). GCNJIT_CACHE=0: it is not.\n\n"
      "Examples:\n"
      "  gcnjit exec -- ./vector_add 1000000\n"
      "  gcnjit exec --device gfx906 --devices 2 --stats -- ./solver --input mesh.bin\n"
      "  gcnjit exec --check=memory,races -- ./solver --input small.bin\n"
      "  gcnjit exec --timeout 60 --stats -- ./solver --input mesh.bin\n"
      "  gcnjit exec --trace run.json -- ./solver; then open run.json in ui.perfetto.dev\n"
      "  mpirun -n 2 gcnjit exec -- ./halo_exchange\n"
      "  gcnjit exec -- rocminfo");
  exec->callback([options, &action] { action = [options] { return Exec(*options); }; });
}

}  // namespace gcnjit::cli
