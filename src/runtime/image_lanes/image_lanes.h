// Image loads, stores and samples of all lanes of a wave at once: what waves in compiled code have
// instead of the interpreter's functions, and the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/image_lanes/image_plan.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::runtime {

// Of one launch: remembers what instructions did with which descriptors.
class ImageLanes {
 public:
  // Executes the MIMG instruction at the wave's PC, and goes on to the next. MXCSR must round to
  // nearest and keep denormals. False: nothing has been done, and the interpreter has to do it: it
  // is of a kind, or the image of a format, that is not done here, or it has a fault.
  bool Run(Wave& w, const CodeSlot& slot);

 private:
  struct Known {
    uint64_t pc = ~uint64_t{0};
    uint32_t resource[8] = {};
    uint32_t sampler[4] = {};
    bool is_planned = false;
    uint64_t epoch = ~uint64_t{0};  // GuestMemory::epoch when the texels were accessible
    ImagePlan plan;
  };
  Known& KnownAt(const Wave& w, const Instruction& i);

  static constexpr size_t kMostKnown = 64;
  std::vector<Known> known_;  // by PC; empty before the first image
};

}  // namespace gcnjit::runtime
