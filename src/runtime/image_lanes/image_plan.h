// What an image instruction does with one descriptor, once it is known that all of its lanes can be
// done together.
#pragma once

#include <cstdint>

#include "runtime/image/image_sampler.h"
#include "runtime/image/texel.h"
#include "runtime/interpreter/image_operation.h"

namespace gcnjit::runtime {

struct ImagePlan {
  ImageOperation operation;
  // Bytes from a texel to the next one along an axis; the last is also that of layers.
  uint32_t strides[3] = {};
  uint64_t begin = 0;  // of all texels
  uint64_t end = 0;
  bool is_linear = false;
  bool has_border = false;
  StoredComponents stored;
};

// False: the interpreter has to do the instruction, or to say why not.
bool MakeImagePlan(const Wave& w, const Instruction& i, ImagePlan* plan);

}  // namespace gcnjit::runtime
