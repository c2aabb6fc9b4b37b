// Runs kernels of a code object in one engine of gcnjit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source_fuzz/memory_image.h"
#include "source_fuzz/program.h"

namespace gcnjit::source_fuzz {

// "interp", "avx2", "avx512": those that this host has.
std::vector<std::string> Engines();

struct DeviceResult {
  Buffers buffers;
  std::string error;  // a fault, a time-out or a refusal; else empty
};

// One for each kernel.
std::vector<DeviceResult> RunOnDevice(const std::string& code_object,
                                      const std::vector<Kernel>& kernels,
                                      const std::string& engine);

}  // namespace gcnjit::source_fuzz
