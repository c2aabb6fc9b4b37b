#include "differential/narrow.h"

#include <algorithm>

#include "frontend/decode/decoder.h"
#include "frontend/flow/cfg.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using runtime::WaveEvent;

// Longest stretch that is followed instruction by instruction.
constexpr uint64_t kMostTraced = 4'000'000;
// What the reference may execute to come to the tested engine's fault.
constexpr uint64_t kToFault = 1 << 20;

class Narrower {
 public:
  Narrower(Place& place, const Engine& reference, const Engine& tested)
      : place_(place),
        tested_(tested),
        exact_(reference.exact_registers && tested.exact_registers),
        reference_(reference, place.dispatch.processor, place.code),
        natural_(tested, place.dispatch.processor, place.code) {}

  // From `from`, in the program as it is.
  std::optional<Divergence> Try(const Situation& from, uint64_t count) {
    Ending got;
    Run(place_, from, natural_.run(), count, got);
    return CompareWithReference(from, got, false);
  }

  // The same for code that is compiled by itself. It has no branch but at its end.
  std::optional<Divergence> TryCut(const Situation& from, uint64_t end, uint64_t count) {
    PreparedCode cut(tested_, place_.dispatch.processor, {{from.wave.pc, end}});
    Ending got;
    Run(place_, from, cut.run(), count, got);
    auto found = CompareWithReference(from, got, true);
    if (found) found->end = end;
    return found;
  }

  Divergence Narrow(Divergence found) {
    if (found.instructions > kMostTraced) return found;
    found = BeginLater(std::move(found));
    return Cut(std::move(found));
  }

 private:
  std::optional<Divergence> CompareWithReference(const Situation& from, const Ending& got,
                                                 bool is_cut) {
    Ending expected;
    Run(place_, from, reference_.run(), got.event == WaveEvent::kFault ? kToFault : got.executed,
        expected);
    const uint64_t pc = expected.situation.wave.pc;
    frontend::LivePoint live{frontend::RegisterSet::All(), {}};
    live.wide.set();
    if (!is_cut) live = LiveAt(reference_.code(), pc, exact_);
    // Both keep what may be read after a cut: everything.
    Divergence found;
    found.difference = Compare(place_, expected, got, live, exact_ || is_cut);
    if (!found.difference.any()) return std::nullopt;
    found.before = from;
    found.is_cut = is_cut;
    found.begin = from.wave.pc;
    found.end = pc;
    found.instructions = expected.executed;
    return found;
  }

  // The situation `count` instructions after `from`.
  Situation After(const Situation& from, uint64_t count) {
    if (count == 0) return from;
    Ending ending;
    Run(place_, from, reference_.run(), count, ending);
    return std::move(ending.situation);
  }

  // Addresses of the instructions that the reference executes.
  std::vector<uint64_t> Trace(const Situation& from, uint64_t count) {
    std::vector<uint64_t> trace;
    place_.image.Restore(from.memory);
    std::copy(from.lds.begin(), from.lds.end(), place_.group.lds);
    runtime::WaveState state = from.wave;
    runtime::Wave wave{state, place_.group, place_.dispatch};
    while (trace.size() < count) {
      trace.push_back(state.pc);
      reference_.run()(wave, 1);
      if (wave.event != WaveEvent::kNone) break;
    }
    return trace;
  }

  // Indices of a trace at which blocks begin.
  std::vector<size_t> BlocksOf(const std::vector<uint64_t>& trace) {
    constexpr size_t kMostInstructions = 20'000;
    const frontend::ControlFlowGraph graph = frontend::BuildCfg(
        place_.dispatch.processor, [&](uint64_t pc) { return reference_.code().WordsAt(pc); },
        trace.front(), kMostInstructions);
    std::vector<size_t> begins;
    for (size_t n = 0; n < trace.size(); ++n) {
      const bool follows = n > 0 && trace[n] == trace[n - 1] + SizeAt(trace[n - 1]);
      if (!follows || graph.by_pc.contains(trace[n])) begins.push_back(n);
    }
    return begins;
  }

  uint64_t SizeAt(uint64_t pc) const {
    frontend::Instruction instruction;
    const auto status =
        frontend::Decode(place_.dispatch.processor, reference_.code().WordsAt(pc), instruction);
    return status == frontend::DecodeStatus::kOk ? instruction.size : 4u;
  }

  // The last block from whose begin on it still shows.
  Divergence BeginLater(Divergence found) {
    const std::vector<uint64_t> trace = Trace(found.before, found.instructions);
    const std::vector<size_t> begins = BlocksOf(trace);
    const Situation from = found.before;
    const uint64_t count = found.instructions;
    size_t low = 0;  // it shows from there on
    size_t high = begins.size();
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      auto later = Try(After(from, begins[middle]), count - begins[middle]);
      if (later) {
        found = *std::move(later);
        low = middle;
      } else {
        high = middle;
      }
    }
    const size_t block_end = low + 1 < begins.size() ? begins[low + 1] : trace.size();
    found.block.assign(trace.begin() + static_cast<ptrdiff_t>(begins[low]),
                       trace.begin() + static_cast<ptrdiff_t>(block_end));
    return found;
  }

  // Instructions [first, end) of the block, by themselves.
  std::optional<Divergence> TryPart(const Divergence& found, size_t first, size_t end) {
    return TryCut(After(found.before, first), found.block[end - 1] + SizeAt(found.block[end - 1]),
                  end - first);
  }

  // The shortest part of the block that shows it, if the block does by itself.
  Divergence Cut(Divergence found) {
    const size_t size = found.block.size();
    auto whole = TryPart(found, 0, size);
    if (!whole) return found;
    Divergence best = *std::move(whole);
    size_t end = size;
    for (size_t n = 1; n < size; ++n) {
      auto part = TryPart(found, 0, n);
      if (!part) continue;
      best = *std::move(part);
      end = n;
      break;
    }
    for (size_t first = end - 1; first > 0; --first) {
      auto part = TryPart(found, first, end);
      if (!part) continue;
      best = *std::move(part);
      break;
    }
    best.block = std::move(found.block);
    return best;
  }

  Place& place_;
  const Engine& tested_;
  const bool exact_;
  mutable PreparedCode reference_;
  PreparedCode natural_;
};

}  // namespace

std::optional<Divergence> Check(Place& place, const Engine& reference, const Engine& tested,
                                const Situation& from, uint64_t count) {
  return Narrower(place, reference, tested).Try(from, count);
}

Divergence Narrow(Place& place, const Engine& reference, const Engine& tested, Divergence found) {
  return Narrower(place, reference, tested).Narrow(std::move(found));
}

}  // namespace gcnjit::differential
