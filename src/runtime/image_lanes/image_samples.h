// IMAGE_SAMPLE in its forms, of all lanes.
#pragma once

#include "runtime/image_lanes/image_plan.h"

namespace gcnjit::runtime {

// MXCSR must round to nearest and keep denormals.
void SampleImage(Wave& w, const Instruction& i, const ImagePlan& plan);

}  // namespace gcnjit::runtime
