#include "cli/statistics_text.h"

#include <fmt/format.h>

#include <iterator>

namespace gcnjit::cli {

std::string DescribeStatistics(const Statistics& s, const std::string& cache) {
  const double rate =
      s.seconds > 0 ? static_cast<double>(s.wave_instructions) / s.seconds / 1e6 : 0;
  std::string text = fmt::format(
      "work-groups         {}\nwaves               {}\nwave-instructions   {}\n"
      "time                {:.6f} s\nrate                {:.1f} M wave-instructions/s\n",
      s.workgroups, s.waves, s.wave_instructions, s.seconds, rate);
  if (s.compiled_regions == 0 && s.cached_regions == 0) return text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "from the cache      {} regions, {:.3f} ms ({})\n", s.cached_regions,
                 s.cache_seconds * 1e3, cache);
  fmt::format_to(out, "compiled            {} instructions in {} regions, {:.3f} ms\n",
                 s.compiled_instructions, s.compiled_regions, s.compile_seconds * 1e3);
  if (s.discarded_regions != 0) {
    fmt::format_to(out, "discarded           {} regions, to keep within the code limit\n",
                   s.discarded_regions);
  }
  for (const auto& [mnemonic, count] : s.not_compiled) {
    fmt::format_to(out, "not compiled        {} ({} in the code)\n", mnemonic, count);
  }
  return text;
}

}  // namespace gcnjit::cli
