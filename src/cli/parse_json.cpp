#include "cli/parse_json.h"

namespace gcnjit::cli {

using nlohmann::json;

std::optional<json> ParseJson(std::string_view text) {
  constexpr int kMostDepth = 64;
  bool is_too_deep = false;
  const auto is_kept = [&](int depth, json::parse_event_t, const json&) {
    is_too_deep |= depth > kMostDepth;
    return !is_too_deep;
  };
  json value = json::parse(text, is_kept, /*allow_exceptions=*/false);
  if (is_too_deep || value.is_discarded()) return std::nullopt;
  return value;
}

}  // namespace gcnjit::cli
