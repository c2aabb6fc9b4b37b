// gcnjit diff: a kernel in all engines, and where the first of them goes another way.
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/argument_spec.h"
#include "cli/commands.h"
#include "cli/divergence_report.h"
#include "cli/engine_list.h"
#include "cli/fault_json.h"
#include "cli/files.h"
#include "cli/image_dispatch.h"
#include "cli/junit.h"
#include "cli/launch_request.h"
#include "cli/message.h"
#include "cli/program_lines.h"
#include "cli/progress.h"
#include "differential/case_file.h"
#include "differential/fixed_addresses.h"
#include "differential/kernel_diff.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {
namespace {

using differential::Divergence;
using differential::Place;

struct DiffOptions : LaunchOptions {
  std::string engines;
  std::string replay;
  std::string case_file = "gcnjit-diff.json";
  bool json = false;
  std::string junit;
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

// Writes the file that repeats the divergence; what to say of it.
Result<std::string> Keep(Place& place, const differential::Engine& reference,
                         const differential::Engine& tested, const Divergence& divergence,
                         const std::string& path) {
  const std::string text = WriteCase(place, reference, tested, divergence);
  const auto written = WriteFile(path, std::as_bytes(std::span(text)));
  if (!written) return written.error();
  return fmt::format("Repeat it with: gcnjit diff --replay {}\n", path);
}

// ---- A kernel

// One launch, compared group by group.
class Comparing {
 public:
  Comparing(const DiffOptions& options, const EngineList& engines, const LaunchRequest& request,
            const KernelInfo& info)
      : options_(options),
        engines_(engines),
        request_(request),
        info_(info),
        lines_(request.file, options.target, request.program) {}

  int Run(const runtime::LaunchState& launch) {
    runtime::LoadedProgram& loaded = *request_.program.internal();
    std::vector<uint64_t> addresses = {launch.kernarg, launch.dispatch_packet};
    if (launch.scratch_total != 0) addresses.push_back(launch.scratch_base);
    for (const auto& image : loaded.images()) addresses.push_back(image.base);
    for (const BoundBuffer& buffer : request_.buffers) addresses.push_back(buffer.address);
    differential::GuestImage image(*loaded.memory(), std::move(addresses));

    Place place{DispatchOn(image, launch, &stop_), {}, image, loaded.code_ranges()};
    std::vector<std::byte> lds(64 * 1024);
    place.group.lds = lds.data();
    place.group.lds_bytes = launch.lds_bytes;
    const runtime::WaveStarter starter(launch);
    differential::GridPlace grid{launch, starter, place};
    differential::KernelDiffOptions options;
    Progress progress;
    options.progress = [&](uint64_t done, uint64_t total) {
      if (progress.is_shown()) {
        progress.Show(fmt::format("{} of {} work-groups compared", done, total));
      }
    };
    auto result = DiffKernel(grid, info_, engines_.reference, engines_.tested, options);
    if (result.fault) {
      runtime::NoteMissingHost(info_, *result.fault);
      AddSource(*result.fault, lines_.lines());
    }
    progress.Clear();
    return Report(place, launch, result);
  }

 private:
  int Report(Place& place, const runtime::LaunchState& launch,
             const differential::KernelDiffResult& result) {
    nlohmann::json json = {
        {"kernel", request_.kernel},           {"status", "same"},
        {"workgroups", result.groups},         {"waves", result.waves},
        {"instructions", result.instructions}, {"engines", {engines_.reference.name}}};
    for (const auto& engine : engines_.tested) json["engines"].push_back(engine.name);
    std::string text;
    int code = kExitDone;
    if (result.divergence) {
      code = kExitMismatch;
      json["status"] = "different";
      const auto described = Describe(place, launch, *result.divergence, json["difference"]);
      if (!described) return FailDiff(described.error().message);
      text = *described;
    } else {
      text = fmt::format("no difference: {} groups, {} waves, {} instructions compared\n",
                         result.groups, result.waves, result.instructions);
      if (result.fault) {
        code = kExitFault;
        json["status"] = "fault";
        json["fault"] = cli::ToJson(*result.fault);
        text += "all engines ended with the same fault: " + result.fault->Describe();
      }
    }
    fmt::print("{}", options_.json ? json.dump(2) + "\n" : text);
    const auto reported = KeepTest(options_, request_.kernel, engines_, code, text);
    return reported ? code : FailDiff(reported.error().message);
  }

  Result<std::string> Describe(Place& place, const runtime::LaunchState& launch,
                               const differential::KernelDivergence& found, nlohmann::json& json) {
    json = {{"engine", found.engine->name},
            {"workgroup", found.group_id},
            {"wave", found.wave},
            {"wave_instructions", found.wave_instructions},
            {"at_group_end", found.at_end.Text()}};
    const auto& id = found.group_id;
    std::string text = fmt::format(
        "{} differs from {} in work-group ({}, {}, {})\nAt the group's end:\n{}",
        found.engine->name, engines_.reference.name, id[0], id[1], id[2], found.at_end.Text());
    if (!found.place) {
      return text +
             "No single wave shows it from the state that the reference comes to: the engines "
             "differ in what they remember from code that ran before.\n";
    }
    text += fmt::format("It begins in wave {}, after {} instructions of the wave or later.\n",
                        found.wave, found.wave_instructions);
    const CodeName code = {request_.kernel, launch.entry, &lines_.lines()};
    text += DescribeDivergence(place, code, *found.engine, *found.place);
    json["place"] = DivergenceToJson(place, code, *found.place);
    const auto kept =
        Keep(place, engines_.reference, *found.engine, *found.place, options_.case_file);
    if (!kept) return kept;
    json["case"] = options_.case_file;
    return text + *kept;
  }

  const DiffOptions& options_;
  const EngineList& engines_;
  const LaunchRequest& request_;
  const KernelInfo& info_;
  ProgramLines lines_;
  std::atomic<bool> stop_{false};
};

int Compare(const DiffOptions& options, const EngineList& engines) {
  auto request = MakeRequest(options);
  if (!request) return FailDiff(request.error().message);
  request->config.threads = 1;
  request->config.engine = Engine::kInterpreter;
  int code = kExitBadInput;
  const auto info = request->program.FindKernel(request->kernel);
  if (!info) return FailDiff(info.error().message);
  Comparing comparing(options, engines, *request, **info);
  const auto result = runtime::WithPreparedLaunch(
      *request->program.internal(), request->kernel, request->config, request->arguments,
      [&](const runtime::LaunchState& launch) { code = comparing.Run(launch); });
  return result ? code : FailDiff(result.error().message);
}

// ---- A file

int Replay(const DiffOptions& options) {
  const auto file = ReadFile(options.replay);
  if (!file) return FailDiff(file.error().message);
  const auto loaded = differential::ReadCase(
      std::string(reinterpret_cast<const char*>(file->data()), file->size()));
  if (!loaded) return FailDiff(fmt::format("{}: {}", options.replay, loaded.error().message));
  differential::LoadedCase& found = **loaded;
  const std::string names =
      options.engines.empty() ? found.reference + "," + found.tested : options.engines;
  const auto engines = ParseEngines(names);
  if (!engines) return FailDiff(engines.error().message);
  nlohmann::json json = {{"status", "same"}};
  std::string text = fmt::format("no difference: {} instructions compared\n", found.instructions);
  int code = kExitDone;
  for (const differential::Engine& tested : engines->tested) {
    auto divergence =
        Check(*found.place, engines->reference, tested, found.from, found.instructions);
    if (!divergence) continue;
    divergence = Narrow(*found.place, engines->reference, tested, *std::move(divergence));
    json["status"] = "different";
    json["engine"] = tested.name;
    json["place"] = DivergenceToJson(*found.place, {}, *divergence);
    text = fmt::format("{} differs from {}\n{}", tested.name, engines->reference.name,
                       DescribeDivergence(*found.place, {}, tested, *divergence));
    code = kExitMismatch;
    break;
  }
  fmt::print("{}", options.json ? json.dump(2) + "\n" : text);
  const auto reported = KeepTest(options, "replay", *engines, code, text);
  return reported ? code : FailDiff(reported.error().message);
}

int Diff(const DiffOptions& options) {
  if (const auto writable = CheckJunit(options.junit); !writable) {
    return FailDiff(writable.error().message);
  }
  if (!options.replay.empty()) {
    differential::FixAddresses();
    return Replay(options);
  }
  if (options.file.empty()) return FailDiff("give CODE_OBJECT and --global, or --replay FILE");
  const auto engines = ParseEngines(options.engines);
  if (!engines) return FailDiff(engines.error().message);
  if (const auto writable = CheckWritable(options.case_file); !writable) {
    return FailDiff(writable.error().message);
  }
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
  diff->add_flag("--json", options->json, "Print the result as JSON");
  AddJunitOption(*diff, options->junit);
  diff->footer(
      std::string(kSpecHelp) +
      "\n\nWork-groups run one after another on one thread. The first difference is followed to\n"
      "the wave, the block and the instructions that show it. Exit code 0: no difference,\n"
      "3: all engines ended with the same fault, 4: a difference.\n\n"
      "Examples:\n"
      "  gcnjit diff saxpy.co --kernel saxpy --global 1024 --local 64 \\\n"
      "      --arg f32:2.5 --arg iota:f32:1024 --arg buf:4096\n"
      "  gcnjit diff saxpy.co --kernel saxpy --global 1024 --engines interp,avx2-live \\\n"
      "      --arg f32:2.5 --arg iota:f32:1024 --arg buf:4096\n"
      "  gcnjit diff --replay gcnjit-diff.json");
  diff->callback([options, &action] { action = [options] { return Diff(*options); }; });
}

}  // namespace gcnjit::cli
