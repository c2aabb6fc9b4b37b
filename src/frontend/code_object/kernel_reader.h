// Brings together what a code object says of its kernels: metadata, descriptors and code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/code_object.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

// A note record's description.
struct Note {
  Bytes bytes;
  uint64_t offset = 0;  // in the file
};

// Addresses of kernel descriptors by symbol: "name.kd", for v2 "name".
using DescriptorTable = std::map<std::string, uint64_t, std::less<>>;

inline constexpr std::string_view kDescriptorSuffix = ".kd";

// `object` has its target, version and segments. Without metadata (hand-written assembly may lack
// it) a kernel is what has a descriptor, and its arguments are unknown.
Result<std::vector<Kernel>> ReadKernels(const CodeObject& object,
                                        const DescriptorTable& descriptors,
                                        const std::optional<Note>& metadata);

}  // namespace gcnjit::frontend
