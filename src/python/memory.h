// Guest memory that Python owns, or that something which it owns has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gcnjit/device.h"

namespace gcnjit::python {

// Bytes of a device's memory for the buffer protocol: NumPy's arrays on it are the kernel's memory.
class Memory {
 public:
  // Zeros, freed when this goes.
  static std::unique_ptr<Memory> Allocate(const Device& device, uint64_t bytes);
  // Of a program's variable; `owner` stays as long as this.
  static std::unique_ptr<Memory> View(std::shared_ptr<void> owner, uint64_t address,
                                      uint64_t bytes);

  uint64_t address() const { return address_; }
  uint64_t bytes() const { return bytes_; }

 private:
  Memory(std::shared_ptr<void> owner, uint64_t address, uint64_t bytes);

  std::shared_ptr<void> owner_;
  uint64_t address_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace gcnjit::python
