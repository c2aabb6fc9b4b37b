// Expressions of a client of the Debug Adapter Protocol, and what it changes.
#include <fmt/format.h>

#include "cli/dap_arguments.h"
#include "cli/dap_memory.h"
#include "cli/dap_view.h"

namespace gcnjit::cli {

using ChangeKind = debug::Change::Kind;
using nlohmann::json;

namespace {

Error NotThere(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }

}  // namespace

Result<DebugFocus> DapView::FocusOf(const json& arguments) const {
  const debug::Machine& machine = target_.machine();
  if (machine.ended()) return NotThere("the kernel has ended");
  debug::WaveName wave = machine.next();
  if (arguments.contains("frameId")) {
    const auto frame = NumberIn<size_t>(arguments, "frameId");
    if (frame == 0 || frame > frames_.size()) return NotThere("there is no such frame now");
    wave = frames_[frame - 1];
  }
  return DebugFocus{wave, LaneOf(wave)};
}

Result<json> DapView::Evaluate(const json& arguments) {
  const auto text = TextIn(arguments, "expression");
  const auto focus = FocusOf(arguments);
  if (!focus) return focus.error();
  const auto expression = ParseExpression(target_, *focus, text);
  if (!expression) return expression.error();
  const auto value = ValueText(target_, *focus, *expression);
  if (!value) return value.error();
  json body = {{"result", *value}, {"variablesReference", 0}};
  const debug::RegisterName& reg = expression->reg;
  if (expression->kind == ChangeKind::kLds) {
    body["memoryReference"] = LdsReference(focus->wave.group, expression->address);
  } else if (expression->kind == ChangeKind::kMemory) {
    body["memoryReference"] = fmt::format("{:#x}", expression->address);
  } else if (reg.kind == debug::RegisterKind::kVector && reg.count == 1 && !expression->lane) {
    body["variablesReference"] = Refer(focus->wave, Kind::kLanes, reg.first);
    body["indexedVariables"] = runtime::kLanes;
  }
  return body;
}

Result<json> DapView::Set(const DebugFocus& focus, const std::string& text,
                          const std::string& value, bool& forgets) {
  const auto expression = ParseExpression(target_, focus, text);
  if (!expression) return expression.error();
  const auto change = ChangeOf(focus, *expression, value);
  if (!change) return change.error();
  const auto made = target_.session().Make(*change);
  if (!made) return made.error();
  forgets = *made;
  const auto now = ValueText(target_, focus, *expression);
  if (!now) return now.error();
  return json{{"value", *now}, {"variablesReference", 0}};
}

Result<json> DapView::SetExpression(const json& arguments, bool& forgets) {
  const auto text = TextIn(arguments, "expression");
  const auto value = TextIn(arguments, "value");
  const auto focus = FocusOf(arguments);
  if (!focus) return focus.error();
  return Set(*focus, text, value, forgets);
}

Result<json> DapView::SetVariable(const json& arguments, bool& forgets) {
  const auto number = NumberIn<size_t>(arguments, "variablesReference");
  const auto name = TextIn(arguments, "name");
  const auto value = TextIn(arguments, "value");
  if (number == 0 || number > references_.size()) return NotThere("there is no such variable now");
  const Reference reference = references_[number - 1];
  std::string text = name;
  switch (reference.kind) {
    case Kind::kWave:
    case Kind::kScalars:
    case Kind::kVectors: break;
    case Kind::kLanes:
      text = fmt::format("{}[{}]", frontend::VectorRegisterName(static_cast<int>(reference.reg)),
                         name);
      break;
    case Kind::kLds: return NotThere("that is a row of LDS: open it, and change one of its words");
    case Kind::kLdsRow: text = fmt::format("lds[{}]", name); break;
  }
  return Set({reference.wave, LaneOf(reference.wave)}, text, value, forgets);
}

}  // namespace gcnjit::cli
