// gcnjit fuzz: random programs, or every instruction by itself, in all engines.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engine_list.h"
#include "cli/jit_text.h"
#include "cli/message.h"
#include "cli/names.h"
#include "differential/campaign.h"
#include "differential/fixed_addresses.h"
#include "differential/sweep.h"

namespace gcnjit::cli {
namespace {

using frontend::Generation;

struct FuzzOptions {
  std::string generations = "all";
  std::string engines;
  std::string sweep;  // empty: random programs; a row's name, or kNoValue: every row
  uint64_t seed = 1;
  uint64_t count = 0;  // 0: not given
  double seconds = 0;
  uint32_t states = 3;
  int failures = 5;
  bool quick = false;
  bool json = false;
};

// What the command line library makes of a flag without a value.
constexpr std::string_view kNoValue = "true";
// Where neither --count nor --time is given.
constexpr uint64_t kDefaultCount = 1000;

int Fail(const std::string& message) {
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
          fmt::format("--gen: '{}' is no target; give some of gfx600 to gfx908, or all", name)};
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

bool IsOnTerminal() { return ::isatty(STDERR_FILENO) == 1; }

void ShowProgress(const differential::CampaignResult& now) {
  PrintMessage("\r\033[K{} programs, {} failed, {:.0f} programs/s, {:.0f} s", now.executed,
               now.failed, static_cast<double>(now.executed) / now.seconds, now.seconds);
}

nlohmann::json ToJson(const std::vector<differential::Failure>& failures) {
  nlohmann::json json = nlohmann::json::array();
  for (const differential::Failure& failure : failures) {
    json.push_back({{"target", frontend::TargetName(failure.generation)},
                    {"seed", failure.seed},
                    {"engines", failure.engines},
                    {"instructions", failure.instructions},
                    {"repeats", failure.repeats},
                    {"report", failure.report},
                    {"command", failure.command}});
    if (!failure.row.empty()) json.back()["row"] = failure.row;
  }
  return json;
}

nlohmann::json ToJson(const differential::CampaignCounts& counts) {
  return {{"programs", counts.executed},
          {"failed", counts.failed},
          {"faulted", counts.faulted},
          {"unfinished", counts.unfinished},
          {"instructions", counts.instructions}};
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
  return JitText({program.processor(), program.mode, program.vgpr_count}, words_at, address,
                 engine);
}

int RunPrograms(const FuzzOptions& options, const std::vector<Generation>& generations,
                differential::Comparison& comparison, std::ostream& out) {
  comparison.set_states(options.states);
  differential::CampaignOptions campaign{.generations = generations,
                                         .seed = options.seed,
                                         .count = options.count,
                                         .seconds = options.seconds,
                                         .max_failures = options.failures};
  if (options.count == 0) campaign.count = options.seconds > 0 ? UINT64_MAX : kDefaultCount;
  campaign.explain = Explain;
  if (IsOnTerminal()) campaign.progress = ShowProgress;
  const differential::CampaignResult result = RunCampaign(comparison, campaign, out);
  if (IsOnTerminal()) PrintMessage("\r\033[K");
  if (options.json) {
    nlohmann::json json = ToJson(static_cast<const differential::CampaignCounts&>(result));
    json["engines"] = SplitNames(comparison.EngineNames());
    json["seed"] = options.seed;
    json["states"] = options.states;
    json["seconds"] = result.seconds;
    for (const Generation generation : generations) {
      json["targets"][frontend::TargetName(generation)] =
          ToJson(result.of_generation[static_cast<size_t>(generation)]);
    }
    json["failures"] = ToJson(result.failures);
    fmt::print("{}\n", json.dump(2));
  } else {
    out << Summary(campaign, comparison, result) << std::flush;
  }
  return result.failed == 0 ? kExitDone : kExitMismatch;
}

int RunSweeps(const FuzzOptions& options, const std::vector<Generation>& generations,
              differential::Comparison& comparison, std::ostream& out) {
  const std::string row = options.sweep == kNoValue ? std::string() : options.sweep;
  if (!row.empty() && !IsRow(row)) {
    return Fail(fmt::format(
        "--sweep: there is no instruction '{}'; they are named as by 'gcnjit isa'", row));
  }
  nlohmann::json json = {{"engines", SplitNames(comparison.EngineNames())}, {"seed", options.seed}};
  std::vector<differential::Failure> failures;
  for (const Generation generation : generations) {
    const auto failed = static_cast<int>(failures.size());
    if (failed >= options.failures) break;
    differential::SweepOptions sweep{.generation = generation,
                                     .seed = options.seed,
                                     .row = row,
                                     .seconds = options.seconds,
                                     .max_failed_rows = options.failures - failed};
    if (options.quick) {
      sweep.samples_in = 8;
      sweep.modes = 1;
      sweep.waves = 2;
    }
    if (IsOnTerminal()) {
      sweep.progress = [generation](const differential::SweepResult& now) {
        PrintMessage("\r\033[K{}: {} instructions, {} waves, {} failed, {:.0f} s",
                     frontend::TargetName(generation), now.rows, now.executed, now.failed_rows,
                     now.seconds);
      };
    }
    const differential::SweepResult result = RunSweep(comparison, sweep, out);
    if (IsOnTerminal()) PrintMessage("\r\033[K");
    out << Summary(sweep, comparison, result) << std::flush;
    json["targets"][frontend::TargetName(generation)] = {
        {"rows", result.rows},      {"failed", result.failed_rows}, {"samples", result.samples},
        {"waves", result.executed}, {"faulted", result.faulted},    {"complete", result.complete},
        {"seconds", result.seconds}};
    failures.insert(failures.end(), result.failures.begin(), result.failures.end());
  }
  if (options.json) {
    json["failures"] = ToJson(failures);
    fmt::print("{}\n", json.dump(2));
  }
  return failures.empty() ? kExitDone : kExitMismatch;
}

int Fuzz(const FuzzOptions& options) {
  const auto generations = ParseGenerations(options.generations);
  if (!generations) return Fail(generations.error().message);
  auto engines = ParseEngines(options.engines, /*exact_only=*/!options.sweep.empty());
  if (!engines) return Fail(engines.error().message);
  differential::FixAddresses();
  differential::Machine machine;
  differential::Comparison comparison(machine, std::move(engines->reference),
                                      std::move(engines->tested));
  std::ostringstream nowhere;
  std::ostream& out = options.json ? nowhere : std::cout;
  return options.sweep.empty() ? RunPrograms(options, *generations, comparison, out)
                               : RunSweeps(options, *generations, comparison, out);
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
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI::Option* count = fuzz->add_option("--count", options->count,
                                        "Programs for each target; 1000 unless --time is given")
                           ->check(CLI::PositiveNumber);
  fuzz->add_option("--time", options->seconds, "Stop after so many seconds (a sweep: a target)")
      ->check(CLI::PositiveNumber);
  fuzz->add_option("--states", options->states, "States that each program is run from")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  fuzz->add_option("--failures", options->failures, "Stop after so many failures")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  fuzz->add_flag("--sweep", options->sweep,
                 "Every instruction by itself instead, in every encoding, on special values; "
                 "--sweep=V_ADD_F32: this one")
      ->excludes(count);
  fuzz->add_flag("--quick", options->quick, "A sweep of one in eight samples, each on few values");
  fuzz->add_flag("--json", options->json, "Print the result as JSON");
  fuzz->footer(
      "A failure is reduced to the instructions that matter and printed with the command that\n"
      "repeats it. Exit code 4 if there was any.\n\n"
      "Examples:\n"
      "  gcnjit fuzz --count 10000\n"
      "  gcnjit fuzz --gen gfx900,gfx906 --time 600 --seed 5000000\n"
      "  gcnjit fuzz --gen gfx803 --engines interp,avx2 --sweep=V_FMA_F32");
  fuzz->callback([options, &action] { action = [options] { return Fuzz(*options); }; });
}

}  // namespace gcnjit::cli
