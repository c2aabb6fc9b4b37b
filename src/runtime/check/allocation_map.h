// Which allocation an address belongs to, and how to say that to a person.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime::check {

class AllocationMap {
 public:
  explicit AllocationMap(const GuestMemory& memory) : memory_(memory) {}

  // Calls the allocation that starts there by another name, such as "arg 0 'out'".
  void Name(uint64_t address, std::string name);

  // The bytes [begin, end) of the live allocation around the address, to the byte; begin == end:
  // there is none.
  GuestMemory::Span Around(uint64_t address);

  // "4 bytes past the end of the 1,024-byte allocation 'arg 0' at 0x...".
  std::string Describe(uint64_t address) const;

 private:
  const GuestMemory& memory_;
  std::map<uint64_t, std::string> names_;
  // What was found lately; allocations come and go.
  uint64_t epoch_ = 0;
  std::array<GuestMemory::Span, 8> recent_ = {};
  size_t next_ = 0;
};

}  // namespace gcnjit::runtime::check
