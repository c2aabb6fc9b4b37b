// Arguments of requests: each of the type, and in the range, that is asked for.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace gcnjit::cli {

// Thrown: what is wrong, with the argument's name.
struct WrongArgument {
  std::string message;
};

// Of an object. Each throws where the argument is something else; where none is said to be usual,
// also where it is missing.
std::string TextIn(const nlohmann::json& arguments, const std::string& name,
                   const std::optional<std::string>& usual = {});
bool FlagIn(const nlohmann::json& arguments, const std::string& name, bool usual);
// `usual` null: it must be there.
nlohmann::json ListIn(const nlohmann::json& arguments, const std::string& name,
                      const nlohmann::json& usual = nullptr);
nlohmann::json ObjectIn(const nlohmann::json& arguments, const std::string& name,
                        const nlohmann::json& usual = nullptr);

// `name` is for the message.
std::string ToText(const nlohmann::json& value, const std::string& name);
uint64_t ToNumber(const nlohmann::json& value, const std::string& name, uint64_t most);
int64_t ToSignedNumber(const nlohmann::json& value, const std::string& name);

// A whole number that T has.
template <std::integral T>
T NumberIn(const nlohmann::json& arguments, const std::string& name,
           const std::optional<T>& usual = {}) {
  const auto found = arguments.find(name);
  if (found == arguments.end()) {
    if (usual) return *usual;
    throw WrongArgument{"'" + name + "' is missing"};
  }
  if constexpr (std::signed_integral<T>) {
    static_assert(sizeof(T) == sizeof(int64_t));
    return ToSignedNumber(*found, name);
  } else {
    return static_cast<T>(ToNumber(*found, name, std::numeric_limits<T>::max()));
  }
}

}  // namespace gcnjit::cli
