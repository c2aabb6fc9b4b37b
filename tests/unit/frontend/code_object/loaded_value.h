// What lies at an address of a loaded program.
#pragma once

#include <cstdint>
#include <cstring>

namespace gcnjit {

template <typename T>
T ValueAt(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}

}  // namespace gcnjit
