#include "debug/session.h"

#include <algorithm>
#include <utility>

#include "runtime/state/grid.h"

namespace gcnjit::debug {
namespace {

uint64_t NumberOf(const runtime::LaunchState& launch, const std::array<uint32_t, 3>& group) {
  const Dim3 groups = runtime::GroupsOf(launch);
  return (uint64_t{group[2]} * groups.y + group[1]) * groups.x + group[0];
}

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
  std::vector<size_t> numbers;
  const auto [first, last] = findings_at_.equal_range(step);
  for (auto at = first; at != last; ++at) numbers.push_back(at->second);
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
  if (IsAtFault()) return false;
  const uint64_t step = machine().step();
  const WaveName wave = machine().next();
  const uint64_t pc = machine().group().registers(wave.wave).pc;
  const bool is_first = step == machine().frontier();
  const bool has_moved = timeline_.Step();
  if (!has_moved || machine().ended()) Finish();
  if (is_first && findings().size() != known_) Learn(step, wave, pc);
  return has_moved;
}

bool Session::IsAtFault() const {
  return machine().fault() && machine().fault()->step == machine().step();
}

// Nothing more will be executed for the first time.
void Session::Finish() {
  if (result_) return;
  result_.emplace();
  if (checker_ != nullptr) checker_->MoveFindings(*result_);
}

// There are new findings since that wave has executed that instruction.
void Session::Learn(uint64_t step, const WaveName& wave, uint64_t pc) {
  std::vector<size_t> earlier;
  for (; known_ < findings().size(); ++known_) {
    const Finding& finding = findings()[known_];
    const bool is_here = finding.site.pc == pc && finding.site.wave == wave.wave &&
                         NumberOf(machine().launch(), finding.site.workgroup) == wave.group;
    if (is_here) {
      findings_at_.emplace(step, known_);
    } else {
      earlier.push_back(known_);
    }
  }
  if (earlier.empty()) return;
  const uint64_t now = machine().step();
  FindPlaces(std::move(earlier));
  timeline_.Seek(now);
}

// Where these were made: the last time that the wave has accessed the address there.
void Session::FindPlaces(std::vector<size_t> wanted) {
  std::map<size_t, uint64_t> found;
  uint64_t looked_at = 0;
  FindLast(machine().step(), [&] {
    const uint64_t step = machine().step();
    // What was found later in the run stays.
    if (step < looked_at) std::erase_if(wanted, [&](size_t n) { return found.contains(n); });
    looked_at = step;
    const WaveName wave = machine().next();
    for (const size_t number : wanted) {
      const Finding& finding = findings()[number];
      if (finding.site.wave == wave.wave &&
          NumberOf(machine().launch(), finding.site.workgroup) == wave.group &&
          timeline_.NextIs(finding.site.pc, finding.address, finding.access_bytes)) {
        found[number] = step;
      }
    }
    return std::ranges::all_of(wanted, [&](size_t n) { return found.contains(n); });
  });
  for (const auto& [number, step] : found) findings_at_.emplace(step, number);
}

// Findings from number `known` on are new, and the run, which began `from` there, is to stop at the
// first of them; nothing: there is none since.
std::optional<Stop> Session::StopAtNew(size_t known, uint64_t from) {
  if (!stops_at_findings) return std::nullopt;
  for (auto at = findings_at_.lower_bound(from); at != findings_at_.end(); ++at) {
    if (at->second < known) continue;
    const uint64_t step = at->first;
    timeline_.Seek(step);
    return Stop{StopReason::kFinding, {}, FindingsAt(step)};
  }
  return std::nullopt;
}

Stop Session::Forward(const Goal& goal) {
  const auto running = timeline_.Run();
  const uint64_t from = machine().step();
  while (!machine().ended()) {
    const size_t known = known_;
    const bool has_moved = Step();
    if (known_ != known) {
      auto stop = StopAtNew(known, from);
      if (stop && IsAtFault()) stop->reason = StopReason::kFault;
      if (stop) return *stop;
    }
    if (!has_moved) return {StopReason::kFault, {}, FindingsAt(machine().step())};
    if (machine().ended()) break;
    if (auto stop = StopHere(goal)) {
      breakpoints_.Count(stop->breakpoints);
      return *stop;
    }
    if (IsInterrupted()) return {StopReason::kInterrupted, {}, {}};
  }
  return {StopReason::kEnd, {}, {}};
}

// Looks at the places before `end`, from the last snapshot on; if that is not enough, from the one
// before up to there; and so on. `look`: has all been found when the run has come to the snapshot's
// end?
void Session::FindLast(uint64_t end, const std::function<bool()>& look) {
  while (end != 0) {
    timeline_.SeekSnapshotBefore(end);
    const uint64_t begin = machine().step();
    bool is_found = false;
    while (true) {
      is_found |= look();
      if (machine().step() + 1 == end) break;
      timeline_.Step();
    }
    if (is_found) return;
    end = begin;
  }
}

Stop Session::Backward(const Goal& goal) {
  const auto running = timeline_.Run();
  std::optional<Stop> last;
  uint64_t last_step = 0;
  bool is_interrupted_now = false;
  FindLast(machine().step(), [&] {
    is_interrupted_now = is_interrupted_now || IsInterrupted();
    if (auto stop = StopHere(goal)) {
      last = std::move(stop);
      last_step = machine().step();
    }
    return last.has_value() || is_interrupted_now;
  });
  if (is_interrupted_now && !last) return {StopReason::kInterrupted, {}, {}};
  timeline_.Seek(last_step);
  if (!last) return {StopReason::kBegin, {}, {}};
  breakpoints_.Count(last->breakpoints);
  return *last;
}

Result<bool> Session::Make(const Change& change) {
  if (checks()) {
    return Error{ErrorCode::kUnsupported,
                 "nothing can be changed under --check, which would not know of it: start without"};
  }
  if (const auto fits = machine().Fits(change); !fits) return fits.error();
  const bool forgets = machine().frontier() > machine().step();
  timeline_.Make(change);
  result_.reset();
  return forgets;
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
