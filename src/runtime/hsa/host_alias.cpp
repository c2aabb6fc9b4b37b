#include "runtime/hsa/host_alias.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace gcnjit::hsa {
namespace {

constexpr uint64_t kPageBytes = 4096;

void* Pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

// Puts shared pages with the same contents in place of [begin, begin + bytes) and maps them
// elsewhere, too; MAP_FAILED with errno: the host does not let us.
void* MakeShared(uint64_t begin, uint64_t bytes) {
  const int file = memfd_create("gcnjit locked memory", MFD_CLOEXEC);
  if (file < 0) return MAP_FAILED;
  void* alias = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    alias = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (alias != MAP_FAILED) {
    std::memcpy(alias, Pointer(begin), bytes);
    if (mmap(Pointer(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
        MAP_FAILED) {
      munmap(alias, bytes);
      alias = MAP_FAILED;
    }
  }
  const int error = errno;
  close(file);
  errno = error;
  return alias;
}

// Is all of it readable? msync does not tell; a pipe's write does, without a signal.
bool IsReadable(uint64_t begin, uint64_t bytes) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  bool readable = true;
  for (uint64_t page = begin; readable && page < begin + bytes; page += kPageBytes) {
    char byte;
    readable = write(ends[1], Pointer(page), 1) == 1 && read(ends[0], &byte, 1) == 1;
  }
  close(ends[0]);
  close(ends[1]);
  return readable;
}

}  // namespace

Result<HostAlias> HostAlias::Create(uint64_t address, uint64_t bytes) {
  const uint64_t begin = address / kPageBytes * kPageBytes;
  const uint64_t offset = address - begin;
  const uint64_t pages = (offset + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (pages < bytes || begin + pages < begin || !IsReadable(begin, pages)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} bytes at {:#x} are not memory of this process", bytes, address)};
  }
  // Pages that are shared already, by an earlier alias or by the host program, need no copy.
  void* alias = mremap(Pointer(begin), 0, pages, MREMAP_MAYMOVE);
  int error = 0;
  if (alias == MAP_FAILED) {
    // By another thread: if the pages are our stack, nobody writes to them while we wait for it.
    std::thread([&] {
      alias = MakeShared(begin, pages);
      error = errno;
    }).join();
  }
  if (alias == MAP_FAILED) {
    return Error{ErrorCode::kOutOfResources,
                 fmt::format("cannot map {} bytes at {:#x} a second time: {}", bytes, address,
                             std::strerror(error))};
  }
  return HostAlias(reinterpret_cast<uint64_t>(alias), pages, offset);
}

HostAlias::HostAlias(HostAlias&& other) noexcept
    : begin_(std::exchange(other.begin_, 0)), pages_(other.pages_), offset_(other.offset_) {}

HostAlias& HostAlias::operator=(HostAlias&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(pages_, other.pages_);
  std::swap(offset_, other.offset_);
  return *this;
}

HostAlias::~HostAlias() {
  if (begin_ != 0) munmap(Pointer(begin_), pages_);
}

}  // namespace gcnjit::hsa
