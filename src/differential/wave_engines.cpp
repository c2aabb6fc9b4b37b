#include "differential/wave_engines.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace gcnjit::differential {
namespace {

using runtime::Wave;
using runtime::WaveEvent;

constexpr uint64_t kBudget = 20000;  // generated loops are bounded well below it

}  // namespace

WaveEngines::WaveEngines(Machine& machine, runtime::CodeMap& code, const Engine& reference,
                         const std::vector<Engine>& tested)
    : machine_(machine), run_reference_(reference.prepare(code)) {
  for (const Engine& engine : tested) run_tested_.push_back(engine.prepare(code));
}

void WaveEngines::Run(const RunFunction& run, const Program& program, const InitialState& initial,
                      Outcome& outcome) {
  const uint32_t rows = ComparedVgprs(program.vgpr_count);
  std::memcpy(&outcome.wave, &initial.wave,
              offsetof(runtime::WaveState, vgpr) + rows * sizeof initial.wave.vgpr[0]);
  const std::span<const std::byte> acc_vgprs = AccVgprsOf(initial.wave);
  std::memcpy(outcome.wave.vgpr[runtime::kFirstAccVgpr], acc_vgprs.data(), acc_vgprs.size());
  if (program.uses_memory) {
    std::memcpy(machine_.memory().data(), initial.memory.data(), initial.memory.size());
    std::memcpy(machine_.lds().data(), initial.lds.data(), initial.lds.size());
  }
  if (program.uses_gds) std::ranges::fill(machine_.gds(), std::byte{0x5A});
  Wave wave{outcome.wave, machine_.group, machine_.dispatch};
  const uint32_t mxcsr = _mm_getcsr();
  outcome.executed = 0;
  do {
    outcome.executed += run(wave, kBudget - outcome.executed);
    // A wave alone in its group goes on at once.
  } while ((wave.event == WaveEvent::kBarrier || wave.event == WaveEvent::kYield) &&
           outcome.executed < kBudget);
  outcome.mxcsr_kept = _mm_getcsr() == mxcsr;
  _mm_setcsr(mxcsr);
  outcome.event = wave.event;
  outcome.fault = std::move(wave.fault);
}

}  // namespace gcnjit::differential
