#include "differential/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "differential/fault_difference.h"
#include "frontend/flow/cfg.h"

namespace gcnjit::differential {

using runtime::WaveEvent;

void Run(Place& place, const Situation& from, const RunFunction& run, uint64_t budget,
         Ending& ending) {
  place.image.Restore(from.memory);
  std::ranges::copy(from.lds, place.group.lds);
  ending.situation.wave = from.wave;
  // Nothing is known of how the wave came here.
  ending.situation.wave.is_new = false;
  ending.situation.wave.waits_in = 0;
  runtime::Wave wave{ending.situation.wave, place.group, place.dispatch};
  ending.executed = 0;
  do {
    ending.executed += run(wave, budget - ending.executed);
  } while (wave.event == WaveEvent::kNone && ending.executed < budget);
  ending.event = wave.event;
  ending.fault = std::move(wave.fault);
  ending.situation.lds.assign(place.group.lds, place.group.lds + from.lds.size());
  place.image.Save(ending.situation.memory);
}

frontend::LivePoint LiveAt(const runtime::CodeMap& code, uint64_t pc, bool exact) {
  constexpr size_t kMostInstructions = 20'000;
  frontend::LiveAtEnd at_end;
  if (exact) {
    at_end.live = frontend::RegisterSet::All();
    at_end.wide.set();
  }
  const frontend::ControlFlowGraph graph = frontend::BuildCfg(
      code.processor(), [&](uint64_t at) { return code.WordsAt(at); }, pc, kMostInstructions);
  return frontend::Liveness(graph, code.generation(), at_end).AtBegin(graph.entry);
}

Difference Compare(const Place& place, const Ending& expected, const Ending& got,
                   const frontend::LivePoint& live, bool exact) {
  Difference difference;
  const Situation& a = expected.situation;
  const Situation& b = got.situation;
  if (expected.event != got.event) {
    difference.event =
        fmt::format("  event: expected {}, got {}\n", Name(expected.event), Name(got.event));
  }
  if (expected.event == WaveEvent::kFault || got.event == WaveEvent::kFault) {
    if (expected.event != got.event || !SameFault(expected.fault, got.fault)) {
      difference.event += fmt::format("  fault: expected {}, got {}\n", FaultText(expected.fault),
                                      FaultText(got.fault));
    }
    if (a.wave.pc != b.wave.pc) {
      difference.state.push_back({"pc", 0, -1, a.wave.pc, b.wave.pc});
    }
    if (a.wave.exec() != b.wave.exec()) {
      difference.state.push_back({"exec", 0, -1, a.wave.exec(), b.wave.exec()});
    }
    return difference;
  }
  if (expected.executed != got.executed) {
    difference.event += fmt::format("  executed instructions: expected {}, got {}\n",
                                    expected.executed, got.executed);
  }
  if (expected.event != WaveEvent::kEnd || exact) {
    CompareLiveRegisters(a.wave, b.wave, live, difference.state);
  }
  CompareBytes("lds", a.lds, b.lds, 0, difference.state);
  place.image.Compare(a.memory, b.memory, difference.state);
  return difference;
}

}  // namespace gcnjit::differential
