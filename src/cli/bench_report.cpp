#include "cli/bench_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/peaks.h"

namespace gcnjit::cli {
namespace {

using backend::HostIsa;

// Of the whole launch: what was counted in some of its work-groups, by wave-instructions.
double Scaled(const BenchReport& report, const BenchEngine& engine, uint64_t counted) {
  if (report.work.totals.instructions == 0) return 0;
  return static_cast<double>(counted) * static_cast<double>(engine.statistics.wave_instructions) /
         static_cast<double>(report.work.totals.instructions);
}

double Bytes(const BenchReport& report, const BenchEngine& engine) {
  return Scaled(report, engine, report.work.totals.bytes_read + report.work.totals.bytes_written);
}

std::string WorkText(const BenchReport& report) {
  const KernelWork& work = report.work;
  const BenchEngine& engine = report.engines.front();
  std::string text = fmt::format(
      "kernel '{}' ({}), {} work-items in {} work-groups, {} thread{}\n"
      "a run: {:.4g} M wave-instructions, {:.4g} Mflop, {:.4g} MB read and {:.4g} MB written\n",
      report.kernel, report.target, report.work_items, work.groups, report.threads,
      report.threads == 1 ? "" : "s",
      static_cast<double>(engine.statistics.wave_instructions) / 1e6,
      Scaled(report, engine, work.totals.flops) / 1e6,
      Scaled(report, engine, work.totals.bytes_read) / 1e6,
      Scaled(report, engine, work.totals.bytes_written) / 1e6);
  if (work.groups_counted != work.groups) {
    text += fmt::format("       (counted in {} work-groups)\n", work.groups_counted);
  }
  if (work.totals.vector_instructions != 0) {
    text += fmt::format("       {:.1f} of 64 lanes active in vector instructions\n",
                        static_cast<double>(work.totals.active_lanes) /
                            static_cast<double>(work.totals.vector_instructions));
  }
  return text;
}

std::string PeaksText(const BenchReport& report) {
  std::string text = "peaks of a core:";
  for (const auto& [isa, flops] : report.peaks.flops) {
    text += fmt::format(" {:.1f} GFLOP/s ({}),", flops / 1e9, isa);
  }
  text += fmt::format(" {:.1f} GB/s\n", report.peaks.memory / 1e9);
  const uint64_t bytes = report.work.totals.bytes_read + report.work.totals.bytes_written;
  if (report.work.totals.flops == 0 || bytes == 0 || report.peaks.memory <= 0) return text;
  const double best = report.peaks.flops.empty() ? 0 : report.peaks.flops.rbegin()->second;
  text += fmt::format(
      "roofline: {:.3g} flops a byte asked for; where caches do not help, memory is the limit "
      "below "
      "{:.3g}\n",
      static_cast<double>(report.work.totals.flops) / static_cast<double>(bytes),
      best / report.peaks.memory);
  return text;
}

}  // namespace

Rates RatesOf(const BenchReport& report, const BenchEngine& engine) {
  const double seconds = std::max(engine.MedianCpu(), 1e-9);
  return {static_cast<double>(engine.statistics.wave_instructions) / seconds,
          static_cast<double>(report.work_items) / seconds,
          Scaled(report, engine, report.work.totals.flops) / seconds,
          Bytes(report, engine) / seconds};
}

// The interpreter is AVX2 code.
double FlopPeakOf(const BenchReport& report, const BenchEngine& engine) {
  const auto found = report.peaks.flops.find(engine.isa ? engine.name : "avx2");
  return found == report.peaks.flops.end() ? 0 : found->second;
}

Peaks MeasurePeaks() {
  Peaks peaks;
  for (const HostIsa isa : {HostIsa::kAvx2, HostIsa::kAvx512}) {
    if (backend::HostHas(isa)) {
      peaks.flops[std::string(backend::NameOf(isa))] = measure::FmaPeak(isa);
    }
  }
  peaks.memory = measure::MemoryPeak();
  return peaks;
}

std::string ToText(const BenchReport& report, size_t most_spots) {
  std::string text = WorkText(report) + PeaksText(report);
  text += fmt::format("\n{:<8}{:>10}{:>10}{:>6}{:>11}{:>12}{:>10}{:>9}{:>8}{:>9}{:>12}\n", "engine",
                      "CPU ms", "wall ms", "runs", "Minstr/s", "Mitems/s", "GFLOP/s", "of peak",
                      "GB/s", "of peak", "compile ms");
  for (const BenchEngine& engine : report.engines) {
    const Rates rates = RatesOf(report, engine);
    const double peak = FlopPeakOf(report, engine);
    text += fmt::format(
        "{:<8}{:>10.4g}{:>10.4g}{:>6}{:>11.4g}{:>12.4g}{:>10.4g}{:>7.1f} %{:>8.3g}{:>7.1f} %"
        "{:>12}\n",
        engine.name, engine.MedianCpu() * 1e3, engine.MedianWall() * 1e3, engine.runs.size(),
        rates.wave_instructions / 1e6, rates.work_items / 1e6, rates.flops / 1e9,
        peak > 0 ? 100 * rates.flops / peak : 0, rates.bytes / 1e9,
        report.peaks.memory > 0 ? 100 * rates.bytes / report.peaks.memory : 0,
        engine.isa ? fmt::format("{:.3g}", engine.statistics.compile_seconds * 1e3) : "-");
  }
  text +=
      "medians; rates are of a second of CPU time, summed over threads; GB/s are what the kernel\n"
      "asks for, so caches can make it more than the peak\n";
  for (const BenchEngine& engine : report.engines) {
    for (const auto& [mnemonic, count] : engine.statistics.not_compiled) {
      if (engine.isa) {
        text +=
            fmt::format("{}: not compiled: {} ({} in the code)\n", engine.name, mnemonic, count);
      }
    }
  }
  for (const BenchEngine& engine : report.engines) {
    if (!engine.hot) continue;
    text += fmt::format("\n{}: where the time goes, {} samples of one thread\n{}", engine.name,
                        engine.hot->samples, ToText(*engine.hot, most_spots));
  }
  return text;
}

}  // namespace gcnjit::cli
