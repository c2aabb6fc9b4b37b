// gcnjit run: executes one kernel of a code object.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/argument_spec.h"
#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/fault_json.h"
#include "cli/fidelity_report.h"
#include "cli/files.h"
#include "cli/junit.h"
#include "cli/launch_request.h"
#include "cli/loading_limit.h"
#include "cli/message.h"
#include "cli/outputs.h"
#include "cli/program_lines.h"
#include "cli/progress.h"
#include "cli/run_junit.h"
#include "cli/seconds.h"
#include "cli/statistics_text.h"
#include "cli/whole_number.h"
#include "gcnjit/gcnjit.h"
#include "runtime/check/check_names.h"
#include "runtime/check/finding_json.h"

namespace gcnjit::cli {
namespace {

struct RunOptions : LaunchOptions {
  std::string engine = "jit";
  bool compile_first = false;
  unsigned threads = 0;
  double timeout = 0;
  uint64_t max_instructions = 0;
  bool fidelity = false;
  bool stats = false;
  bool json = false;
  bool perf_map = false;
  std::string check;  // empty: nothing is checked
  size_t check_limit = 100;
  std::string junit;
};

int FailRun(const std::string& message) {
  PrintMessage("gcnjit run: {}\n", message);
  return kExitBadInput;
}

std::string ProgressText(uint64_t done, uint64_t total) {
  return fmt::format("{:3.0f} %  {} of {} work-groups",
                     100.0 * static_cast<double>(done) / static_cast<double>(total), done, total);
}

nlohmann::json ToJson(const RunOptions& options, const std::string& cache,
                      const LaunchResult& result, const std::string& printed) {
  static constexpr const char* kStatus[] = {"done", "fault", "timeout", "cancelled"};
  const Statistics& s = result.statistics;
  const std::string engine = options.check.empty() ? options.engine : "interp";
  nlohmann::json json = {{"kernel", options.kernel},
                         {"engine", engine},
                         {"status", kStatus[static_cast<int>(result.status)]},
                         {"workgroups", s.workgroups},
                         {"waves", s.waves},
                         {"wave_instructions", s.wave_instructions},
                         {"seconds", s.seconds}};
  if (engine == "jit") {
    json["jit"] = {{"cache", cache},
                   {"cached_regions", s.cached_regions},
                   {"cache_seconds", s.cache_seconds},
                   {"regions", s.compiled_regions},
                   {"instructions", s.compiled_instructions},
                   {"seconds", s.compile_seconds},
                   {"code_bytes", s.code_bytes},
                   {"discarded_regions", s.discarded_regions},
                   {"not_compiled", s.not_compiled}};
  }
  if (!printed.empty()) json["printed"] = printed;
  if (options.fidelity) json["instructions"] = InstructionsToJson(s.instructions);
  if (!options.check.empty()) {
    json["findings"] = nlohmann::json::array();
    for (const Finding& finding : result.findings)
      json["findings"].push_back(gcnjit::ToJson(finding));
    json["findings_left_out"] = result.findings_left_out;
    json["notes"] = nlohmann::json::array();
    for (const Finding& note : result.notes) json["notes"].push_back(gcnjit::ToJson(note));
    json["notes_left_out"] = result.notes_left_out;
  }
  if (result.unfinished) {
    const UnfinishedGroups& groups = *result.unfinished;
    json["unfinished"] = {{"begun", groups.begun},       {"waiting", groups.waiting},
                          {"resident", groups.resident}, {"not_begun", groups.not_begun},
                          {"total", groups.total},       {"detail", groups.Describe()}};
  }
  if (result.fault) json["fault"] = cli::ToJson(*result.fault);
  return json;
}

void PrintTimeout(const RunOptions& options, const UnfinishedGroups& groups) {
  const uint64_t done = groups.total - groups.begun - groups.not_begun;
  const std::string why = groups.Describe();
  PrintMessage(
      "gcnjit run: kernel '{}' was stopped after {} s (--timeout), {} of its {} work-groups "
      "done. {}{}No output file was written.\n",
      options.kernel, options.timeout, done, groups.total, why, why.empty() ? "" : " ");
}

// What goes to standard output after all that the kernel has printed.
std::string ReportText(const RunOptions& options, const std::string& cache,
                       const LaunchResult& result, const std::string& printed) {
  if (options.json) {
    // What a kernel prints may be no text.
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
    return ToJson(options, cache, result, printed).dump(2, ' ', false, kReplace) + "\n";
  }
  std::string text;
  if (options.stats) text += DescribeStatistics(result.statistics, cache);
  if (options.fidelity) text += DescribeInstructions(result.statistics.instructions);
  if (!options.check.empty()) text += DescribeFindings(result);
  return text;
}

// The option that asks for a report on standard output; empty: none does.
std::string PrintedReport(const RunOptions& options) {
  if (options.json) return "--json";
  if (options.stats) return "--stats";
  if (options.fidelity) return "--fidelity";
  return options.check.empty() ? "" : "--check";
}

Result<void> CheckRunOutputs(const RunOptions& options) {
  const std::string report = PrintedReport(options);
  std::vector<Output> outputs = {{report, report.empty() ? "" : "-"}, {"--junit", options.junit}};
  for (const std::string& argument : options.arguments) {
    outputs.push_back({fmt::format("--arg '{}'", argument), OutputPathIn(argument)});
  }
  return CheckOutputs(outputs);
}

int Run(RunOptions options) {
  if (options.perf_map) ::setenv("GCNJIT_PERF_MAP", "1", 1);

  if (const auto outputs = CheckRunOutputs(options); !outputs) {
    return FailRun(outputs.error().message);
  }
  const auto start = std::chrono::steady_clock::now();
  std::optional<LoadingLimit> limit(options.timeout);
  auto request = MakeRequest(options, options.timeout);
  limit.reset();
  if (!request) {
    FailRun(request.error().message);
    return request.error().code == ErrorCode::kTimeout ? kExitTimeout : kExitBadInput;
  }
  options.kernel = request->kernel;
  LaunchConfig& config = request->config;
  config.engine = options.engine == "jit" ? Engine::kJit : Engine::kInterpreter;
  config.compile_first = options.compile_first;
  config.threads = options.threads;
  if (options.timeout > 0) {  // what loading has left of it
    constexpr double kAtOnce = 1e-9;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    config.timeout_seconds = std::max(options.timeout - spent.count(), kAtOnce);
  }
  config.max_wave_instructions = options.max_instructions;
  config.count_instructions = options.fidelity;
  const auto cache = CacheFromEnvironment();
  if (!cache) return FailRun(cache.error().message);
  config.cache = cache->cache;
  if (!options.check.empty()) {
    const auto checks = ParseChecks(options.check);
    if (!checks) return FailRun("--check " + checks.error().message);
    config.check = *checks;
    config.check_limit = options.check_limit;
  }
  Progress progress;
  if (progress.is_shown()) {
    config.progress = [&](uint64_t done, uint64_t total) {
      progress.Show(ProgressText(done, total));
    };
  }
  std::string printed;
  config.print = [&](std::string_view text) {
    if (options.json) {
      printed += text;
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
  };
  auto result =
      Launch(request->device, request->program, options.kernel, config, request->arguments);
  progress.Clear();
  if (!result) return FailRun(result.error().message);
  ProgramLines lines(request->file, options.target, request->program);
  lines.AddTo(*result);
  if (!result->print_loss.empty()) PrintMessage("gcnjit run: {}\n", result->print_loss);

  const auto reported =
      WriteJunit(options.junit, RunSuite(options.file, options.kernel, config.check, *result));
  if (!reported) return FailRun(reported.error().message);
  const std::string text = ReportText(options, cache->text, *result, printed);
  if (result->status == LaunchStatus::kDone) {
    OutputFiles outputs;
    for (const BoundBuffer& buffer : request->buffers) {
      if (buffer.output_path.empty()) continue;
      const auto written =
          outputs.Add(buffer.output_path, request->device.Data(buffer.address, buffer.size));
      if (!written) return FailRun(written.error().message);
    }
    if (const auto published = outputs.Publish(); !published) {
      return FailRun(published.error().message);
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  switch (result->status) {
    case LaunchStatus::kDone: return result->findings.empty() ? kExitDone : kExitFindings;
    case LaunchStatus::kFault:
      PrintMessage("gcnjit run: {}No output file was written.\n", result->fault->Describe());
      PrintNote("Next: 'gcnjit debug' with the same arguments stops there, and goes back.\n");
      return kExitFault;
    case LaunchStatus::kTimeout:
      if (result->fault) {
        PrintMessage(
            "gcnjit run: {}A wave executed more than {} instructions "
            "(--max-instructions). No output file was written.\n",
            result->fault->Describe(), options.max_instructions);
        return kExitTimeout;
      }
      PrintTimeout(options, result->unfinished.value_or(UnfinishedGroups{}));
      return kExitTimeout;
    case LaunchStatus::kCancelled: break;  // a run has no Cancellation
  }
  return kExitBadInput;
}

}  // namespace

void AddRun(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run = app.add_subcommand("run", "Run a kernel of a code object");
  AddLaunchOptions(*run, *options);
  run->add_option("--engine", options->engine, "interp or jit")
      ->check(CLI::IsMember({"interp", "jit"}))
      ->capture_default_str();
  run->add_flag("--compile-first", options->compile_first,
                "Compile before anything runs; otherwise short launches are interpreted");
  run->add_option("--threads", options->threads, "Host threads; 0: one a processor")
      ->check(IsWholeNumberFor(options->threads, 0))
      ->capture_default_str();
  run->add_option("--timeout", options->timeout,
                  "Stop after so many seconds of loading and running; 0: never")
      ->check(CLI::Validator(NoSeconds, "SECONDS"))
      ->capture_default_str();
  run->add_option("--max-instructions", options->max_instructions,
                  "Stop when a wave has executed so many instructions; 0: never. Unlike --timeout, "
                  "this does not depend on the host")
      ->check(IsWholeNumberFor(options->max_instructions, 0))
      ->capture_default_str();
  CLI::Option* const fidelity =
      run->add_flag("--fidelity", options->fidelity,
                    "Count instructions, and say which are exact; runs in the interpreter");
  run->add_flag("--stats", options->stats, "Print what was executed and how fast");
  run->add_flag("--json", options->json, "Print the result as JSON");
  run->add_option("--check", options->check,
                  "Look for mistakes of the kernel while it runs, in the interpreter (slow): "
                  "memory,races,waits,barriers,uninit,atomics; all if nothing is said")
      ->expected(0, 1)
      ->default_str("all")
      ->type_name("KINDS")
      ->excludes(fidelity);
  run->add_option("--check-limit", options->check_limit, "Most findings, and most notes, to print")
      ->check(IsWholeNumberFor(options->check_limit, 1))
      ->capture_default_str();
  AddJunitOption(*run, options->junit);
  run->add_flag("--perf-map", options->perf_map,
                "Name compiled code for Linux perf, in /tmp/perf-PID.map");
  run->footer(
      std::string(kSpecHelp) +
      "\n\nCompiled code is kept; 'gcnjit exec --help' says where.\n\n"
      "Examples:\n"
      "  gcnjit run saxpy.co --kernel saxpy --global 1024 --local 64 \\\n"
      "      --arg f32:2.5 --arg iota:f32:1024 --arg out:4096:y.bin\n"
      "  gcnjit run prog --target gfx900 --kernel _Z4stepPf --global 256,256 --local 16,16 \\\n"
      "      --arg inout:field.bin:field.bin --stats --timeout 60\n"
      "  gcnjit run step.co --kernel step --global 4096 --arg inout:in.bin:out.bin \\\n"
      "      --max-instructions 1000000 --fidelity\n"
      "  gcnjit run saxpy.co --kernel saxpy --global 1024 --check --arg f32:2.5 \\\n"
      "      --arg iota:f32:1024 --arg buf:4096\n"
      "  gcnjit run scan.co --kernel scan --global 4096 --check=races,waits --json --arg buf:16K\n"
      "  gcnjit run scan.co --global 4096 --check --junit scan.xml --arg buf:16K\n"
      "  perf record gcnjit run saxpy.co --kernel saxpy --perf-map --global 1048576 \\\n"
      "      --arg f32:2.5 --arg iota:f32:1048576 --arg buf:4M; perf report --sort symbol");
  run->callback([options, &action] { action = [options] { return Run(*options); }; });
}

}  // namespace gcnjit::cli
