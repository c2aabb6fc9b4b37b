#include "runtime/disk_cache/trim_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gcnjit::runtime {
namespace {

// A writer is done after this many seconds, or dead.
constexpr time_t kLongestWrite = 3600;

struct Entry {
  std::string name;
  timespec used;
  uint64_t bytes;
};

struct Close {
  void operator()(DIR* listing) const { ::closedir(listing); }
};

}  // namespace

uint64_t TrimFolder(int folder, uint64_t max_bytes) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return 0;
  const std::unique_ptr<DIR, Close> listing(::fdopendir(again));
  if (listing == nullptr) {
    ::close(again);
    return 0;
  }
  const time_t now = ::time(nullptr);
  std::vector<Entry> entries;
  uint64_t bytes = 0;
  while (const dirent* const found = ::readdir(listing.get())) {
    const std::string_view name = found->d_name;
    const bool is_unfinished = name.ends_with(kUnfinishedSuffix);
    struct stat status = {};
    if ((!is_unfinished && !name.ends_with(kEntrySuffix)) ||
        ::fstatat(folder, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
      continue;
    }
    if (is_unfinished) {
      if (now - status.st_mtime > kLongestWrite) ::unlinkat(folder, found->d_name, 0);
      continue;
    }
    entries.push_back(
        {std::string(name), status.st_mtim, BytesOnDisk(static_cast<uint64_t>(status.st_size))});
    bytes += entries.back().bytes;
  }
  if (bytes <= max_bytes) return bytes;
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                          : a.used.tv_nsec < b.used.tv_nsec;
  });
  // Room for more than the next entry, so that not every write has to look at all files.
  const uint64_t wanted = max_bytes / 4 * 3;
  for (const Entry& entry : entries) {
    if (bytes <= wanted) break;
    if (::unlinkat(folder, entry.name.c_str(), 0) == 0) bytes -= entry.bytes;
  }
  return bytes;
}

}  // namespace gcnjit::runtime
