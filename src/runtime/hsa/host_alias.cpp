#include "runtime/hsa/host_alias.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/host/host_thread.h"
#include "runtime/memory/guarded_access.h"
#include "runtime/memory/host_mappings.h"

namespace gcnjit::hsa {
namespace {

constexpr uint64_t kPageBytes = 4096;

void* Pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

// Pages that are mapped alike.
struct Piece {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  bool shared = false;
  bool writable = false;
};

// Of [begin, end), ascending, without what is not mapped; empty: the process's mappings cannot be
// read.
std::vector<Piece> PiecesOf(uint64_t begin, uint64_t end) {
  std::vector<Piece> pieces;
  const bool is_read = runtime::ForEachHostMapping([&](const runtime::HostMapping& mapping) {
    const uint64_t first = std::max(begin, mapping.begin);
    const uint64_t last = std::min(end, mapping.end);
    if (first >= last) return;
    pieces.push_back({first, last - first, mapping.shared, mapping.writable});
  });
  if (!is_read) pieces.clear();
  return pieces;
}

// Maps shared pages at another place, too.
bool MapAgain(void* pages, uint64_t bytes, void* at) {
  return mremap(pages, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED;
}

// Puts shared pages with the same contents in place of private ones and maps them at `alias`, too.
// They are no file: limits of its size, RLIMIT_FSIZE, are not for memory. False, with errno: the
// host does not let us.
bool MakeShared(const Piece& piece, void* alias) {
  constexpr int kReadWrite = PROT_READ | PROT_WRITE;
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(alias, piece.bytes, kReadWrite, kFlags, -1, 0) == MAP_FAILED) return false;
  void* const begin = Pointer(piece.begin);
  errno = EFAULT;
  // Whole pages, also what lies between the host program's allocations there.
  return runtime::GuardedCopy(alias, begin, piece.bytes) && MapAgain(alias, piece.bytes, begin) &&
         (piece.writable || mprotect(begin, piece.bytes, PROT_READ) == 0);
}

// Maps [begin, begin + bytes), which consists of these pieces, at `alias`. 0, or why not, of errno.
int MapPieces(const std::vector<Piece>& pieces, uint64_t begin, uint64_t bytes, uint64_t alias) {
  uint64_t at = begin;
  for (const Piece& piece : pieces) {
    if (piece.begin != at) return EFAULT;
    void* const to = Pointer(alias + (at - begin));
    // Pages that are shared already, by an earlier alias or by the host program, need no copy, and
    // must not get one: the earlier alias may still be in use.
    const bool is_mapped =
        piece.shared ? MapAgain(Pointer(piece.begin), piece.bytes, to) : MakeShared(piece, to);
    if (!is_mapped) return errno;
    at += piece.bytes;
  }
  return at == begin + bytes ? 0 : EFAULT;
}

// Is all of it readable? msync does not tell; a pipe's write does, without a signal. The system
// call itself: sanitizers look at what the function is given, and would not let it be tried.
bool IsReadable(uint64_t begin, uint64_t bytes) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  bool readable = true;
  for (uint64_t page = begin; readable && page < begin + bytes; page += kPageBytes) {
    char byte;
    readable =
        syscall(SYS_write, ends[1], Pointer(page), size_t{1}) == 1 && read(ends[0], &byte, 1) == 1;
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
  // Room for it, so that what is mapped in several ways can be put together.
  void* const room = mmap(nullptr, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int error = room == MAP_FAILED ? errno : 0;
  HostAlias alias;
  if (room != MAP_FAILED) {
    alias = HostAlias(reinterpret_cast<uint64_t>(room), pages, offset);
    const std::vector<Piece> pieces = PiecesOf(begin, begin + pages);
    // By another thread: if the pages are our stack, they do not change while we wait for it.
    auto thread =
        runtime::HostThread::Start([&] { error = MapPieces(pieces, begin, pages, alias.begin_); });
    if (!thread) return thread.error();
  }
  if (error != 0) {
    return Error{ErrorCode::kOutOfResources,
                 fmt::format("cannot map {} bytes at {:#x} a second time: {}", bytes, address,
                             std::strerror(error))};
  }
  return alias;
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
