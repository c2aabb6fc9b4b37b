#include "runtime/memory/shared_pages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/host/file_size_signal.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
// Set where the host wants no executable files in memory (vm.memfd_noexec); headers may lack it.
constexpr int kSealExec = 0x20;
constexpr std::string_view kPrefix = "gcnjit ";

Error Refused(uint64_t bytes) {
  return {ErrorCode::kOutOfResources,
          fmt::format("the host refused {} bytes of shared memory ({}); limits: ulimit -n, -f",
                      bytes, std::strerror(errno))};
}

// What the file was given for a name when it was made; empty: not by Create.
std::string NameOf(int file) {
  std::array<char, 512> text;
  const ssize_t length =
      readlink(fmt::format("/proc/self/fd/{}", file).c_str(), text.data(), text.size());
  if (length <= 0) return {};
  std::string_view name(text.data(), static_cast<size_t>(length));
  constexpr std::string_view kBefore = "/memfd:", kAfter = " (deleted)";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return {};
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kAfter.size());
  if (!name.starts_with(kPrefix)) return {};
  return std::string(name.substr(kPrefix.size()));
}

}  // namespace

Result<std::shared_ptr<const SharedPages>> SharedPages::Create(
    uint64_t bytes, const std::string& name, std::shared_ptr<std::atomic<uint64_t>> counter) {
  std::shared_ptr<SharedPages> pages(new SharedPages);
  pages->name_ = name;
  pages->file_ =
      memfd_create((std::string(kPrefix) + name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (pages->file_ < 0) return Refused(bytes);
  bool is_made = false;
  {
    const FileSizeSignalBlock no_signal;
    is_made = bytes <= INT64_MAX && ftruncate(pages->file_, static_cast<off_t>(bytes)) == 0;
  }
  struct stat info = {};
  if (!is_made || fcntl(pages->file_, F_ADD_SEALS, kSeals) != 0 ||
      fstat(pages->file_, &info) != 0) {
    return Refused(bytes);
  }
  pages->bytes_ = bytes;
  pages->device_ = info.st_dev;
  pages->inode_ = info.st_ino;
  pages->counter_ = std::move(counter);
  if (pages->counter_ != nullptr) pages->counter_->fetch_add(bytes);
  return std::shared_ptr<const SharedPages>(std::move(pages));
}

Result<std::shared_ptr<const SharedPages>> SharedPages::Import(int file) {
  struct stat info = {};
  const std::string name = fstat(file, &info) == 0 ? NameOf(file) : "";
  const auto bytes = static_cast<uint64_t>(info.st_size);
  // Without the seals an access to pages that another process has cut off would end this one.
  if (name.empty() || bytes == 0 || bytes % kPageBytes != 0 ||
      (fcntl(file, F_GET_SEALS) & ~kSealExec) != kSeals) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("file descriptor {} is not one of shared memory of gcnjit", file)};
  }
  std::shared_ptr<SharedPages> pages(new SharedPages);
  pages->file_ = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (pages->file_ < 0) return Refused(bytes);
  pages->bytes_ = bytes;
  pages->name_ = name;
  pages->device_ = info.st_dev;
  pages->inode_ = info.st_ino;
  return std::shared_ptr<const SharedPages>(std::move(pages));
}

SharedPages::~SharedPages() {
  if (file_ >= 0) close(file_);
  if (counter_ != nullptr) counter_->fetch_sub(bytes_);
}

Result<int> SharedPages::Export() const {
  const int file = fcntl(file_, F_DUPFD_CLOEXEC, 0);
  if (file < 0) return Refused(bytes_);
  return file;
}

}  // namespace gcnjit::runtime
