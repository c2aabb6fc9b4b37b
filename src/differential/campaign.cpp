#include "differential/campaign.h"

#include <fmt/format.h>

#include <chrono>

#include "differential/generator.h"
#include "differential/reduce.h"

namespace gcnjit::differential {
namespace {

double Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void ReportFailure(Comparison& comparison, const Program& program, std::ostream& out) {
  const std::string original = comparison.Report(program);
  const Program reduced = Reduce(comparison, program);
  const char* target = frontend::TargetName(program.generation);
  const std::string report = comparison.Report(reduced);
  // Something beyond the program and its state decides: what the engine ran before, say.
  const bool repeats = comparison.Compare(reduced) == Verdict::kDifferent;
  out << "---- " << (repeats ? report : "NOT REPEATABLE " + original)
      << fmt::format(
             "({} of {} instructions; repeat with differential_tests --gen={} --isa={} "
             "--seed={} --states={} --count=1)\n",
             reduced.LiveItems(), program.items.size(), target, comparison.tested().name,
             program.seed, comparison.states())
      << std::flush;
}

}  // namespace

CampaignResult RunCampaign(Comparison& comparison, const CampaignOptions& options,
                           std::ostream& out) {
  CampaignResult result;
  const double begin = Now();
  for (uint64_t n = 0; n < options.count; ++n) {
    const Program program = GenerateProgram(options.generation, options.seed + n);
    switch (comparison.Compare(program)) {
      case Verdict::kUnfinished: ++result.unfinished; break;
      case Verdict::kSame:
        if (comparison.expected().event == runtime::WaveEvent::kFault) ++result.faulted;
        break;
      case Verdict::kDifferent:
        ++result.failed;
        ReportFailure(comparison, program, out);
        break;
    }
    ++result.executed;
    result.instructions += comparison.expected().executed;
    result.seconds = Now() - begin;
    if (result.failed >= static_cast<uint64_t>(options.max_failures)) break;
    if (options.seconds > 0 && result.seconds > options.seconds) break;
  }
  return result;
}

std::string Summary(const CampaignOptions& options, const Comparison& comparison,
                    const CampaignResult& result) {
  return fmt::format(
      "{} {}: {} executed ({} states each), {} failed; {} ended in a fault, {} unfinished; {:.0f} "
      "programs/s, "
      "{:.1f} "
      "instructions a program\n",
      frontend::TargetName(options.generation), comparison.tested().name, result.executed,
      comparison.states(), result.failed, result.faulted, result.unfinished,
      static_cast<double>(result.executed) / result.seconds,
      static_cast<double>(result.instructions) / static_cast<double>(result.executed));
}

}  // namespace gcnjit::differential
