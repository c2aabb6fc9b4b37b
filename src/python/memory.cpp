#include "python/memory.h"

#include <utility>

#include "python/raise.h"

namespace gcnjit::python {

Memory::Memory(std::shared_ptr<void> owner, uint64_t address, uint64_t bytes)
    : owner_(std::move(owner)), address_(address), bytes_(bytes) {}

std::unique_ptr<Memory> Memory::Allocate(const Device& device, uint64_t bytes) {
  Device shared = device;
  const uint64_t address = ValueOf(shared.Allocate(bytes), "Error");
  // The device stays until its memory has been freed.
  std::shared_ptr<void> owner(nullptr, [shared, address](void*) mutable {
    (void)shared.Free(address);  // cannot fail: this is the one place that frees it
  });
  return std::unique_ptr<Memory>(new Memory(std::move(owner), address, bytes));
}

std::unique_ptr<Memory> Memory::View(std::shared_ptr<void> owner, uint64_t address,
                                     uint64_t bytes) {
  return std::unique_ptr<Memory>(new Memory(std::move(owner), address, bytes));
}

}  // namespace gcnjit::python
