// Reads what the printer writes (printer.h describes it). Values keep their numbers, so that text
// survives the round trip.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/function.h"

namespace gcnjit::ir {

struct ParseError {
  int line = 0;  // from 1
  std::string message;
};

struct ParseResult {
  Function function;
  std::optional<ParseError> error;  // the first one
};

// Checks the text only: what it says may still fail the verifier.
ParseResult Parse(std::string_view text);

}  // namespace gcnjit::ir
