// Any text as an --arg of `gcnjit run`. Specs that open files are left out, and those that generate
// more than a few KB: the user asks for that much.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

#include "cli/argument_spec.h"
#include "tests/fuzz/check.h"

namespace gcnjit::fuzz {
namespace {

bool OpensFiles(const std::string& text) {
  return text.starts_with("in:") || text.starts_with("inout:") || text.starts_with("raw:");
}

// The count is the text between the second and the third colon.
bool GeneratesMuch(const std::string& text) {
  if (!text.starts_with("iota:") && !text.starts_with("rand:")) return false;
  const size_t type = text.find(':', 5);
  if (type == std::string::npos) return false;
  const std::string count = text.substr(type + 1, text.find(':', type + 1) - type - 1);
  return count.size() > 4 || count.find_first_of("MG") != std::string::npos;
}

}  // namespace
}  // namespace gcnjit::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gcnjit;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (fuzz::OpensFiles(text) || fuzz::GeneratesMuch(text)) return 0;
  const auto spec = cli::ParseArgumentSpec(text);
  if (!spec) {
    fuzz::Require(!spec.error().message.empty(), "an error without a message");
  } else if (spec->kind == cli::SpecKind::kValue) {
    fuzz::Require(!spec->bytes.empty(), "a value without bytes");
  }
  return 0;
}
