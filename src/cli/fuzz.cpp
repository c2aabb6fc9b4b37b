// gcnjit fuzz: random programs, or every instruction by itself, in all engines.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/engine_list.h"
#include "cli/files.h"
#include "cli/fuzz_report.h"
#include "cli/jit_text.h"
#include "cli/junit.h"
#include "cli/message.h"
#include "cli/names.h"
#include "cli/outputs.h"
#include "cli/parse_json.h"
#include "cli/progress.h"
#include "cli/seconds.h"
#include "cli/shard_option.h"
#include "cli/whole_number.h"
#include "differential/campaign.h"
#include "differential/fixed_addresses.h"
#include "differential/sweep.h"

namespace gcnjit::cli {
namespace {

using frontend::Generation;

// What the command line library makes of a flag without a value.
constexpr std::string_view kEveryRow = "true";

struct FuzzOptions {
  std::string generations = "all";
  std::string engines;
  std::string sweep;  // empty: random programs; a row's name, or kEveryRow: every row
  uint64_t seed = 1;
  uint64_t count = 0;  // 0: not given
  double seconds = 0;
  uint32_t states = 3;
  int failures = 5;
  bool quick = false;
  bool rows = false;
  bool json = false;
  std::string case_file;
  std::string junit;
  std::string shard;
  std::vector<std::string> merge;  // reports

  // Unless standard output has what a program reads.
  bool PrintsText() const { return !json && !IsStandardOutput(junit); }
  // Of a sweep; empty: all of them.
  std::string Row() const { return sweep == kEveryRow ? std::string() : sweep; }
};

// Where neither --count nor --time is given.
constexpr uint64_t kDefaultCount = 1000;

int FailFuzz(const std::string& message) {
  PrintMessage("gcnjit fuzz: {}\n", message);
  return kExitBadInput;
}

Result<std::vector<Generation>> ParseGenerations(const std::string& text) {
  if (text == "all") {
    return std::vector<Generation>(std::begin(frontend::kGenerations),
                                   std::end(frontend::kGenerations));
  }
  std::vector<Generation> generations;
  for (const std::string& name : SplitNames(text)) {
    const auto generation = frontend::GenerationOfTarget(name);
    if (!generation) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("--gen: '{}' is no target; give some of gfx600 to gfx942, or all", name)};
    }
    generations.push_back(*generation);
  }
  return generations;
}

bool IsRow(const std::string& id) {
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    if (frontend::RowOf(n).id == id) return true;
  }
  return false;
}

std::string ProgressText(const differential::CampaignResult& now) {
  return fmt::format("{} programs, {} failed, {:.0f} programs/s, {:.0f} s", now.executed,
                     now.failed, static_cast<double>(now.executed) / now.seconds, now.seconds);
}

std::string ProgressText(Generation generation, const differential::SweepResult& now) {
  return fmt::format("{}: {} instructions, {} waves, {} failed, {:.0f} s",
                     frontend::TargetName(generation), now.rows, now.executed, now.failed_rows,
                     now.seconds);
}

// The JIT's code for a program that differs.
std::string Explain(const differential::Program& program, const differential::Engine& engine,
                    uint64_t address) {
  const std::vector<uint32_t> words = Assemble(program);
  const auto words_at = [&](uint64_t pc) -> std::span<const uint32_t> {
    const uint64_t at = (pc - address) / 4;
    return pc < address || at >= words.size() ? std::span<const uint32_t>()
                                              : std::span(words).subspan(at);
  };
  return JitText({program.processor(), program.mode, program.vgprs()}, words_at, address, engine);
}

// What both kinds of campaign say of themselves; the results are added.
nlohmann::json BeginReport(const FuzzOptions& options, const differential::Shard& shard,
                           const differential::Comparison& comparison) {
  return {{"engines", SplitNames(comparison.EngineNames())},
          {"seed", options.seed},
          {"shard", ShardToJson(shard)}};
}

nlohmann::json RunPrograms(const FuzzOptions& options, const std::vector<Generation>& generations,
                           const differential::Shard& shard, differential::Comparison& comparison,
                           std::ostream& out) {
  comparison.set_states(options.states);
  differential::CampaignOptions campaign{.generations = generations,
                                         .seed = options.seed,
                                         .count = options.count,
                                         .shard = shard,
                                         .seconds = options.seconds,
                                         .rows = options.rows,
                                         .max_failures = options.failures};
  if (options.count == 0) campaign.count = options.seconds > 0 ? UINT64_MAX : kDefaultCount;
  campaign.explain = Explain;
  std::string kept;
  if (!options.case_file.empty()) {
    campaign.keep = [&](const std::string& file) {
      const auto written = WriteFile(options.case_file, std::as_bytes(std::span(file)));
      kept = written ? fmt::format("Repeat the last failure with: gcnjit diff --replay {}\n",
                                   options.case_file)
                     : written.error().message + "\n";
    };
  }
  Progress progress;
  if (progress.is_shown()) {
    campaign.progress = [&](const auto& now) { progress.Show(ProgressText(now)); };
  }
  const differential::CampaignResult result = RunCampaign(comparison, campaign, out);
  progress.Clear();
  nlohmann::json report = BeginReport(options, shard, comparison);
  report.update(CountsToJson(result));
  report["states"] = options.states;
  report["rows"] = options.rows;
  if (campaign.count != UINT64_MAX) report["count"] = campaign.count;
  report["seconds"] = result.seconds;
  for (const Generation generation : generations) {
    report["targets"][frontend::TargetName(generation)] =
        CountsToJson(result.of_generation[static_cast<size_t>(generation)]);
  }
  report["failures"] = FailuresToJson(result.failures);
  out << Summary(campaign, comparison, result) << kept << std::flush;
  return report;
}

nlohmann::json RunSweeps(const FuzzOptions& options, const std::vector<Generation>& generations,
                         const differential::Shard& shard, differential::Comparison& comparison,
                         std::ostream& out) {
  nlohmann::json report = BeginReport(options, shard, comparison);
  report["sweep"] = options.Row().empty() ? "all" : options.Row();
  report["quick"] = options.quick;
  std::vector<differential::Failure> failures;
  for (const Generation generation : generations) {
    const auto failed = static_cast<int>(failures.size());
    if (failed >= options.failures) {
      differential::SweepResult nothing;
      nothing.complete = false;
      report["targets"][frontend::TargetName(generation)] = SweepToJson(nothing);
      continue;
    }
    differential::SweepOptions sweep{.generation = generation,
                                     .seed = options.seed,
                                     .row = options.Row(),
                                     .shard = shard,
                                     .quick = options.quick,
                                     .seconds = options.seconds,
                                     .max_failed_rows = options.failures - failed};
    Progress progress;
    if (progress.is_shown()) {
      sweep.progress = [&progress, generation](const auto& now) {
        progress.Show(ProgressText(generation, now));
      };
    }
    const differential::SweepResult result = RunSweep(comparison, sweep, out);
    progress.Clear();
    out << Summary(sweep, comparison, result) << std::flush;
    report["targets"][frontend::TargetName(generation)] = SweepToJson(result);
    failures.insert(failures.end(), result.failures.begin(), result.failures.end());
  }
  report["failures"] = FailuresToJson(failures);
  return report;
}

// After what has been printed meanwhile.
int Finish(const FuzzOptions& options, const nlohmann::json& report) {
  if (options.json) fmt::print("{}\n", report.dump(2));
  const auto written = WriteJunit(options.junit, FuzzSuite(report));
  if (!written) return FailFuzz(written.error().message);
  return HasFailed(report) ? kExitMismatch : kExitDone;
}

int Merge(const FuzzOptions& options) {
  std::vector<std::pair<std::string, nlohmann::json>> reports;
  for (const std::string& path : options.merge) {
    const auto file = ReadFile(path);
    if (!file) return FailFuzz(file.error().message);
    const auto* text = reinterpret_cast<const char*>(file->data());
    const auto report = ParseJson({text, file->size()});
    reports.emplace_back(path, report.value_or(nlohmann::json()));
  }
  const auto merged = MergeReports(reports);
  if (!merged) return FailFuzz(merged.error().message);
  if (options.PrintsText()) fmt::print("{}", DescribeReport(*merged));
  return Finish(options, *merged);
}

int Fuzz(const FuzzOptions& options) {
  if (const auto fit = CheckOutputs({{"--json", options.json ? "-" : ""},
                                     {"--junit", options.junit},
                                     {"--case", options.case_file}});
      !fit) {
    return FailFuzz(fit.error().message);
  }
  if (options.quick && options.sweep.empty())
    return FailFuzz("--quick is for a sweep: give --sweep, too");
  if (!options.case_file.empty() && !options.rows) return FailFuzz("--case is for --rows");
  if (!options.merge.empty()) return Merge(options);
  const auto generations = ParseGenerations(options.generations);
  if (!generations) return FailFuzz(generations.error().message);
  auto engines = ParseEngines(options.engines, /*exact_only=*/!options.sweep.empty());
  if (!engines) return FailFuzz(engines.error().message);
  if (options.rows) {
    if (const auto some = CheckLaunches(*engines); !some) return FailFuzz(some.error().message);
  }
  const auto shard = ParseShard(options.shard);
  if (!shard) return FailFuzz(shard.error().message);
  const std::string row = options.Row();
  if (!row.empty() && !IsRow(row)) {
    return FailFuzz(fmt::format(
        "--sweep: there is no instruction '{}'; they are named as by 'gcnjit isa'", row));
  }
  differential::FixAddresses();
  differential::Machine machine;
  differential::Comparison comparison(machine, std::move(engines->reference),
                                      std::move(engines->tested));
  std::ostringstream nowhere;
  std::ostream& out = options.PrintsText() ? std::cout : nowhere;
  const auto run = options.sweep.empty() ? RunPrograms : RunSweeps;
  return Finish(options, run(options, *generations, *shard, comparison, out));
}

}  // namespace

void AddFuzz(CLI::App& app, Action& action) {
  auto options = std::make_shared<FuzzOptions>();
  CLI::App* fuzz = app.add_subcommand(
      "fuzz", "Run random programs in all engines and compare everything they leave");
  fuzz->add_option("--gen", options->generations, "Targets, separated by commas, or all")
      ->capture_default_str();
  fuzz->add_option("--engines", options->engines, kEnginesHelp);
  fuzz->add_option("--seed", options->seed, "Of the first program; the next has seed + 1")
      ->check(IsWholeNumberFor(options->seed, 0))
      ->capture_default_str();
  CLI::Option* count = fuzz->add_option("--count", options->count,
                                        "Programs for each target; 1000 unless --time is given")
                           ->check(IsWholeNumberFor(options->count, 1));
  fuzz->add_option("--time", options->seconds, "Stop after so many seconds (a sweep: a target)")
      ->check(CLI::Validator(NoTimeLimit, ""));
  fuzz->add_option("--states", options->states, "States that each program is run from")
      ->check(IsWholeNumberFor(options->states, 1))
      ->capture_default_str();
  fuzz->add_option("--failures", options->failures, "Stop after so many failures")
      ->check(IsWholeNumberFor(options->failures, 1))
      ->capture_default_str();
  fuzz->add_flag("--sweep", options->sweep,
                 "Every instruction by itself instead, in every encoding, on special values; "
                 "--sweep=V_ADD_F32: this one")
      ->excludes(count);
  fuzz->add_flag("--rows", options->rows, "Launches of rows of work-groups instead of single waves")
      ->excludes("--sweep");
  fuzz->add_option("--case", options->case_file,
                   "With --rows: a file that repeats the last failure by 'gcnjit diff --replay'")
      ->excludes("--sweep");
  fuzz->add_flag("--quick", options->quick, "A sweep of one in eight samples, each on few values");
  fuzz->add_option("--shard", options->shard, kShardHelp)->type_name("I/N");
  CLI::Option* merge =
      fuzz->add_option("--merge", options->merge,
                       "Run nothing: put together what --json has printed, of all shards")
          ->type_name("FILE");
  merge->excludes(count)->excludes("--shard");
  fuzz->add_flag("--json", options->json, "Print the result as JSON");
  AddJunitOption(*fuzz, options->junit);
  fuzz->footer(
      "A failure is reduced to the instructions that matter and printed with the command that\n"
      "repeats it. Exit code 4 if there was any.\n\n"
      "Examples:\n"
      "  gcnjit fuzz --count 10000\n"
      "  gcnjit fuzz --gen gfx900,gfx906 --time 600 --seed 5000000\n"
      "  gcnjit fuzz --rows --count 10000\n"
      "  gcnjit fuzz --gen gfx803 --engines interp,avx2 --sweep=V_FMA_F32\n"
      "  gcnjit fuzz --count 100000 --shard 2/8 --json > 2.json\n"
      "  srun -n 64 sh -c 'gcnjit fuzz --time 3600 --shard auto --json > $SLURM_PROCID.json'\n"
      "  gcnjit fuzz --merge *.json --junit fuzz.xml");
  fuzz->callback([options, &action] { action = [options] { return Fuzz(*options); }; });
}

}  // namespace gcnjit::cli
