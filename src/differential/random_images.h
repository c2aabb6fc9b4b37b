// The image and the sampler that generated programs use.
#pragma once

#include "differential/machine.h"
#include "differential/random.h"
#include "isa/generation.h"

namespace gcnjit::differential {

// Into kImage and kSampler (registers.h): a linear image in the data, mostly all of it, of any type
// and format, and a sampler that goes with it. Into kDepthImage: as kImage, but its format is 32
// FLOAT and it is no volume. The sweep has cubes and levels, which most samples refuse, more often.
void PutRandomImage(const Machine& machine, frontend::Generation generation, Random& random,
                    bool is_sweep, runtime::WaveState& wave);

}  // namespace gcnjit::differential
