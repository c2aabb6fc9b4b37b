// Commands that change what the run holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/debug_console.h"

namespace gcnjit::cli {

Result<std::string> DebugConsole::Set(Words words) {
  if (const auto state = FocusState(); !state) return state.error();
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "expected: set EXPRESSION = VALUE"};
  }
  const auto expression = ParseExpression(target_, *focus_, text.substr(0, equals));
  if (!expression) return expression.error();
  const auto before = ValueText(target_, *focus_, *expression);
  if (!before) return before.error();
  const auto change = ChangeOf(*focus_, *expression, text.substr(equals + 1));
  if (!change) return change.error();
  const auto forgets = target_.session().Make(*change);
  if (!forgets) return forgets.error();
  const auto after = ValueText(target_, *focus_, *expression);
  if (!after) return after.error();
  return fmt::format("{} -> {}\n{}", *before, *after, *forgets ? kForgotten : "");
}

}  // namespace gcnjit::cli
