// The code objects that tests/unit/CMakeLists.txt compiles, and images made from them.
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gcnjit {

inline std::vector<std::byte> ReadTestFile(const std::string& name) {
  const std::string path = std::string(GCNJIT_UNIT_DATA) + "/" + name;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot open " + path);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gcnjit
