// A translated region as bytes that mean the same in another process, wherever the guest's code has
// been loaded there: guest addresses are distances from the begin of the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/interpreter/code_map.h"
#include "runtime/jit/translated_region.h"

namespace gcnjit::runtime {

// Nothing: parts of it are outside of the code range that it begins in, and these may lie at
// another distance the next time.
std::optional<std::vector<std::byte>> PackRegion(const TranslatedRegion& region,
                                                 CodeMap::CodeRange range);

// Nothing if the code that the region was made from is not, word for word, the code in `range`, or
// the host has no memory for it. The bytes are not trusted to be what PackRegion has made, but if
// they pass for it, their host code is taken to be right: the cache that keeps images makes sure of
// that.
std::optional<TranslatedRegion> UnpackRegion(std::span<const std::byte> image, const CodeMap& code,
                                             CodeMap::CodeRange range);

}  // namespace gcnjit::runtime
