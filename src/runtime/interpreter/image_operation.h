// An image instruction with its descriptors: where its address is in the VGPRs, and which texels
// its lanes access.
#pragma once

#include <bit>
#include <string>

#include "isa/image_operands.h"
#include "runtime/image/footprint.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

struct ImageOperation {
  frontend::ImageForm form;
  ImageResource resource;
  ImageSampler sampler;
  int address_registers = 0;
  bool has_layer = false;   // a coordinate after those of the axes
  bool has_halves = false;  // A16
  // Before gfx9 IMAGE_GATHER4 takes integers from the nearest texel on, half a texel further. Mesa
  // (lower_gather4_integer) and LLPC (preprocessIntegerImageGather) move the coordinates back.
  bool gathers_nearest = false;
  int offset = -1;     // number of its VGPR; -1: the form has none
  int reference = -1;  // likewise, of a depth comparison
  int first_coordinate = 0;
  int last = -1;  // a level or clamp: its component

  // Component n of the address, from the first coordinate on: a float of those with a sampler.
  uint32_t Component(const Wave& w, int n, int lane) const;
  // What a depth comparison compares with.
  float Reference(const Wave& w, int lane) const {
    return std::bit_cast<float>(w.state.vgpr[reference][lane]);
  }
  // Of a load, store or atomic. False: the lane's coordinates, or its level, are outside.
  bool LocateTexel(const Wave& w, int lane, uint64_t* address) const;
  // Does the lane name a face that a cube has?
  bool HasFace(const Wave& w, int lane) const;
  // Of a sample or gather. MXCSR must round to nearest.
  Footprint FootprintOf(const Wave& w, int lane) const;
};

// "", or why the instruction can't be executed.
std::string DecodeImageOperation(const Wave& w, const Instruction& i,
                                 const frontend::ImageForm& form, ImageOperation* operation);

// The same for execution: false after raising a fault.
bool PrepareImageOperation(Wave& w, const Instruction& i, const frontend::ImageForm& form,
                           ImageOperation* operation);

template <frontend::Opcode kOpcode>
const frontend::ImageForm& ImageFormFor() {
  static const frontend::ImageForm form = frontend::ImageFormOf(frontend::RowOf(kOpcode));
  return form;
}

}  // namespace gcnjit::runtime
