#include "cli/dap_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>

#include "cli/commands.h"
#include "cli/dap_arguments.h"
#include "cli/dap_session.h"

namespace gcnjit::cli {

using nlohmann::json;

namespace {

json Capabilities() {
  return {{"supportsConfigurationDoneRequest", true},
          {"supportsConditionalBreakpoints", true},
          {"supportsInstructionBreakpoints", true},
          {"supportsStepBack", true},
          {"supportsSteppingGranularity", true},
          {"supportsEvaluateForHovers", true},
          {"supportsSetVariable", true},
          {"supportsSetExpression", true},
          {"supportsReadMemoryRequest", true},
          {"supportsWriteMemoryRequest", true},
          {"supportsDisassembleRequest", true},
          {"supportsTerminateRequest", true},
          {"exceptionBreakpointFilters",
           {{{"filter", "findings"}, {"label", "Findings of the check"}, {"default", true}}}}};
}

// "64,4", or 64, or [64, 4].
std::string TripleText(const json& value, const std::string& name) {
  constexpr uint64_t kMostNumber = std::numeric_limits<uint64_t>::max();
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  for (const json& number : value.is_array() ? value : json::array({value})) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", ToNumber(number, name, kMostNumber));
  }
  return text;
}

// What the client says of the launch, over what the command line has said.
DebugOptions OptionsOf(const json& arguments, DebugOptions options) {
  const auto take = [&](const char* name, std::string& into) {
    if (arguments.contains(name)) into = ToText(arguments[name], name);
  };
  const auto take_triple = [&](const char* name, std::string& into) {
    if (arguments.contains(name)) into = TripleText(arguments[name], name);
  };
  take("program", options.file);
  take("kernel", options.kernel);
  take("target", options.target);
  take("kernarg", options.kernarg);
  take_triple("global", options.global);
  take_triple("local", options.local);
  take_triple("offset", options.offset);
  if (arguments.contains("args")) {
    options.arguments.clear();
    for (const json& one : ListIn(arguments, "args")) {
      options.arguments.push_back(ToText(one, fmt::format("args[{}]", options.arguments.size())));
    }
  }
  if (arguments.contains("check")) {
    const json& check = arguments["check"];
    options.check = check.is_string()                   ? check.get<std::string>()
                    : FlagIn(arguments, "check", false) ? "all"
                                                        : "";
  }
  return options;
}

// False: the client has had enough.
bool Launch(DapStream& stream, const json& request, const DebugOptions& defaults, bool is_told) {
  try {
    const json arguments = ObjectIn(request, "arguments", json::object());
    const DebugOptions options = OptionsOf(arguments, defaults);
    const bool stops = FlagIn(arguments, "stopOnEntry", false);
    const auto code = WithDebugTarget(options, [&](DebugTarget& target) {
      stream.Respond(request, json::object());
      stream.Send("initialized");
      DapSession(target, stream, stops, is_told).Serve();
      return 0;
    });
    if (code) return false;
    stream.Refuse(request, code.error().message);
  } catch (const WrongArgument& wrong) {
    stream.Refuse(request, "wrong arguments: " + wrong.message);
  }
  return true;
}

}  // namespace

int ServeDap(const DebugOptions& options) {
  DapStream stream(STDIN_FILENO, STDOUT_FILENO);
  bool is_told = false;  // the client knows the event 'invalidated'
  while (const auto request = stream.Take()) {
    const json command = request->value("command", json());
    if (command == "initialize") {
      const json arguments = request->value("arguments", json::object());
      is_told =
          arguments.is_object() && arguments.value("supportsInvalidatedEvent", json()) == true;
      stream.Respond(*request, Capabilities());
    } else if (command == "launch") {
      if (!Launch(stream, *request, options, is_told)) break;
    } else if (command == "disconnect" || command == "terminate") {
      stream.Respond(*request, json::object());
      break;
    } else {
      stream.Refuse(*request, "not supported before the launch");
    }
  }
  return stream.is_broken() ? kExitBadInput : kExitDone;
}

}  // namespace gcnjit::cli
