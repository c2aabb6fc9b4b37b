// Commands that move the run.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "cli/debug_console.h"

namespace gcnjit::cli {

using debug::Goal;
using debug::Stop;
using debug::StopReason;

namespace {

Error NoStep(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

constexpr const char* kHasEnded = "the kernel has ended: go back first (reverse-step, goto STEP)";

// Nothing: there is no such step.
std::optional<Goal> GoalOf(const std::string& what, bool back, debug::Session& session,
                           const debug::WaveName& wave) {
  const debug::Machine& machine = session.machine();
  if (what == "wave") return debug::AtTurn();
  if (what == "barrier") return PastBarrier(machine, wave);
  if (what == "instruction") {
    return back ? debug::BeforeInstruction(wave) : debug::AfterInstruction(wave);
  }
  if (what == "line") {
    return back ? debug::AtBeginOfLine(session.lines(), wave)
                : AtOtherLine(machine, session.lines(), wave);
  }
  if (back) return std::nullopt;
  if (what == "next") return AtNextLine(machine, session.lines(), wave);
  if (what == "finish") return AtCaller(machine, session.lines(), wave);
  if (what == "end") return debug::AtEnd(wave);
  return std::nullopt;
}

}  // namespace

// What executes next is in focus, in the lane that a report names or the first that is on.
void DebugConsole::FollowRun() {
  const debug::Machine& machine = target_.machine();
  if (machine.ended()) {
    focus_.reset();
    return;
  }
  const bool same = focus_ && focus_->wave == machine.next();
  const int lane =
      same ? focus_->lane : std::countr_zero(machine.group().registers(machine.next().wave).exec());
  focus_ = {machine.next(), std::min(lane, runtime::kLanes - 1)};
}

std::string DebugConsole::Stopped(const Stop& stop, bool keep) {
  const auto before = focus_;
  const debug::Machine& machine = target_.machine();
  if (!keep || machine.ended() || !before || IsGone(machine, before->wave)) FollowRun();
  std::string text;
  if (before && stop.reason != StopReason::kEnd && IsGone(machine, before->wave) &&
      machine.step() != 0 && machine.last() == before->wave) {
    text = fmt::format("wave {} of group {} has ended\n", before->wave.wave, before->wave.group);
  }
  for (const int number : stop.breakpoints) {
    const auto& all = target_.session().breakpoints().all();
    const auto found = std::ranges::find(all, number, &debug::Breakpoint::number);
    if (found->item) focus_->lane = debug::PlaceOf(machine.launch(), *found->item)->lane;
  }
  int lane = -1;
  if (!stop.findings.empty()) lane = target_.session().findings()[stop.findings[0]].site.lane;
  if (stop.reason == StopReason::kFault) lane = machine.fault()->report.lane;
  if (lane >= 0) focus_->lane = lane;
  text += view_.StopText(stop);
  if (focus_) text += view_.Where(*focus_);
  return text;
}

std::string DebugConsole::Begin() { return Stopped({StopReason::kBegin, {}, {}}); }

Result<std::string> DebugConsole::Continue(Words) {
  if (!focus_) return NoStep(kHasEnded);
  return Stopped(target_.session().Forward(debug::NoGoal()));
}

Result<std::string> DebugConsole::ReverseContinue(Words) {
  return Stopped(target_.session().Backward(debug::NoGoal()));
}

Result<std::string> DebugConsole::StepBy(const std::string& what, Words count, bool back) {
  const auto number = count.empty() ? 1 : ParseNumber(count[0]);
  if (!number || *number == 0) return NoStep(fmt::format("'{}' is no count", count[0]));
  if (!focus_ && !back) return NoStep(kHasEnded);
  Stop stop;
  for (uint64_t n = 0; n < *number; ++n) {
    debug::WaveName wave = focus_ ? focus_->wave : debug::WaveName{};
    if (back) wave = WaveBefore(target_.machine(), wave);
    if (!back && IsGone(target_.machine(), wave)) return NoStep("the wave has ended");
    const auto goal = GoalOf(what, back, target_.session(), wave);
    if (!goal) return NoStep(fmt::format("no step '{}'", what));
    stop = back ? target_.session().Backward(*goal) : target_.session().Forward(*goal);
    if (stop.reason != StopReason::kGoal) break;
    if (target_.machine().ended() || IsGone(target_.machine(), wave)) break;
  }
  const bool is_instruction = what == "instruction" && !back;
  return Stopped(stop, is_instruction && stop.reason == StopReason::kGoal);
}

// Says as well what has changed.
Result<std::string> DebugConsole::StepByInstruction(Words count, bool back) {
  const auto focus = focus_;
  std::unique_ptr<runtime::WaveState> before;
  if (focus) before = std::make_unique<runtime::WaveState>(**FocusState());
  auto text = StepBy("instruction", count, back);
  if (text && before && focus_ && focus_->wave == focus->wave) {
    *text = view_.Changes(*focus_, *before) + *text;
  }
  return text;
}

Result<std::string> DebugConsole::Step(Words words) {
  const bool is_count = !words.empty() && ParseNumber(words[0]);
  if (words.empty() || is_count) return StepBy("line", words, false);
  if (words[0] == "instruction") return StepByInstruction(words.subspan(1), false);
  return StepBy(words[0], words.subspan(1), false);
}

Result<std::string> DebugConsole::StepInstruction(Words words) {
  return StepByInstruction(words, false);
}
Result<std::string> DebugConsole::Next(Words words) { return StepBy("next", words, false); }
Result<std::string> DebugConsole::Finish(Words) { return StepBy("finish", {}, false); }

Result<std::string> DebugConsole::ReverseStep(Words words) {
  const bool is_count = !words.empty() && ParseNumber(words[0]);
  if (words.empty() || is_count) return StepBy("line", words, true);
  if (words[0] == "instruction") return StepByInstruction(words.subspan(1), true);
  return StepBy(words[0], words.subspan(1), true);
}

Result<std::string> DebugConsole::ReverseStepInstruction(Words words) {
  return StepByInstruction(words, true);
}

Result<std::string> DebugConsole::GoTo(Words words) {
  const auto step = words.empty() ? std::nullopt : ParseNumber(words[0]);
  if (!step) return NoStep("expected: goto STEP");
  return Stopped(target_.session().GoTo(*step));
}

Result<std::string> DebugConsole::Restart(Words) { return Stopped(target_.session().GoTo(0)); }

}  // namespace gcnjit::cli
