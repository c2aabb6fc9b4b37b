// gcnjit diff: a kernel in all engines, and where the first of them goes another way.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/argument_spec.h"
#include "cli/commands.h"
#include "cli/divergence_report.h"
#include "cli/engine_list.h"
#include "cli/files.h"
#include "cli/junit.h"
#include "cli/kernel_comparison.h"
#include "cli/launch_report.h"
#include "cli/launch_request.h"
#include "cli/message.h"
#include "cli/outputs.h"
#include "cli/whole_number.h"
#include "differential/case_file.h"
#include "differential/fixed_addresses.h"
#include "differential/launch_case.h"

namespace gcnjit::cli {
namespace {

struct DiffOptions : LaunchOptions {
  std::string engines;
  std::string replay;
  std::string case_file = "gcnjit-diff.json";
  unsigned threads = 2;
  bool json = false;
  std::string junit;

  // The result, as JSON or as a text, unless standard output has the JUnit report alone.
  bool Prints() const { return json || !IsStandardOutput(junit); }
};

int FailDiff(const std::string& message) {
  PrintMessage("gcnjit diff: {}\n", message);
  return kExitBadInput;
}

// What has been compared is one test; `text` says what came of it.
Result<void> KeepTest(const DiffOptions& options, const std::string& what,
                      const EngineList& engines, int code, const std::string& text) {
  std::string names = engines.reference.name;
  for (const auto& engine : engines.tested) names += "," + engine.name;
  JunitCase test{what, names, {}, {}, {}};
  if (code != kExitDone) {
    test.outcome = code == kExitMismatch ? JunitCase::Outcome::kFailed : JunitCase::Outcome::kError;
    test.message = code == kExitFault ? "all engines ended with the same fault"
                                      : text.substr(0, text.find('\n'));
    test.details = text;
  }
  return WriteJunit(
      options.junit,
      {"gcnjit diff " + (options.replay.empty() ? options.file : options.replay), 0, {test}});
}

void Print(const DiffOptions& options, const nlohmann::json& json, const std::string& text) {
  if (options.Prints()) fmt::print("{}", options.json ? json.dump(2) + "\n" : text);
}

// ---- A kernel

int Compare(const DiffOptions& options, const EngineList& engines) {
  auto request = MakeRequest(options);
  if (!request) return FailDiff(request.error().message);
  const auto report =
      CompareKernel(*request, {options.target, options.case_file, options.threads}, engines);
  if (!report) return FailDiff(report.error().message);
  Print(options, report->json, report->text);
  const auto kept = KeepTest(options, request->kernel, engines, report->code, report->text);
  return kept ? report->code : FailDiff(kept.error().message);
}

// ---- A file

// Those that the options name, or those of the case.
template <typename Case>
Result<EngineList> EnginesFor(const DiffOptions& options, const Case& loaded) {
  return ParseEngines(options.engines.empty() ? loaded.reference + "," + loaded.tested
                                              : options.engines);
}

int Finish(const DiffOptions& options, const EngineList& engines, const DiffReport& report) {
  Print(options, report.json, report.text);
  const auto reported = KeepTest(options, "replay", engines, report.code, report.text);
  return reported ? report.code : FailDiff(reported.error().message);
}

int ReplayLaunch(const DiffOptions& options, const std::string& file) {
  const auto loaded = differential::ReadLaunchCase(file);
  if (!loaded) return FailDiff(fmt::format("{}: {}", options.replay, loaded.error().message));
  const auto engines = EnginesFor(options, **loaded);
  if (!engines) return FailDiff(engines.error().message);
  if (const auto some = CheckLaunches(*engines); !some) return FailDiff(some.error().message);
  const auto [by_group, whole] = Replay(**loaded, engines->reference, engines->tested);
  DiffReport report{kExitDone,
                    fmt::format("no difference: a launch of {} groups, {} instructions compared\n",
                                by_group.groups, by_group.instructions),
                    {{"status", "same"}}};
  if (whole.divergence) {
    const runtime::check::AllocationMap names(*(*loaded)->memory);
    report.code = kExitMismatch;
    report.text = DescribeLaunch(names, engines->reference, by_group.groups, *whole.divergence);
    report.json = {{"status", "different"}, {"difference", LaunchToJson(names, *whole.divergence)}};
  }
  return Finish(options, *engines, report);
}

int Replay(const DiffOptions& options) {
  const auto bytes = ReadFile(options.replay);
  if (!bytes) return FailDiff(bytes.error().message);
  const std::string file(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  if (differential::IsLaunchCase(file)) return ReplayLaunch(options, file);
  const auto loaded = differential::ReadCase(file);
  if (!loaded) return FailDiff(fmt::format("{}: {}", options.replay, loaded.error().message));
  differential::LoadedCase& found = **loaded;
  const auto engines = EnginesFor(options, found);
  if (!engines) return FailDiff(engines.error().message);
  DiffReport report{kExitDone,
                    fmt::format("no difference: {} instructions compared\n", found.instructions),
                    {{"status", "same"}}};
  for (const differential::Engine& tested : engines->tested) {
    auto divergence =
        Check(*found.place, engines->reference, tested, found.from, found.instructions);
    if (!divergence) continue;
    divergence = Narrow(*found.place, engines->reference, tested, *std::move(divergence));
    report.code = kExitMismatch;
    report.text = fmt::format("{} differs from {}\n{}", tested.name, engines->reference.name,
                              DescribeDivergence(*found.place, {}, tested, *divergence));
    report.json = {{"status", "different"},
                   {"engine", tested.name},
                   {"place", DivergenceToJson(*found.place, {}, *divergence)}};
    break;
  }
  return Finish(options, *engines, report);
}

int Diff(const DiffOptions& options) {
  const bool is_replay = !options.replay.empty();
  const std::vector<Output> outputs = {
      {options.json ? "--json" : "the result", options.Prints() ? "-" : ""},
      {"--junit", options.junit},
      {"--case", is_replay ? "" : options.case_file}};
  if (const auto fit = CheckOutputs(outputs); !fit) return FailDiff(fit.error().message);
  if (is_replay) {
    differential::FixAddresses();
    return Replay(options);
  }
  if (options.file.empty()) return FailDiff("give CODE_OBJECT and --global, or --replay FILE");
  const auto engines = ParseEngines(options.engines);
  if (!engines) return FailDiff(engines.error().message);
  differential::FixAddresses();
  return Compare(options, *engines);
}

}  // namespace

void AddDiff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* diff =
      app.add_subcommand("diff", "Run a kernel in all engines and find where they differ");
  AddLaunchOptions(*diff, *options, /*required=*/false);
  diff->add_option("--engines", options->engines, kEnginesHelp);
  diff->add_option("--case", options->case_file, "Where to write the file for --replay")
      ->capture_default_str();
  diff->add_option("--replay", options->replay, "Run again what an earlier diff wrote");
  diff->add_option("--threads", options->threads,
                   "Host threads that the whole launch is compared on, besides one")
      ->check(IsWholeNumberFor(options->threads, 1))
      ->capture_default_str();
  diff->add_flag("--json", options->json, "Print the result as JSON");
  AddJunitOption(*diff, options->junit);
  diff->footer(
      std::string(kSpecHelp) +
      "\n\nWork-groups run one after another on one thread. The first difference is followed to\n"
      "the wave, the block and the instructions that show it. If there is none, the launch runs\n"
      "as a whole, as 'gcnjit run --threads 1' runs it and then on several threads, and what it\n"
      "leaves in memory is compared.\n"
      "Exit code 0: no difference, 3: all engines ended with the same fault, 4: a difference.\n\n"
      "Examples:\n"
      "  gcnjit diff saxpy.co --kernel saxpy --global 1024 --local 64 \\\n"
      "      --arg f32:2.5 --arg iota:f32:1024 --arg buf:4096\n"
      "  gcnjit diff saxpy.co --kernel saxpy --global 1024 --engines interp,avx2-live \\\n"
      "      --arg f32:2.5 --arg iota:f32:1024 --arg buf:4096\n"
      "  gcnjit diff --replay gcnjit-diff.json");
  diff->callback([options, &action] { action = [options] { return Diff(*options); }; });
}

}  // namespace gcnjit::cli
