// Fields of reports; 0 where one is missing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace gcnjit::report {

inline double NumberOf(const nlohmann::json& object, const char* key) {
  return object.value(key, 0.0);
}
inline uint64_t CountOf(const nlohmann::json& object, const char* key) {
  return object.value(key, uint64_t{0});
}

}  // namespace gcnjit::report
