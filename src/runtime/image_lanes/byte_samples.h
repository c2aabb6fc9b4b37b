// Samples of the most common images, those of four bytes UNORM without a border: eight lanes at a
// time from addresses to registers.
#pragma once

#include "runtime/image_lanes/lane_sampling.h"

namespace gcnjit::runtime {

bool HasBytes(const ImagePlan& plan);

// MXCSR must round to nearest.
void SampleBytes(Wave& w, const Instruction& i, const ImagePlan& plan, const SampleLanes& lanes);

}  // namespace gcnjit::runtime
