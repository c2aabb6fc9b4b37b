#include "gcnjit/device.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/memory/guest_memory.h"

namespace gcnjit {
namespace {

// Of what Allocate gives; all else is the library's.
constexpr const char* kCallers = "buffer";

}  // namespace

Result<Device> Device::Create(MemoryMode mode) {
  auto memory = runtime::GuestMemory::Reserve(mode);
  if (!memory) return memory.error();
  return Device(std::move(*memory));
}

Result<uint64_t> Device::Allocate(uint64_t bytes) { return memory_->Allocate(bytes, kCallers); }

Result<void> Device::Free(uint64_t address) {
  if (memory_->Nearest(address).has_code && memory_->InOneAllocation(address, 1)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{:#x} is code, which goes away with its Program", address)};
  }
  return memory_->Free(address, kCallers);
}

std::span<std::byte> Device::Data(uint64_t address, uint64_t bytes) {
  if (!memory_->InOneAllocation(address, bytes) || memory_->HasCode(address, bytes)) return {};
  return {reinterpret_cast<std::byte*>(address), bytes};
}

void Device::SetQuarantine(uint64_t bytes) { memory_->SetQuarantine(bytes); }

}  // namespace gcnjit
