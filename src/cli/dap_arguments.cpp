#include "cli/dap_arguments.h"

#include <fmt/format.h>

namespace gcnjit::cli {

using nlohmann::json;

namespace {

[[noreturn]] void Fail(const std::string& name, const std::string& wanted, const json& value) {
  constexpr size_t kMostShown = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  throw WrongArgument{fmt::format("'{}' is to be {}, not {}", name, wanted, text)};
}

// Null: it is not there.
const json* Find(const json& arguments, const std::string& name, bool has_usual) {
  const auto found = arguments.find(name);
  if (found != arguments.end()) return &*found;
  if (!has_usual) throw WrongArgument{fmt::format("'{}' is missing", name)};
  return nullptr;
}

}  // namespace

std::string ToText(const json& value, const std::string& name) {
  if (!value.is_string()) Fail(name, "text", value);
  return value.get<std::string>();
}

uint64_t ToNumber(const json& value, const std::string& name, uint64_t most) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most) {
    Fail(name, fmt::format("a whole number from 0 to {}", most), value);
  }
  return value.get<uint64_t>();
}

int64_t ToSignedNumber(const json& value, const std::string& name) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const bool is_too_large = value.is_number_unsigned() && value.get<uint64_t>() > kMost;
  if (!value.is_number_integer() || is_too_large) Fail(name, "a whole number of 64 bits", value);
  return value.get<int64_t>();
}

std::string TextIn(const json& arguments, const std::string& name,
                   const std::optional<std::string>& usual) {
  const json* const value = Find(arguments, name, usual.has_value());
  return value == nullptr ? *usual : ToText(*value, name);
}

bool FlagIn(const json& arguments, const std::string& name, bool usual) {
  const json* const value = Find(arguments, name, true);
  if (value == nullptr) return usual;
  if (!value->is_boolean()) Fail(name, "true or false", *value);
  return value->get<bool>();
}

json ListIn(const json& arguments, const std::string& name, const json& usual) {
  const json* const value = Find(arguments, name, !usual.is_null());
  if (value == nullptr) return usual;
  if (!value->is_array()) Fail(name, "a list", *value);
  return *value;
}

json ObjectIn(const json& arguments, const std::string& name, const json& usual) {
  const json* const value = Find(arguments, name, !usual.is_null());
  if (value == nullptr) return usual;
  if (!value->is_object()) Fail(name, "an object", *value);
  return *value;
}

}  // namespace gcnjit::cli
