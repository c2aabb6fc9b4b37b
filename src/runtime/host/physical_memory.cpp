#include "runtime/host/physical_memory.h"

#include <unistd.h>

namespace gcnjit::runtime {

uint64_t PhysicalBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
}

}  // namespace gcnjit::runtime
