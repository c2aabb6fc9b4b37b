#include "comparison/profile.h"

#include <stdexcept>

#include "measure/sampler.h"
#include "measure/stopwatch.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/jit/interrupted_code.h"

namespace gcnjit::bench {

void EnableProfiles() { runtime::HostCodeMap::Instance().Enable(); }

cli::HotReport Profile(Rival& rival, Workload& workload, double seconds) {
  constexpr uint64_t kInterval = 200'000;  // nanoseconds
  constexpr size_t kRoom = 1 << 14;        // samples of one run
  std::vector<measure::Sample> samples;
  for (double spent = 0; samples.empty() || spent < seconds;) {
    workload.Reset();
    const measure::Stopwatch watch;
    measure::Sampler sampler(kInterval, kRoom, runtime::IsInCompiledCode);
    if (!sampler.is_running()) throw std::runtime_error("the host gives no timer to sample with");
    const std::string wrong = rival.Run(workload);
    const std::vector<measure::Sample> taken = sampler.Stop();
    if (!wrong.empty()) throw std::runtime_error(wrong);
    samples.insert(samples.end(), taken.begin(), taken.end());
    spent += watch.Stop().cpu;
  }
  return cli::AttributeSamples(*rival.CompiledProgram(), samples);
}

}  // namespace gcnjit::bench
