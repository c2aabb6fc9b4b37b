// Short names of the generations for tables of words.
#pragma once

#include "isa/generation.h"

namespace gcnjit::frontend {

inline constexpr Generation k6 = Generation::kGfx6, k7 = Generation::kGfx7, k8 = Generation::kGfx8,
                            k9 = Generation::kGfx900, k906 = Generation::kGfx906,
                            k908 = Generation::kGfx908;

}  // namespace gcnjit::frontend
