// Runs kernels that were compiled for the host: a work-item is a fiber, which gives way at
// barriers.
#pragma once

#include <string>

#include "source_fuzz/memory_image.h"
#include "source_fuzz/program.h"

namespace gcnjit::source_fuzz {

class HostLibrary {
 public:
  explicit HostLibrary(const std::string& path);
  ~HostLibrary();
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  bool ok() const { return handle_ != nullptr; }
  // The buffers after all groups have run, in ascending order.
  Buffers Run(const Kernel& kernel) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace gcnjit::source_fuzz
