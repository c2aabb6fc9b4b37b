#include "cli/dap_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.h"
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
std::string TripleText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return fmt::format("{}", value.get<uint64_t>());
  std::string text;
  for (const json& number : value) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", number.get<uint64_t>());
  }
  return text;
}

// What the client says of the launch, over what the command line has said.
DebugOptions OptionsOf(const json& arguments, DebugOptions options) {
  const auto take = [&](const char* name, std::string& into) {
    if (arguments.contains(name)) into = arguments[name].get<std::string>();
  };
  const auto take_triple = [&](const char* name, std::string& into) {
    if (arguments.contains(name)) into = TripleText(arguments[name]);
  };
  take("program", options.file);
  take("kernel", options.kernel);
  take("target", options.target);
  take("kernarg", options.kernarg);
  take_triple("global", options.global);
  take_triple("local", options.local);
  take_triple("offset", options.offset);
  if (arguments.contains("args")) {
    options.arguments = arguments["args"].get<std::vector<std::string>>();
  }
  if (arguments.contains("check")) {
    const json& check = arguments["check"];
    options.check = check.is_string() ? check.get<std::string>() : check.get<bool>() ? "all" : "";
  }
  return options;
}

// False: the client has had enough.
bool Launch(DapStream& stream, const json& request, const DebugOptions& defaults, bool is_told) {
  const json arguments = request.value("arguments", json::object());
  try {
    const DebugOptions options = OptionsOf(arguments, defaults);
    const bool stops = arguments.value("stopOnEntry", false);
    const auto code = WithDebugTarget(options, [&](DebugTarget& target) {
      stream.Respond(request, json::object());
      stream.Send("initialized");
      DapSession(target, stream, stops, is_told).Serve();
      return 0;
    });
    if (code) return false;
    stream.Refuse(request, code.error().message);
  } catch (const json::exception& error) {
    stream.Refuse(request, fmt::format("wrong arguments: {}", error.what()));
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
  return kExitDone;
}

}  // namespace gcnjit::cli
