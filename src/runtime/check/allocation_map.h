// Which allocation an address belongs to, and how to say that to a person.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime::check {

class AllocationMap {
 public:
  explicit AllocationMap(const GuestMemory& memory) : memory_(memory) {}

  // Calls the allocation that starts there by another name, such as "arg 0 'out'".
  void Name(uint64_t address, std::string name);

  // Buffers that are arguments, after these: "arg 0 out".
  void NameBuffers(const KernelInfo& kernel, const Arguments& arguments);

  // The bytes [begin, end) of the live allocation around the address, to the byte; begin == end:
  // there is none.
  GuestMemory::Span Around(uint64_t address);

  // "4 bytes past the end of the 1,024-byte allocation 'arg 0' at 0x...".
  std::string Describe(uint64_t address) const;
  // What the allocation at the address, or the nearest one, is called, and where it starts.
  struct Named {
    std::string name;
    uint64_t begin = 0;
  };
  Named NameAt(uint64_t address) const;

 private:
  const GuestMemory& memory_;
  std::map<uint64_t, std::string> names_;
  // What was found lately; allocations come and go.
  uint64_t epoch_ = 0;
  std::array<GuestMemory::Span, 8> recent_ = {};
  size_t next_ = 0;
};

}  // namespace gcnjit::runtime::check
