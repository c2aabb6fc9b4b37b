#include "cli/kernel_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/divergence_report.h"
#include "cli/fault_json.h"
#include "cli/files.h"
#include "cli/image_dispatch.h"
#include "cli/launch_report.h"
#include "cli/program_lines.h"
#include "cli/progress.h"
#include "differential/case_file.h"
#include "differential/kernel_diff.h"
#include "differential/launch_case.h"
#include "differential/launch_diff.h"
#include "runtime/check/allocation_map.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {
namespace {

using differential::KernelDiffResult;
using differential::LaunchDiffResult;
using differential::Place;

// Writes the file that repeats a divergence; what to say of it.
Result<std::string> Keep(const std::string& text, const std::string& path) {
  const auto written = WriteFile(path, std::as_bytes(std::span(text)));
  if (!written) return written.error();
  return fmt::format("Repeat it with: gcnjit diff --replay {}\n", path);
}

// One launch, compared group by group and then as a whole.
class Comparing {
 public:
  Comparing(const ComparisonOptions& options, const EngineList& engines,
            const LaunchRequest& request, const KernelInfo& info)
      : options_(options),
        engines_(engines),
        request_(request),
        info_(info),
        lines_(request.file, options.target, request.program) {}

  Result<DiffReport> Run(const runtime::LaunchState& launch) {
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
    differential::GuestImage::Copy from;
    image.Save(from);
    KernelDiffResult by_group = CompareGroups(grid);
    if (by_group.divergence) return ReportGroup(place, launch, by_group);
    const LaunchDiffResult whole = CompareLaunches(grid, from, by_group);
    if (whole.divergence) return ReportDivergence(grid, from, by_group, *whole.divergence);
    return ReportLaunch(by_group, whole);
  }

 private:
  KernelDiffResult CompareGroups(differential::GridPlace& grid) {
    differential::KernelDiffOptions options;
    Progress progress;
    options.progress = [&](uint64_t done, uint64_t total) {
      if (progress.is_shown()) {
        progress.Show(fmt::format("{} of {} work-groups compared", done, total));
      }
    };
    return DiffKernel(grid, info_, engines_.reference, engines_.tested, options);
  }

  LaunchDiffResult CompareLaunches(differential::GridPlace& grid,
                                   const differential::GuestImage::Copy& from,
                                   const KernelDiffResult& by_group) {
    differential::LaunchDiffOptions options{.threads = options_.threads};
    Progress progress;
    options.progress = [&](const differential::Engine& engine, uint64_t groups) {
      if (progress.is_shown()) {
        progress.Begin(fmt::format("{} work-groups launched in {}", groups, engine.name));
      }
    };
    return DiffLaunch(grid, info_, engines_.reference, engines_.tested, from, by_group, options);
  }

  nlohmann::json ToJson(const KernelDiffResult& result) const {
    nlohmann::json json = {
        {"kernel", request_.kernel},           {"status", "same"},
        {"workgroups", result.groups},         {"waves", result.waves},
        {"instructions", result.instructions}, {"engines", {engines_.reference.name}}};
    for (const auto& engine : engines_.tested) json["engines"].push_back(engine.name);
    return json;
  }

  Result<DiffReport> ReportGroup(Place& place, const runtime::LaunchState& launch,
                                 const KernelDiffResult& result) {
    DiffReport report{kExitMismatch, {}, ToJson(result)};
    report.json["status"] = "different";
    auto described = Describe(place, launch, *result.divergence, report.json["difference"]);
    if (!described) return described.error();
    report.text = *std::move(described);
    return report;
  }

  Result<DiffReport> ReportDivergence(differential::GridPlace& grid,
                                      const differential::GuestImage::Copy& from,
                                      const KernelDiffResult& by_group,
                                      const differential::LaunchDivergence& found) {
    DiffReport report{kExitMismatch, {}, ToJson(by_group)};
    runtime::check::AllocationMap names(*request_.program.internal()->memory());
    names.NameBuffers(info_, request_.arguments);
    report.json["status"] = "different";
    report.json["difference"] = LaunchToJson(names, found);
    report.text = DescribeLaunch(names, engines_.reference, by_group.groups, found);
    const auto kept =
        Keep(WriteLaunchCase(grid, from, engines_.reference, found), options_.case_file);
    if (!kept) return kept.error();
    report.json["difference"]["case"] = options_.case_file;
    report.text += *kept;
    return report;
  }

  DiffReport ReportLaunch(KernelDiffResult& result, const LaunchDiffResult& whole) {
    DiffReport report{kExitDone, {}, ToJson(result)};
    report.text = fmt::format("no difference: {} groups, {} waves, {} instructions compared\n",
                              result.groups, result.waves, result.instructions);
    report.json["launches"] = nlohmann::json::array();
    for (const auto* engine : whole.same) report.json["launches"].push_back(engine->name);
    report.json["depends_on_turns"] = whole.depends_on_turns;
    report.json["depends_on_group_order"] = whole.depends_on_group_order;
    if (!whole.same.empty()) report.text += DescribeSame(whole);
    if (!result.fault) return report;
    runtime::NoteMissingHost(info_, *result.fault);
    AddSource(*result.fault, lines_.lines());
    report.code = kExitFault;
    report.json["status"] = "fault";
    report.json["fault"] = cli::ToJson(*result.fault);
    report.text += "all engines ended with the same fault: " + result.fault->Describe();
    return report;
  }

  static std::string DescribeSame(const LaunchDiffResult& whole) {
    std::string names;
    for (const auto* engine : whole.same) names += (names.empty() ? "" : ", ") + engine->name;
    std::string text = fmt::format("nor of the launch as a whole, in {}", names);
    if (whole.depends_on_turns) {
      text +=
          "; there waves take turns in another order, and what the kernel leaves depends on that";
    }
    if (whole.depends_on_group_order) {
      text +=
          "; on several host threads it leaves something else, as it does in the interpreter when "
          "groups run in another order: what the kernel leaves depends on that";
    }
    return text + "\n";
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
        Keep(WriteCase(place, engines_.reference, *found.engine, *found.place), options_.case_file);
    if (!kept) return kept;
    json["case"] = options_.case_file;
    return text + *kept;
  }

  const ComparisonOptions& options_;
  const EngineList& engines_;
  const LaunchRequest& request_;
  const KernelInfo& info_;
  ProgramLines lines_;
  std::atomic<bool> stop_{false};
};

}  // namespace

Result<DiffReport> CompareKernel(LaunchRequest& request, const ComparisonOptions& options,
                                 const EngineList& engines) {
  request.config.threads = std::max(options.threads, 1u);  // as many have scratch
  request.config.engine = Engine::kInterpreter;
  const auto info = request.program.FindKernel(request.kernel);
  if (!info) return info.error();
  Comparing comparing(options, engines, request, **info);
  std::optional<Result<DiffReport>> report;
  const auto prepared = runtime::WithPreparedLaunch(
      *request.program.internal(), request.kernel, request.config, request.arguments,
      [&](const runtime::LaunchState& launch) { report = comparing.Run(launch); });
  if (!prepared) return prepared.error();
  return *std::move(report);
}

}  // namespace gcnjit::cli
