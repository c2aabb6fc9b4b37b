#include "cli/dap_session.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "cli/dap_arguments.h"
#include "cli/debug_console.h"

namespace gcnjit::cli {

using debug::Goal;
using debug::Stop;
using debug::StopReason;
using nlohmann::json;

DapSession::DapSession(DebugTarget& target, DapStream& stream, bool stops_on_entry, bool is_told)
    : target_(target),
      stream_(stream),
      view_(target),
      stops_on_entry_(stops_on_entry),
      is_told_(is_told) {
  target_.session().is_interrupted = [this] { return AnswerMeanwhile(); };
}

const std::map<std::string, DapSession::Handler>& DapSession::Handlers() {
  static const std::map<std::string, Handler> kHandlers = {
      {"configurationDone", &DapSession::ConfigurationDone},
      {"setBreakpoints", &DapSession::SetBreakpoints},
      {"setInstructionBreakpoints", &DapSession::SetInstructionBreakpoints},
      {"setExceptionBreakpoints", &DapSession::SetExceptionBreakpoints},
      {"threads", &DapSession::Threads},
      {"stackTrace", &DapSession::StackTrace},
      {"scopes", &DapSession::Scopes},
      {"variables", &DapSession::Variables},
      {"evaluate", &DapSession::Evaluate},
      {"setVariable", &DapSession::SetVariable},
      {"setExpression", &DapSession::SetExpression},
      {"readMemory", &DapSession::ReadMemory},
      {"writeMemory", &DapSession::WriteMemory},
      {"disassemble", &DapSession::Disassemble},
      {"continue", &DapSession::Continue},
      {"next", &DapSession::Next},
      {"stepIn", &DapSession::StepIn},
      {"stepOut", &DapSession::StepOut},
      {"stepBack", &DapSession::StepBack},
      {"reverseContinue", &DapSession::ReverseContinue},
      {"pause", &DapSession::Pause},
      {"disconnect", &DapSession::Disconnect},
      {"terminate", &DapSession::Disconnect},
  };
  return kHandlers;
}

void DapSession::Serve() {
  while (!is_over_) {
    const auto request = stream_.Take();
    if (!request) return;
    if (request->value("type", json()) == "request") Answer(*request);
    if (has_changed_) TellChange();
    if (move_) Run(std::exchange(move_, {}));
  }
}

void DapSession::Answer(const json& request) {
  const auto command = request.value("command", json());
  const auto found =
      command.is_string() ? Handlers().find(command.get<std::string>()) : Handlers().end();
  if (found == Handlers().end()) return stream_.Refuse(request, "not supported");
  try {
    auto body = (this->*found->second)(ObjectIn(request, "arguments", json::object()));
    if (!body) return stream_.Refuse(request, body.error().message);
    stream_.Respond(request, std::move(*body));
  } catch (const WrongArgument& wrong) {
    stream_.Refuse(request, "wrong arguments: " + wrong.message);
  }
}

// While the kernel runs. True: the client wants it to stop, or there is none any more.
bool DapSession::AnswerMeanwhile() {
  static const std::set<std::string> kStop = {"pause", "disconnect", "terminate"};
  static const std::set<std::string> kAnyTime = {"setBreakpoints", "setInstructionBreakpoints",
                                                 "setExceptionBreakpoints", "threads"};
  stream_.Receive();
  while (const json* const next = stream_.Next()) {
    const json command = next->value("command", json());
    const std::string name = command.is_string() ? command.get<std::string>() : std::string();
    const bool is_request = next->value("type", json()) == "request";
    if (is_request && kStop.contains(name)) return true;
    const auto request = stream_.Take();
    if (!is_request) continue;
    if (Handlers().contains(name) && !kAnyTime.contains(name)) {
      stream_.Refuse(*request, "the kernel runs: pause it first");
    } else {
      Answer(*request);
    }
  }
  return stream_.has_ended();
}

// ---- Breakpoints

json DapSession::Add(std::vector<int>& numbers, const json& wanted,
                     Result<DebugTarget::Places> places) {
  if (!places) return {{"verified", false}, {"message", places.error().message}};
  debug::Breakpoint breakpoint;
  breakpoint.text = places->text;
  breakpoint.pcs = places->pcs;
  // "item X,Y,Z": the only condition.
  constexpr std::string_view kItem = "item ";
  const std::string condition = TextIn(wanted, "condition", "");
  if (condition.starts_with(kItem)) {
    const auto item = ParseWorkItem(condition.substr(kItem.size()), target_.machine().launch());
    if (!item) return {{"verified", false}, {"message", item.error().message}};
    breakpoint.item = *item;
  } else if (!condition.empty()) {
    return {{"verified", false}, {"message", "the only condition is: item X,Y,Z"}};
  }
  const auto& frames = target_.session().lines().At(places->pcs.front());
  const debug::Breakpoint& added = target_.session().breakpoints().Add(std::move(breakpoint));
  numbers.push_back(added.number);
  json body = {{"id", added.number},
               {"verified", true},
               {"instructionReference", fmt::format("{:#x}", added.pcs.front())}};
  if (!frames.empty()) body["line"] = frames.front().line;
  return body;
}

json DapSession::Replace(std::vector<int>& numbers, const json& wanted,
                         const std::function<Result<DebugTarget::Places>(const json&)>& find) {
  for (const int number : numbers) target_.session().breakpoints().Remove(number);
  numbers.clear();
  json all = json::array();
  for (const json& one : wanted) {
    try {
      if (!one.is_object()) throw WrongArgument{"a breakpoint is to be an object"};
      all.push_back(Add(numbers, one, find(one)));
    } catch (const WrongArgument& wrong) {
      all.push_back({{"verified", false}, {"message", wrong.message}});
    }
  }
  return {{"breakpoints", all}};
}

Result<json> DapSession::SetBreakpoints(const json& arguments) {
  const auto path = TextIn(ObjectIn(arguments, "source"), "path");
  const auto find = [&](const json& wanted) {
    const auto line = NumberIn<uint64_t>(wanted, "line");
    auto places = target_.FindLine(path, line);
    // The debug information may have been made with other folders.
    if (places) return places;
    return target_.FindLine(std::filesystem::path(path).filename().string(), line);
  };
  return Replace(by_source_[path], ListIn(arguments, "breakpoints", json::array()), find);
}

Result<json> DapSession::SetInstructionBreakpoints(const json& arguments) {
  const auto find = [&](const json& wanted) {
    const auto reference = TextIn(wanted, "instructionReference");
    const auto offset = NumberIn<int64_t>(wanted, "offset", 0);
    const auto pc = ParseNumber(reference);
    if (!pc) return target_.FindPlaces(reference, target_.machine().launch().entry);
    return target_.FindPlaces(fmt::format("*{:#x}", *pc + static_cast<uint64_t>(offset)), *pc);
  };
  return Replace(by_instruction_, ListIn(arguments, "breakpoints"), find);
}

Result<json> DapSession::SetExceptionBreakpoints(const json& arguments) {
  const json filters = ListIn(arguments, "filters");
  target_.session().stops_at_findings =
      std::find(filters.begin(), filters.end(), "findings") != filters.end();
  return json::object();
}

// ---- What is there

Result<json> DapSession::Threads(const json&) { return view_.Threads(); }
Result<json> DapSession::StackTrace(const json& arguments) { return view_.StackTrace(arguments); }
Result<json> DapSession::Scopes(const json& arguments) { return view_.Scopes(arguments); }
Result<json> DapSession::Variables(const json& arguments) { return view_.Variables(arguments); }
Result<json> DapSession::Evaluate(const json& arguments) { return view_.Evaluate(arguments); }
Result<json> DapSession::ReadMemory(const json& arguments) { return view_.ReadMemory(arguments); }
Result<json> DapSession::Disassemble(const json& arguments) { return view_.Disassemble(arguments); }

// ---- What is changed

Result<json> DapSession::SetVariable(const json& arguments) {
  auto body = view_.SetVariable(arguments, has_forgotten_);
  has_changed_ = body.ok();
  return body;
}

Result<json> DapSession::SetExpression(const json& arguments) {
  auto body = view_.SetExpression(arguments, has_forgotten_);
  has_changed_ = body.ok();
  return body;
}

Result<json> DapSession::WriteMemory(const json& arguments) {
  auto body = view_.WriteMemory(arguments, has_forgotten_);
  has_changed_ = body.ok();
  return body;
}

// Something has been changed: the rest that the client shows may be different, and where the run is
// at its end is not known any more.
void DapSession::TellChange() {
  has_changed_ = false;
  is_at_end_ = false;
  if (std::exchange(has_forgotten_, false)) {
    stream_.Send("output", {{"category", "important"}, {"output", kForgotten}});
  }
  if (is_told_) stream_.Send("invalidated", {{"areas", {"all"}}});
}

}  // namespace gcnjit::cli
