// What a process and its confined child say to each other: a header and a body, either way.
#pragma once

#include <cstdint>

namespace gcnjit::confined {

enum class RequestKind : uint64_t {
  kObject,     // an ELF file; the answer is empty
  kAddresses,  // 8 bytes each; the answer has frames, see frames.h
  kNames,      // one a line; the answer: what they are in C++, one a line
};

struct RequestHeader {
  RequestKind kind = RequestKind::kObject;
  uint64_t bytes = 0;  // of the body
};

inline constexpr uint64_t kMostAnswer = 1 << 20;  // bytes
inline constexpr uint64_t kMostBody = 256 << 20;  // bytes
inline constexpr uint64_t kMostAddresses = 64;    // of one request

}  // namespace gcnjit::confined
