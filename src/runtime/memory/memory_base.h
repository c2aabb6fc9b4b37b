// Where guest memory lies, for programs that need it at the addresses of another process.
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

// From now on GuestMemory::Reserve, in this process, gives ranges that begin there, or fails; 0:
// anywhere. State that was recorded elsewhere holds guest addresses, which are host addresses.
void SetGuestMemoryBase(uint64_t base);

}  // namespace gcnjit::runtime
