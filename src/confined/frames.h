// Frames of addresses as text: a line for each frame, "LINE<tab>FILE<tab>FUNCTION", and an empty
// line after those of an address.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/source.h"

namespace gcnjit::confined {

inline constexpr size_t kMostFrames = 32;  // of one address

std::string WriteFrames(const SourceFrames& frames);
// Of `count` addresses. The text may be anything: what is no frame is left out.
std::vector<SourceFrames> ReadFrames(std::string_view text, size_t count);

}  // namespace gcnjit::confined
