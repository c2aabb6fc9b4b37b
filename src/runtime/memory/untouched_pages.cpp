#include "runtime/memory/untouched_pages.h"

#include <fcntl.h>
#include <unistd.h>

namespace gcnjit::runtime {
namespace {

// Linux, Documentation/admin-guide/mm/pagemap.rst: 64 bits for each page.
constexpr uint64_t kPresentOrSwapped = uint64_t{3} << 62;

}  // namespace

bool IsUntouchedPage(uint64_t address) {
  // Opened anew each time: it is that of the process which has opened it.
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  uint64_t entry = kPresentOrSwapped;
  const auto at = static_cast<off_t>(address / static_cast<uint64_t>(getpagesize()) * 8);
  if (pread(file, &entry, sizeof entry, at) != sizeof entry) entry = kPresentOrSwapped;
  close(file);
  return (entry & kPresentOrSwapped) == 0;
}

}  // namespace gcnjit::runtime
