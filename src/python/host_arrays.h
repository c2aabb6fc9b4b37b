// The memory arguments of a launch: what a kernel can reach is given as it is, the host's arrays
// are copied to the device and back.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/error.h"

namespace gcnjit::python {

class HostArrays {
 public:
  // `shared`: kernels on the device reach all memory of the process.
  HostArrays(const Device& device, bool shared) : device_(device), shared_(shared) {}
  ~HostArrays();
  HostArrays(const HostArrays&) = delete;
  HostArrays& operator=(const HostArrays&) = delete;

  // An object with the buffer protocol, which cannot change its size from here on. With the GIL.
  void Add(pybind11::handle object);

  // Gives the device copies of what it cannot reach. Arrays that overlap do so there, too.
  Result<void> CopyIn();
  // The address on the device of the n-th array that was added; after CopyIn().
  uint64_t AddressOf(size_t n) const { return views_[n].address; }
  // What was copied, and may be written, is written back.
  void CopyOut();

 private:
  struct Release {
    void operator()(Py_buffer* buffer) const;
  };
  struct View {
    std::unique_ptr<Py_buffer, Release> buffer;
    uint64_t address = 0;
    bool is_copy = false;
    uint64_t begin() const { return reinterpret_cast<uint64_t>(buffer->buf); }
    uint64_t end() const { return begin() + static_cast<uint64_t>(buffer->len); }
  };

  Result<void> CopyIn(std::vector<View*> overlapping);

  Device device_;
  const bool shared_;
  std::vector<View> views_;
  std::vector<uint64_t> allocations_;
};

}  // namespace gcnjit::python
