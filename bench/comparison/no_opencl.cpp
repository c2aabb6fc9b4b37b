// Instead of opencl.cpp where there is no OpenCL to compile against.
#include <stdexcept>

#include "comparison/rivals.h"

namespace gcnjit::bench {

std::unique_ptr<Rival> MakeOpenClRival(Device&, const std::string&) {
  throw std::runtime_error(
      "built without OpenCL: install opencl-headers and ocl-icd-opencl-dev and configure again, or "
      "leave pocl out of --engines");
}

}  // namespace gcnjit::bench
