// Requests that move the run.
#include <fmt/format.h>

#include "cli/dap_arguments.h"
#include "cli/dap_session.h"

namespace gcnjit::cli {

using debug::Goal;
using debug::Stop;
using debug::StopReason;
using debug::WaveName;
using nlohmann::json;

Result<json> DapSession::ConfigurationDone(const json&) {
  stepped_ = target_.machine().next();
  if (stops_on_entry_) {
    move_ = [] { return Stop{StopReason::kBegin, {}, {}}; };
  } else {
    move_ = [this] { return target_.session().Forward(debug::NoGoal()); };
  }
  return json::object();
}

Result<json> DapSession::Continue(const json&) {
  stepped_ = target_.machine().next();
  move_ = [this] { return target_.session().Forward(debug::NoGoal()); };
  return json{{"allThreadsContinued", true}};
}

Result<json> DapSession::ReverseContinue(const json&) {
  stepped_ = target_.machine().next();
  move_ = [this] { return target_.session().Backward(debug::NoGoal()); };
  return json::object();
}

// Of a wave; where it has no line, by an instruction.
Result<json> DapSession::Step(const json& arguments, bool back,
                              const std::function<Goal(const WaveName&)>& by_line) {
  auto wave = view_.WaveOf(NumberIn<uint64_t>(arguments, "threadId"));
  if (!wave) return wave.error();
  if (back) *wave = WaveBefore(target_.machine(), *wave);
  const debug::WorkGroup* group = target_.machine().Find(wave->group);
  const bool has_line =
      group != nullptr && target_.session().lines().HasLine(group->registers(wave->wave).pc);
  const bool by_instruction = TextIn(arguments, "granularity", "statement") == "instruction";
  const Goal goal = has_line && !by_instruction ? by_line(*wave)
                    : back                      ? debug::BeforeInstruction(*wave)
                                                : debug::AfterInstruction(*wave);
  stepped_ = *wave;
  move_ = [this, goal, back] {
    return back ? target_.session().Backward(goal) : target_.session().Forward(goal);
  };
  return json::object();
}

Result<json> DapSession::Next(const json& arguments) {
  return Step(arguments, false, [this](const WaveName& wave) {
    return AtNextLine(target_.machine(), target_.session().lines(), wave);
  });
}

Result<json> DapSession::StepIn(const json& arguments) {
  return Step(arguments, false, [this](const WaveName& wave) {
    return AtOtherLine(target_.machine(), target_.session().lines(), wave);
  });
}

Result<json> DapSession::StepOut(const json& arguments) {
  return Step(arguments, false, [this](const WaveName& wave) {
    return AtCaller(target_.machine(), target_.session().lines(), wave);
  });
}

Result<json> DapSession::StepBack(const json& arguments) {
  return Step(arguments, true, [this](const WaveName& wave) {
    return AtBeginOfLine(target_.session().lines(), wave);
  });
}

// The run stands already: what was running has been interrupted by the request.
Result<json> DapSession::Pause(const json&) { return json::object(); }

Result<json> DapSession::Disconnect(const json&) {
  is_over_ = true;
  return json::object();
}

// Where the kernel has ended there is no wave to show: the run stands before its last instruction,
// from where the next move ends it.
void DapSession::Run(const Move& move) {
  const bool was_at_end = is_at_end_;
  view_.Forget();
  Stop stop = move();
  is_at_end_ = stop.reason == StopReason::kEnd;
  if (!is_at_end_) return TellStop(stop, {});
  if (was_at_end) {
    stream_.Send("exited", {{"exitCode", 0}});
    stream_.Send("terminated");
    return;
  }
  target_.session().GoTo(target_.machine().step() - 1);
  TellStop(stop, "The kernel ends here");
}

void DapSession::TellStop(const Stop& stop, std::string description) {
  const debug::Machine& machine = target_.machine();
  const bool keeps = stop.reason == StopReason::kGoal && !IsGone(machine, stepped_);
  json body = {{"threadId", view_.ThreadOf(keeps ? stepped_ : machine.next())},
               {"allThreadsStopped", true}};
  std::string text;
  for (const size_t number : stop.findings) text += target_.FindingAt(number).Describe();
  switch (stop.reason) {
    case StopReason::kGoal: body["reason"] = "step"; break;
    case StopReason::kBreakpoint:
      body["reason"] = "breakpoint";
      body["hitBreakpointIds"] = stop.breakpoints;
      break;
    case StopReason::kFinding:
      body["reason"] = "exception";
      description = "The next instruction is a finding of the check";
      break;
    case StopReason::kFault:
      body["reason"] = "exception";
      description = "The next instruction faults";
      text += target_.Fault().Describe();
      break;
    case StopReason::kBegin: body["reason"] = "entry"; break;
    case StopReason::kEnd:
    case StopReason::kInterrupted: body["reason"] = "pause"; break;
  }
  if (!description.empty()) body["description"] = description;
  if (!text.empty()) {
    body["text"] = text;
    stream_.Send("output", {{"category", "important"}, {"output", text}});
  }
  stream_.Send("stopped", body);
}

}  // namespace gcnjit::cli
