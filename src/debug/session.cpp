#include "debug/session.h"

#include <algorithm>

namespace gcnjit::debug {
namespace {

std::unique_ptr<runtime::check::Checker> CheckerOf(const Session::Launch& launch,
                                                   runtime::CodeMap& code,
                                                   const runtime::GuestMemory& memory) {
  if (launch.config.check == kCheckNothing) return nullptr;
  return std::make_unique<runtime::check::Checker>(launch.state, launch.kernel, code, memory,
                                                   launch.config, launch.arguments);
}

}  // namespace

Session::Session(const Launch& launch, runtime::CodeMap& code, runtime::GuestMemory& memory,
                 confined::LoadedLines& lines)
    : checker_(CheckerOf(launch, code, memory)),
      timeline_(launch.state, launch.kernel, code, memory, checker_.get()),
      lines_(code, lines),
      breakpoints_(launch.state) {}

const std::vector<Finding>& Session::findings() const {
  static const std::vector<Finding> kNone;
  if (result_) return result_->findings;
  return checker_ != nullptr ? checker_->findings() : kNone;
}

std::vector<size_t> Session::FindingsAt(uint64_t step) const {
  const auto [first, last] = std::ranges::equal_range(finding_steps_, step);
  std::vector<size_t> numbers;
  for (auto at = first; at != last; ++at) {
    numbers.push_back(static_cast<size_t>(at - finding_steps_.begin()));
  }
  return numbers;
}

std::optional<Stop> Session::StopHere(const Goal& goal) const {
  const uint64_t step = machine().step();
  if (stops_at_findings) {
    if (auto findings = FindingsAt(step); !findings.empty()) {
      return Stop{StopReason::kFinding, {}, std::move(findings)};
    }
  }
  if (auto numbers = breakpoints_.At(machine()); !numbers.empty()) {
    return Stop{StopReason::kBreakpoint, std::move(numbers), {}};
  }
  if (goal(machine())) return Stop{StopReason::kGoal, {}, {}};
  return std::nullopt;
}

bool Session::IsInterrupted() {
  constexpr uint64_t kEach = 1 << 12;
  return is_interrupted && ++asked_ % kEach == 0 && is_interrupted();
}

// False: the next instruction faults. Learns of what it finds.
bool Session::Step() {
  const uint64_t step = machine().step();
  if (machine().fault() && machine().fault()->step == step) return false;
  const bool is_first = step == machine().frontier();
  const bool has_moved = timeline_.Step();
  if (is_first) finding_steps_.resize(findings().size(), step);
  if (!has_moved || machine().ended()) Finish();
  return has_moved;
}

// Nothing more will be executed for the first time.
void Session::Finish() {
  if (result_) return;
  result_.emplace();
  if (checker_ != nullptr) checker_->MoveFindings(*result_);
}

Stop Session::Forward(const Goal& goal) {
  const auto running = timeline_.Run();
  while (!machine().ended()) {
    const uint64_t step = machine().step();
    const size_t known = finding_steps_.size();
    if (!Step()) return {StopReason::kFault, {}, FindingsAt(step)};
    if (finding_steps_.size() != known && stops_at_findings) {
      timeline_.Seek(step);
      return {StopReason::kFinding, {}, FindingsAt(step)};
    }
    if (machine().ended()) break;
    if (auto stop = StopHere(goal)) {
      breakpoints_.Count(stop->breakpoints);
      return *stop;
    }
    if (IsInterrupted()) return {StopReason::kInterrupted, {}, {}};
  }
  return {StopReason::kEnd, {}, {}};
}

// Snapshot by snapshot: what is behind each is executed again, and the last place counts at which
// it would stop.
Stop Session::Backward(const Goal& goal) {
  const auto running = timeline_.Run();
  for (uint64_t end = machine().step(); end != 0;) {
    timeline_.SeekSnapshotBefore(end);
    const uint64_t begin = machine().step();
    std::optional<Stop> last;
    uint64_t last_step = 0;
    while (true) {
      if (auto stop = StopHere(goal)) {
        last = std::move(stop);
        last_step = machine().step();
      }
      if (machine().step() + 1 == end) break;
      timeline_.Step();
      if (IsInterrupted()) return {StopReason::kInterrupted, {}, {}};
    }
    if (last) {
      timeline_.Seek(last_step);
      breakpoints_.Count(last->breakpoints);
      return *last;
    }
    end = begin;
  }
  timeline_.Seek(0);
  return {StopReason::kBegin, {}, {}};
}

Stop Session::GoTo(uint64_t step) {
  const auto running = timeline_.Run();
  timeline_.Seek(std::min(step, machine().frontier()));
  while (machine().step() < step && !machine().ended()) {
    if (!Step()) return {StopReason::kFault, {}, FindingsAt(machine().step())};
    if (IsInterrupted()) return {StopReason::kInterrupted, {}, {}};
  }
  if (machine().ended()) return {StopReason::kEnd, {}, {}};
  return {step == 0 ? StopReason::kBegin : StopReason::kGoal, {}, {}};
}

}  // namespace gcnjit::debug
