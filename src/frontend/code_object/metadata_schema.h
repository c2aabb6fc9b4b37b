// From a metadata document, as a JSON value, to kernels. Both formats end here: they differ in the
// spelling of their keys and in a few words.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "frontend/code_object/metadata.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

enum class MetadataFormat {
  kV2,      // "Kernels", "CodeProps", "GlobalBuffer"; no argument offsets; numbers are text
  kV3OrUp,  // "amdhsa.kernels", ".kernarg_segment_size", "global_buffer"
};

Result<std::vector<KernelMetadata>> KernelsOfMetadata(const nlohmann::json& document,
                                                      MetadataFormat format, uint64_t offset);

}  // namespace gcnjit::frontend
