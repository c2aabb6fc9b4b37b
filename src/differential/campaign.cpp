#include "differential/campaign.h"

#include <fmt/format.h>

#include "differential/generator.h"
#include "differential/progress.h"
#include "differential/reduce.h"

namespace gcnjit::differential {
namespace {

// Reduces the program that has just been found to differ.
Failure MakeFailure(Comparison& comparison, const Program& program,
                    const CampaignOptions& options) {
  Failure failure;
  failure.generation = program.generation;
  failure.seed = program.seed;
  failure.report = comparison.Report(program);
  failure.instructions = program.LiveItems();
  for (const Engine* engine : comparison.differing()) failure.engines.push_back(engine->name);
  failure.command =
      fmt::format("gcnjit fuzz {}--gen {} --engines {} --seed {} --states {} --count 1",
                  options.rows ? "--rows " : "", frontend::TargetName(program.generation),
                  comparison.EngineNames(), program.seed, comparison.states());
  const Program reduced = Reduce(comparison, program);
  failure.repeats = comparison.Compare(reduced) == Verdict::kDifferent;
  if (failure.repeats) {
    failure.report = comparison.Report(reduced);
    failure.instructions = reduced.LiveItems();
    if (options.rows && options.keep) options.keep(comparison.LaunchCase());
    if (options.explain) {
      failure.report +=
          options.explain(reduced, *comparison.differing().front(), comparison.machine().code());
    }
  }
  return failure;
}

void Print(const Failure& failure, const Program& program, std::ostream& out) {
  out << fmt::format("---- {}{}({} of {} instructions; repeat with {})\n",
                     failure.repeats ? "" : "NOT REPEATABLE ", failure.report, failure.instructions,
                     program.items.size(), failure.command)
      << std::flush;
}

}  // namespace

CampaignResult RunCampaign(Comparison& comparison, const CampaignOptions& options,
                           std::ostream& out) {
  CampaignResult result;
  const double begin = Now();
  double shown = begin;
  const auto count = [&](frontend::Generation generation, auto add) {
    add(static_cast<CampaignCounts&>(result));
    add(result.of_generation[static_cast<size_t>(generation)]);
  };
  const auto is_over = [&] {
    const double now = Now();
    result.seconds = now - begin;
    if (options.progress && now - shown > kProgressSeconds) {
      shown = now;
      options.progress(result);
    }
    return result.failed >= static_cast<uint64_t>(options.max_failures) ||
           (options.seconds > 0 && result.seconds > options.seconds);
  };
  for (uint64_t n = options.shard.index; n < options.count; n += options.shard.count) {
    for (const frontend::Generation generation : options.generations) {
      const uint64_t seed = options.seed + n;
      const Program program =
          options.rows ? GenerateLaunch(generation, seed) : GenerateProgram(generation, seed);
      const Verdict verdict = comparison.Compare(program);
      const bool faulted =
          verdict == Verdict::kSame && comparison.expected().event == runtime::WaveEvent::kFault;
      const uint64_t instructions = comparison.expected().executed;
      count(generation, [&](CampaignCounts& counts) {
        ++counts.executed;
        if (verdict == Verdict::kDifferent) ++counts.failed;
        if (verdict == Verdict::kUnfinished) ++counts.unfinished;
        if (faulted) ++counts.faulted;
        counts.instructions += instructions;
      });
      if (verdict == Verdict::kDifferent) {
        result.failures.push_back(MakeFailure(comparison, program, options));
        Print(result.failures.back(), program, out);
      }
      if (is_over()) return result;
    }
  }
  return result;
}

std::string Summary(const CampaignOptions& options, const Comparison& comparison,
                    const CampaignResult& result) {
  std::string text;
  for (const frontend::Generation generation : options.generations) {
    const CampaignCounts& counts = result.of_generation[static_cast<size_t>(generation)];
    text += fmt::format(
        "{} {}: {} executed ({} states each), {} failed; {} ended in a fault, {} unfinished; "
        "{:.1f} "
        "instructions a program\n",
        frontend::TargetName(generation), comparison.EngineNames(), counts.executed,
        comparison.states(), counts.failed, counts.faulted, counts.unfinished,
        static_cast<double>(counts.instructions) /
            static_cast<double>(std::max<uint64_t>(counts.executed, 1)));
  }
  return text +
         fmt::format("{:.0f} programs/s\n", static_cast<double>(result.executed) / result.seconds);
}

}  // namespace gcnjit::differential
