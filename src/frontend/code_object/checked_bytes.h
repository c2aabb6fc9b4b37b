// Reads from untrusted bytes: every access is checked against the span, overflow included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gcnjit/error.h"

namespace gcnjit::frontend {

using Bytes = std::span<const std::byte>;

inline std::optional<Bytes> Slice(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

// A little-endian value or structure (the host is x86-64), at any alignment.
template <typename T>
std::optional<T> Read(Bytes bytes, uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::optional<Bytes> slice = Slice(bytes, offset, sizeof(T));
  if (!slice) return std::nullopt;
  T value;
  std::memcpy(&value, slice->data(), sizeof(T));
  return value;
}

inline Error InvalidCodeObject(std::string message) {
  return {ErrorCode::kInvalidCodeObject, std::move(message)};
}

inline std::string_view AsText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace gcnjit::frontend
