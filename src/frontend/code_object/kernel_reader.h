// Brings together what a code object says of its kernels: metadata, descriptors and code.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/code_object.h"
#include "frontend/code_object/load_budget.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

// A note record's description.
struct Note {
  Bytes bytes;
  uint64_t offset = 0;  // in the file
};

// Addresses of kernel descriptors by symbol ("name.kd", for v2 "name"), in the order of these.
using DescriptorTable = std::vector<std::pair<std::string_view, uint64_t>>;

inline constexpr std::string_view kDescriptorSuffix = ".kd";

// `object` has its target, version and segments. The kernels of all notes together: where many
// object files were linked, each has left its own. What has a descriptor but is in no note, as in
// hand-written assembly, is a kernel whose arguments are unknown.
Result<std::vector<Kernel>> ReadKernels(const CodeObject& object,
                                        const DescriptorTable& descriptors,
                                        std::span<const Note> metadata, LoadBudget& budget);

}  // namespace gcnjit::frontend
