// Any text as IR. What the parser and the verifier accept survives printing, and the passes, which
// must leave it well formed.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/parser.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gcnjit;
  const std::vector<char> exact(data, data + size);  // ASan sees every read beyond it
  ir::ParseResult parsed = ir::Parse({exact.data(), exact.size()});
  if (parsed.error) {
    fuzz::Require(!parsed.error->message.empty(), "an error without a message");
    return 0;
  }
  if (!ir::Verify(parsed.function).empty()) return 0;
  const std::string text = ir::Print(parsed.function);
  const ir::ParseResult again = ir::Parse(text);
  fuzz::Require(!again.error, "what was printed is not read: " + text);
  fuzz::Require(ir::Print(again.function) == text, "the text changes on its way: " + text);
  ir::Optimise(parsed.function);
  const std::vector<std::string> errors = ir::Verify(parsed.function);
  fuzz::Require(errors.empty(), "optimised: " + (errors.empty() ? "" : errors[0]));
  return 0;
}
