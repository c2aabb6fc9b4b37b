#include "cli/host_needs.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdint>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::cli {
namespace {

struct Need {
  decltype(RLIMIT_AS) limit;
  const char* what;
  const char* command;
  uint64_t least;  // bytes, or files
  const char* why;
};

// Found by trying, with room to spare: libamdhip64 5.2 of Debian 12 compiles kernels of its own
// with LLVM when it is first used, and writes headers of 2.7 MB for that.
constexpr Need kNeeds[] = {
    {RLIMIT_AS, "address space", "ulimit -v", runtime::GuestMemory::kRangeBytes + (1 << 30),
     "bytes: guest memory, and HIP's compiler"},
    {RLIMIT_STACK, "stack", "ulimit -s", 256 << 10, "bytes: HIP's compiler"},
    {RLIMIT_FSIZE, "size of files", "ulimit -f", 4 << 20,
     "bytes: HIP's compiler has its headers in files"},
    {RLIMIT_NOFILE, "number of open files", "ulimit -n", 16, "files"},
};

}  // namespace

Result<void> CheckHostNeeds() {
  for (const Need& need : kNeeds) {
    rlimit limit = {};
    if (::getrlimit(need.limit, &limit) != 0 || limit.rlim_cur >= need.least) continue;
    return Error{ErrorCode::kOutOfResources,
                 fmt::format("the limit of the {} is {}, and HIP programs need {} {}; see '{}'",
                             need.what, limit.rlim_cur, need.least, need.why, need.command)};
  }
  return {};
}

}  // namespace gcnjit::cli
