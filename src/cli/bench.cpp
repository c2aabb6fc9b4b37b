// gcnjit bench: how fast a kernel runs on each engine, against what the machine can do, and where
// its time goes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "cli/argument_spec.h"
#include "cli/bench_report.h"
#include "cli/bench_runs.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/hot_host_code.h"
#include "cli/kernel_work.h"
#include "cli/launch_request.h"
#include "cli/message.h"
#include "cli/outputs.h"
#include "cli/program_lines.h"
#include "cli/progress.h"
#include "cli/seconds.h"
#include "cli/source_text.h"
#include "cli/whole_number.h"
#include "report/bench_page.h"
#include "runtime/jit/host_code_map.h"

namespace gcnjit::cli {
namespace {

// Fills in where the spots come from.
void AddSource(HotReport& report, confined::LoadedLines& lines) {
  std::vector<uint64_t> pcs;
  for (const HotSpot& spot : report.spots) pcs.push_back(spot.pc);
  std::vector<SourceFrames> found = lines.At(pcs);
  SourceText text;
  for (size_t n = 0; n < pcs.size(); ++n) {
    HotSpot& spot = report.spots[n];
    spot.source = std::move(found[n]);
    if (spot.source.empty()) continue;
    spot.source_line = text.Line(spot.source.front().file, spot.source.front().line);
  }
}

std::vector<uint64_t> CountedCode(const KernelWork& work) {
  std::vector<uint64_t> pcs;
  for (const auto& [pc, counts] : work.counts) pcs.push_back(pc);
  return pcs;
}

// What counting may cost: about a second.
constexpr uint64_t kMostCounted = 20'000'000;

struct BenchOptions : LaunchOptions {
  std::string engines;
  unsigned repetitions = 5;
  double time = 1;
  unsigned threads = 1;
  bool hot = false;
  size_t top = 20;
  bool json = false;
  std::string html;  // a file; empty: none
};

int FailBench(const std::string& message) {
  PrintMessage("gcnjit bench: {}\n", message);
  return kExitBadInput;
}

// Anything but kExitDone: the launch did not do what was asked, and why has been printed.
int Accept(Result<LaunchResult> result, const std::vector<BenchEngine>& engines,
           const LaunchRequest& request, const std::string& target) {
  if (result && result->status == LaunchStatus::kDone) return kExitDone;
  if (!result) return FailBench(result.error().message);
  for (const BenchEngine& engine : engines) {  // one of them has run
    ProgramLines lines(request.file, target, engine.program);
    if (result->fault && result->fault->source.empty()) lines.AddTo(*result);
  }
  PrintMessage("gcnjit bench: {}", result->fault ? result->fault->Describe() : "stopped\n");
  return kExitFault;
}

// Standard output has the page alone, if it is written there.
int Write(const BenchReport& report, const BenchOptions& options) {
  // Names in code objects may be no text.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  const nlohmann::json json = ToJson(report);
  if (!IsStandardOutput(options.html)) {
    fmt::print("{}", options.json ? json.dump(2, ' ', false, kReplace) + "\n"
                                  : ToText(report, options.top));
  }
  if (options.html.empty()) return kExitDone;
  const std::string page = report::BenchPage(json);
  const auto written = WriteFile(options.html, std::as_bytes(std::span(page)));
  return written ? kExitDone : FailBench(written.error().message);
}

int Bench(BenchOptions options) {
  if (const auto fit =
          CheckOutputs({{"--json", options.json ? "-" : ""}, {"--html", options.html}});
      !fit) {
    return FailBench(fit.error().message);
  }
  auto request = MakeRequest(options);
  if (!request) return FailBench(request.error().message);
  options.kernel = request->kernel;
  const auto info = request->program.FindKernel(options.kernel);
  if (!info) return FailBench(info.error().message);
  auto engines = MakeBenchEngines(options.engines, request->device, options);
  if (!engines) return FailBench(engines.error().message);
  const bool compiles = std::ranges::any_of(*engines, [](auto& e) { return e.isa.has_value(); });
  if (options.hot && !compiles) {
    return FailBench("--hot looks at compiled code: add avx2 or avx512 to --engines");
  }
  options.hot |= compiles && !options.html.empty();
  if (options.hot) runtime::HostCodeMap::Instance().Enable();

  BenchReport report;
  report.file = options.file;
  report.kernel = options.kernel;
  report.target = (*info)->target;
  report.threads = options.threads;
  const Dim3& global = request->config.global;
  report.work_items = uint64_t{global.x} * global.y * global.z;

  Progress progress;
  BenchRuns runs(*request, options.kernel, options.threads);
  progress.Begin("counting");
  const auto work = CountWork(*request, options.kernel, kMostCounted);
  if (!work) return FailBench(work.error().message);
  report.work = *work;
  ProgramLines counted_lines(request->file, options.target, request->program);
  report.notes = NotesOf(request->program, counted_lines, CountedCode(report.work));
  progress.Begin("measuring the machine's peaks");
  report.peaks = MeasurePeaks();
  const auto measured = runs.Measure(*engines, options.repetitions, options.time,
                                     [&](const std::string& what) { progress.Begin(what); });
  const auto accept = [&](const Result<LaunchResult>& result) {
    progress.Clear();
    return Accept(result, *engines, *request, options.target);
  };
  if (const int code = accept(measured); code != kExitDone) return code;
  for (BenchEngine& engine : *engines) {
    if (!options.hot || !engine.isa) continue;
    progress.Begin("sampling " + engine.name);
    if (const int code = accept(runs.Profile(engine, options.time)); code != kExitDone) return code;
    ProgramLines lines(request->file, options.target, engine.program);
    AddSource(*engine.hot, lines.lines());
    AddHostCode(*engine.hot, engine.program, *request, options.target, *engine.isa);
  }
  progress.Clear();
  report.engines = *std::move(engines);
  return Write(report, options);
}

}  // namespace

void AddBench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure a kernel's speed on each engine");
  AddLaunchOptions(*bench, *options);
  bench->add_option("--engines", options->engines,
                    "Of interp, avx2, avx512, separated by commas; default: all of this host");
  bench
      ->add_option("--repetitions", options->repetitions, "Timed launches on each engine, at least")
      ->check(IsWholeNumberFor(options->repetitions, 1))
      ->capture_default_str();
  bench
      ->add_option(
          "--time", options->time,
          "Seconds of CPU time of launches on each engine, at least; as many again for --hot")
      ->check(CLI::Validator(
          [](const std::string& text) {
            constexpr double kMost = 600;
            return NoSecondsUpTo(kMost, text);
          },
          "SECONDS"))
      ->capture_default_str();
  bench->add_option("--threads", options->threads, "Host threads; 0: one a processor")
      ->check(IsWholeNumberFor(options->threads, 0))
      ->capture_default_str();
  bench->add_flag("--hot", options->hot,
                  "Sample compiled code: where its time goes, by guest instruction (one thread)");
  bench->add_option("--top", options->top, "Most places that --hot prints")
      ->check(IsWholeNumberFor(options->top, 0))
      ->capture_default_str();
  bench->add_flag("--json", options->json, "Print all figures as JSON");
  bench
      ->add_option("--html", options->html,
                   "Write a page with all figures, charts, source and host code; implies --hot")
      ->type_name("FILE");
  bench->footer(
      std::string(kSpecHelp) +
      "\n\nBuffers are as the arguments say before each launch; no output is written.\n\n"
      "Examples:\n"
      "  gcnjit bench saxpy.co --kernel saxpy --global 16777216 --local 256 --arg f32:2.5 \\\n"
      "      --arg rand:f32:16777216 --arg buf:64M\n"
      "  gcnjit bench nbody.co --kernel nbody --global 16384 --local 256 --arg buf:256K \\\n"
      "      --arg rand:f32:65536 --arg u32:16384 --engines avx512 --hot --top 10\n"
      "  gcnjit bench saxpy.co --kernel saxpy --global 1048576 --html saxpy.html \\\n"
      "      --arg f32:2.5 --arg iota:f32:1048576 --arg buf:4M\n"
      "  gcnjit bench saxpy.co --kernel saxpy --global 65536 --repetitions 20 --json \\\n"
      "      --arg f32:2.5 --arg iota:f32:65536 --arg buf:256K");
  bench->callback([options, &action] { action = [options] { return Bench(*options); }; });
}

}  // namespace gcnjit::cli
