// A device: guest memory that kernels can reach and, unless told otherwise, nothing else of the
// host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "gcnjit/error.h"
#include "gcnjit/export.h"

namespace gcnjit {

namespace runtime {
class GuestMemory;
}

// What kernels can reach.
enum class MemoryMode {
  // The device's allocations. Anything else is a fault, whatever the kernel does.
  kContained,
  // All memory of the process too, at its own address and with the process's own rights, as on a
  // device that shares the host's page tables: for programs that pass pointers into their heap,
  // stack or mapped files. A kernel is then trusted like any other code of the process. Installs
  // handlers of SIGSEGV and SIGBUS (runtime/memory/signal_guard.h) for as long as the device lives,
  // so that memory which the program unmaps while a kernel runs is a fault of the kernel.
  kShared,
};

// Guest addresses are host addresses: the host may use Data() directly. The allocations lie in one
// reserved range, and a kernel's access to any other part of it is a fault. Copies share; the
// memory goes with the last of them and of the device's Programs.
class Device {
 public:
  GCNJIT_API static Result<Device> Create(MemoryMode mode = MemoryMode::kContained);

  // A move is a copy: none is ever empty.
  Device(const Device&) = default;
  Device& operator=(const Device&) = default;

  // Allocates zeroed guest memory. Sizes are rounded up to 4 KiB pages, as on the GPU; accesses
  // beyond the last page fault. The address is 4 KiB aligned. bytes = 0 gives one page.
  GCNJIT_API Result<uint64_t> Allocate(uint64_t bytes);
  // May be called while kernels run, from any thread: it returns at once. A kernel that goes on
  // using the memory gets a fault, perhaps not before its waves' next turns (some 65,000
  // instructions); until then it finds the old contents. The host's views end with the call.
  GCNJIT_API Result<void> Free(uint64_t address);

  // Freed addresses are not given out again before so many bytes more (with what lies between
  // allocations) have been freed: for LaunchConfig::check, which can tell then that memory was
  // freed. 0, as at first: they may be at once.
  GCNJIT_API void SetQuarantine(uint64_t bytes);

  // Host view of guest memory; empty if [address, address + bytes) is not one live allocation, or
  // any of it lies in a page with code of a Program: that never changes.
  GCNJIT_API std::span<std::byte> Data(uint64_t address, uint64_t bytes);

  const std::shared_ptr<runtime::GuestMemory>& memory() const { return memory_; }

 private:
  explicit Device(std::shared_ptr<runtime::GuestMemory> memory) : memory_(std::move(memory)) {}
  std::shared_ptr<runtime::GuestMemory> memory_;
};

}  // namespace gcnjit
