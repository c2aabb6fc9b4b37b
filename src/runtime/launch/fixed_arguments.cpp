#include "runtime/launch/fixed_arguments.h"

#include <algorithm>

namespace gcnjit::runtime {

uint32_t FixedArgumentBytes(const GuestMemory& memory, uint64_t address, uint32_t bytes) {
  constexpr uint32_t kPiece = 64;  // of GuestMemory::Readable
  for (uint32_t at = 0; at < bytes; at += kPiece) {
    if (!memory.Readable(address + at, std::min(kPiece, bytes - at))) return 0;
  }
  return bytes;
}

}  // namespace gcnjit::runtime
