#include "runtime/memory/guest_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>

#include "runtime/host/physical_memory.h"
#include "runtime/memory/errors.h"
#include "runtime/memory/host_memory.h"
#include "runtime/memory/memory_base.h"
#include "runtime/memory/memory_reader.h"
#include "runtime/memory/untouched_pages.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kPages = GuestMemory::kRangeBytes / GuestMemory::kPageBytes;
constexpr uint64_t kNullBytes = 64 * 1024;  // addresses this small come from a null pointer

// Pages of an allocation; bytes is at most kRangeBytes.
uint64_t PagesOf(uint64_t bytes) {
  const uint64_t mask = GuestMemory::kPageBytes - 1;
  return std::max((bytes + mask) & ~mask, GuestMemory::kPageBytes);
}

// 4096 -> "4,096", whatever the locale.
std::string Grouped(uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string InBytes(uint64_t count) {
  return fmt::format("{} {}", Grouped(count), count == 1 ? "byte" : "bytes");
}

// Columns of a matrix, say, lie in as many pages as it has rows: with small ones address
// translation misses the host's caches.
constexpr uint64_t kHugePageBytes = 2 * 1024 * 1024;

std::atomic<uint64_t> wanted_base = 0;

}  // namespace

void SetGuestMemoryBase(uint64_t base) { wanted_base = base; }

Result<std::shared_ptr<GuestMemory>> GuestMemory::Reserve(MemoryMode mode) {
  // No access and no backing: this costs address space only.
  void* const wanted = reinterpret_cast<void*>(wanted_base.load());
  void* range =
      mmap(wanted, kRangeBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range != MAP_FAILED && wanted != nullptr && range != wanted) {
    munmap(range, kRangeBytes);
    return OutOfResources(
        fmt::format("guest memory cannot begin at {}: this process has something there", wanted));
  }
  if (range == MAP_FAILED) {
    return OutOfResources(
        fmt::format("cannot reserve {} GiB of address space for guest memory ({}); "
                    "lift the limit (ulimit -v unlimited)",
                    kRangeBytes >> 30, std::strerror(errno)));
  }
  void* access = mmap(nullptr, kPages, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (access == MAP_FAILED) {
    const int error = errno;
    munmap(range, kRangeBytes);
    return OutOfResources(fmt::format("cannot map {} MiB for the page table of guest memory ({})",
                                      kPages >> 20, std::strerror(error)));
  }
  static_assert(sizeof(std::atomic<uint8_t>) == 1);
  const auto base = reinterpret_cast<uint64_t>(range);
  const auto table = reinterpret_cast<uint64_t>(access);
  std::shared_ptr<GuestMemory> memory(
      new GuestMemory(base, static_cast<std::atomic<uint8_t>*>(access)));
  if (mode == MemoryMode::kShared) {
    memory->host_ = HostMemory::Create({{base, base + kRangeBytes}, {table, table + kPages}});
    if (memory->host_ == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("cannot read /proc/self/maps ({}), which sharing the host's memory "
                               "needs; mount /proc",
                               std::strerror(errno))};
    }
  }
  return memory;
}

GuestMemory::GuestMemory(uint64_t base, std::atomic<uint8_t>* page_access)
    : base_(base), page_access_(page_access) {
  // The first guard: accesses below the first allocation must fault too.
  free_.Add(base_ + kGuardBytes, kRangeBytes - kGuardBytes);
}

GuestMemory::~GuestMemory() {
  munmap(reinterpret_cast<void*>(base_), kRangeBytes);
  munmap(page_access_, kPages);
}

void GuestMemory::SetPages(uint64_t address, uint64_t bytes, uint8_t bits) {
  const uint64_t first = (address - base_) / kPageBytes;
  for (uint64_t page = first; page < first + bytes / kPageBytes; ++page) {
    page_access_[page].store(bits, std::memory_order_release);
  }
}

Result<void> GuestMemory::CheckMemory(uint64_t pages, uint64_t bytes,
                                      const std::string& label) const {
  static const uint64_t kPhysicalBytes = std::min(PhysicalBytes(), kRangeBytes);
  // Pages are committed lazily; without this check a kernel that fills a too large buffer would
  // take the host's other processes down with it.
  const uint64_t used = mapped_bytes_ + shared_bytes_->load();
  if (pages > kPhysicalBytes || used > kPhysicalBytes - pages) {
    return OutOfResources(
        fmt::format("an allocation of {} ('{}') on top of {} exceeds this "
                    "machine's memory ({})",
                    InBytes(bytes), label, InBytes(used), InBytes(kPhysicalBytes)));
  }
  return {};
}

Result<uint64_t> GuestMemory::FindRoom(uint64_t extent, uint64_t bytes, uint64_t alignment,
                                       const std::string& label) const {
  if (const auto fits = CheckMemory(PagesOf(bytes), bytes, label); !fits) return fits.error();
  if (const uint64_t hole = free_.Find(extent, alignment); hole != 0) return hole;
  return OutOfResources(fmt::format("no room in guest memory's {} for {} ('{}')",
                                    InBytes(kRangeBytes), InBytes(bytes), label));
}

// A wish: hosts without huge pages refuse it.
void GuestMemory::WishHugePages(uint64_t begin, uint64_t end) {
  begin = (begin + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  end &= ~(kHugePageBytes - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

Result<uint64_t> GuestMemory::Allocate(uint64_t bytes, std::string label, Access access,
                                       uint64_t alignment, Pages kind, uint64_t room_bytes) {
  if (bytes > kRangeBytes) {
    return OutOfResources(fmt::format("an allocation of {} ('{}') is larger than guest memory ({})",
                                      InBytes(bytes), label, InBytes(kRangeBytes)));
  }
  const uint64_t pages = PagesOf(bytes);
  const uint64_t extent = PagesOf(std::min(std::max(room_bytes, bytes), kRangeBytes)) + kGuardBytes;
  const bool is_huge = bytes >= kHugePageBytes;
  if (is_huge) alignment = std::max(alignment, kHugePageBytes);
  std::unique_lock lock(mutex_);
  Result<uint64_t> room = FindRoom(extent, bytes, alignment, label);
  while (!room && !freed_.empty()) {
    reclaimed_.wait(lock);
    room = FindRoom(extent, bytes, alignment, label);
  }
  if (!room) return room;
  const uint64_t address = *room;
  Allocation allocation;
  allocation.address = address;
  allocation.bytes = std::max<uint64_t>(bytes, 1);
  allocation.label = std::move(label);
  allocation.extent = extent;
  const auto entered = Enter(std::move(allocation));
  if (mprotect(reinterpret_cast<void*>(address), pages, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    const Allocation refused = std::move(entered->second);
    live_.erase(entered);
    free_.Add(address, extent);
    return OutOfResources(
        fmt::format("the host refused {} for '{}' ({}); there are {} allocations "
                    "(limit: vm.max_map_count)",
                    InBytes(bytes), refused.label, std::strerror(error), live_.size()));
  }
  if (is_huge) {
    madvise(reinterpret_cast<void*>(address), pages,
            kind == Pages::kSmall ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
  }
  SetAccess(address, pages, access);
  mapped_bytes_ += pages;
  return address;
}

GuestMemory::Allocations::iterator GuestMemory::Enter(Allocation allocation) {
  MakeRoomToFree();
  const uint64_t address = allocation.address;
  const auto entered = live_.emplace(address, std::move(allocation)).first;
  try {
    free_.Take(address, entered->second.extent);
  } catch (...) {
    live_.erase(entered);
    throw;
  }
  return entered;
}

void GuestMemory::MakeRoomToFree() {
  const size_t most = live_.size() + pieces_.size() + freed_.size() + 1;
  if (freed_.capacity() < most) freed_.reserve(2 * most);
}

Result<void> GuestMemory::Extend(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || found->second.is_reserved ||
      bytes > found->second.extent - kGuardBytes) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("there is no room for {} at {:#x}", InBytes(bytes), address)};
  }
  Allocation& allocation = found->second;
  if (bytes <= allocation.bytes) return {};
  const uint64_t end = PagesOf(allocation.bytes);
  const uint64_t more = PagesOf(bytes) - end;
  if (const auto fits = CheckMemory(more, more, allocation.label); !fits) return fits;
  if (mprotect(reinterpret_cast<void*>(address + end), more, PROT_READ | PROT_WRITE) != 0) {
    return OutOfResources(fmt::format("the host refused {} for '{}' ({})", InBytes(more),
                                      allocation.label, std::strerror(errno)));
  }
  const uint8_t access = page_access_[(address - base_) / kPageBytes].load();
  SetAccess(address + end, more, static_cast<Access>(access));
  mapped_bytes_ += more;
  allocation.bytes = bytes;
  return {};
}

void GuestMemory::LeaveUndefined(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end()) return;
  found->second.is_undefined = true;
  has_undefined_.store(true, std::memory_order_release);
}

bool GuestMemory::IsUntouched(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const Allocation* const allocation = Covering(address, 1);
  // Shared pages may be written elsewhere.
  return allocation != nullptr && allocation->is_undefined && allocation->shared == nullptr &&
         IsUntouchedPage(address);
}

Result<void> GuestMemory::Free(uint64_t address, std::string_view label) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || found->second.is_reserved) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{:#x} is not the start of a live allocation", address)};
  }
  if (!label.empty() && found->second.label != label) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{:#x} begins '{}', which is the library's own: what was allocated there "
                    "has been freed before",
                    address, found->second.label)};
  }
  SetAccess(address, PagesOf(found->second.bytes), Access::kNone);
  Retire(found);
  return {};
}

void GuestMemory::Retire(Allocations::iterator allocation) noexcept {
  const Allocation& old = allocation->second;
  const uint64_t pages = PagesOf(old.bytes);
  Freed freed;
  freed.address = old.address;
  freed.pages = pages;
  freed.extent = old.extent;
  freed.counted = old.is_reserved ? 0 : pages;
  freed.is_shared = old.is_reserved || old.shared != nullptr;
  allocation->second.shared = nullptr;
  Remember(std::move(allocation->second));
  live_.erase(allocation);
  // After the access bits: a thread that sees the new epoch sees them, too.
  freed.epoch = epoch_.fetch_add(1, std::memory_order_acq_rel) + 1;
  freed_.push_back(std::move(freed));
  Reclaim();
}

// For reports of accesses to freed memory, which can do without.
void GuestMemory::Remember(Allocation&& freed) noexcept {
  constexpr size_t kMostFreed = 256;
  try {
    if (lately_freed_.size() >= kMostFreed) lately_freed_.pop_front();
    lately_freed_.push_back(std::move(freed));
  } catch (const std::bad_alloc&) {
  }
}

void GuestMemory::Reclaim() noexcept {
  uint64_t seen = UINT64_MAX;  // by all readers
  for (const Reader* reader : readers_) seen = std::min(seen, reader->seen_);
  const auto first_kept = std::find_if(freed_.begin(), freed_.end(),
                                       [seen](const Freed& freed) { return freed.epoch > seen; });
  if (first_kept == freed_.begin()) return;
  for (auto freed = freed_.begin(); freed != first_kept; ++freed) {
    void* const at = reinterpret_cast<void*>(freed->address);
    const uint64_t pages = freed->pages;
    // A new mapping in place of the old one drops the pages and their contents in one step. The
    // host may refuse it for having too many mappings; then the contents go at least, and the guest
    // is kept out by the access bits as ever.
    const bool is_unmapped =
        mmap(at, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) != MAP_FAILED;
    if (!is_unmapped) madvise(at, pages, MADV_DONTNEED);
    mapped_bytes_ -= freed->counted;
    // The addresses of a piece are still reserved. Those of shared pages that are still mapped
    // cannot be used again.
    if (freed->extent == 0 || (freed->is_shared && !is_unmapped)) continue;
    try {
      free_.AddLater(freed->address, freed->extent);
    } catch (const std::bad_alloc&) {
      // These addresses are not used again.
    }
  }
  freed_.erase(freed_.begin(), first_kept);
  reclaimed_.notify_all();
}

void GuestMemory::SetQuarantine(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  free_.SetQuarantine(bytes);
}

Result<void> GuestMemory::Protect(uint64_t address, uint64_t bytes, Access access) {
  const std::lock_guard lock(mutex_);
  const auto pages = PagesAround(address, bytes);
  if (!pages) return pages.error();
  if (HasSealed(pages->begin, pages->bytes)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} at {:#x} have code, which is read-only", InBytes(bytes), address)};
  }
  SetAccess(pages->begin, pages->bytes, access);
  std::prev(live_.upper_bound(address))->second.has_parts = true;
  epoch_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

Result<void> GuestMemory::Seal(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto pages = PagesAround(address, bytes);
  if (!pages) return pages.error();
  if (mprotect(reinterpret_cast<void*>(pages->begin), pages->bytes, PROT_READ) != 0) {
    return OutOfResources(
        fmt::format("the host refused to make {} of code read-only ({}); there are {} allocations "
                    "(limit: vm.max_map_count)",
                    InBytes(pages->bytes), std::strerror(errno), live_.size()));
  }
  SetPages(pages->begin, pages->bytes, static_cast<uint8_t>(Access::kReadOnly) | kSealedBit);
  Allocation& allocation = std::prev(live_.upper_bound(address))->second;
  allocation.has_parts = allocation.has_code = true;
  epoch_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

Result<GuestMemory::WholePages> GuestMemory::PagesAround(uint64_t address, uint64_t bytes) const {
  const Allocation* const allocation = Covering(address, bytes);
  if (allocation == nullptr || allocation->is_reserved) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} at {:#x} are not inside one live allocation", InBytes(bytes), address)};
  }
  const uint64_t begin = address & ~(kPageBytes - 1);
  const uint64_t end = (address + bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  return WholePages{begin, end - begin};
}

bool GuestMemory::HasSealed(uint64_t address, uint64_t bytes) const {
  const Allocation* const allocation = Covering(address, bytes);
  // Most have no code, and may have a great many pages.
  if (allocation == nullptr || !allocation->has_code) return false;
  for (uint64_t page = address & ~(kPageBytes - 1); page < address + bytes; page += kPageBytes) {
    if (IsSealed(page)) return true;
  }
  return false;
}

bool GuestMemory::HasCode(uint64_t address, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  return HasSealed(address, bytes);
}

const GuestMemory::Allocation* GuestMemory::Covering(uint64_t address, uint64_t bytes) const {
  const auto above = live_.upper_bound(address);
  if (above == live_.begin()) return nullptr;
  const Allocation& allocation = std::prev(above)->second;
  const uint64_t pages = PagesOf(allocation.bytes);
  const uint64_t offset = address - allocation.address;
  return offset <= pages && bytes <= pages - offset ? &allocation : nullptr;
}

GuestMemory::Span GuestMemory::AccessibleAround(uint64_t address, bool write) const {
  if (host_ != nullptr && !IsInRange(address)) {
    const HostMemory::Range range =
        host_->AccessibleAround(address, write ? HostMemory::kWrite : HostMemory::kRead);
    return {range.begin, range.end};
  }
  const std::lock_guard lock(mutex_);
  const Allocation* allocation = Covering(address, 1);
  const auto accessible = [&](uint64_t at) { return write ? Writable(at, 1) : Readable(at, 1); };
  if (allocation == nullptr || !accessible(address)) return {};
  Span span = {allocation->address, allocation->address + PagesOf(allocation->bytes)};
  if (allocation->is_reserved) {
    const auto access = write ? PieceAccess::kGuestWrites : PieceAccess::kGuestReads;
    const MappedPieces::Range pieces = pieces_.Around(address, access);
    return {pieces.begin, pieces.end};
  }
  if (!allocation->has_parts) return span;
  // Pages around the address that are alike; no further than is worth looking.
  constexpr uint64_t kFar = 256 * kPageBytes;
  const uint64_t page = address & ~(kPageBytes - 1);
  uint64_t begin = page;
  while (begin > span.begin && page - begin < kFar && accessible(begin - 1)) begin -= kPageBytes;
  uint64_t end = page + kPageBytes;
  while (end < span.end && end - page < kFar && accessible(end)) end += kPageBytes;
  return {begin, end};
}

bool GuestMemory::InOneAllocation(uint64_t address, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  return CoversFor(address, bytes, PieceAccess::kHostReads);
}

bool GuestMemory::HostMayWrite(uint64_t address, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  return CoversFor(address, bytes, PieceAccess::kHostReads | PieceAccess::kHostWrites) &&
         !HasSealed(address, bytes);
}

uint64_t GuestMemory::BytesAt(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  return found == live_.end() ? 0 : found->second.bytes;
}

GuestMemory::Allocation GuestMemory::Nearest(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto above = live_.upper_bound(address);
  if (above == live_.begin()) return above == live_.end() ? Allocation{} : above->second;
  const Allocation& below = std::prev(above)->second;
  const uint64_t end = below.address + PagesOf(below.bytes);
  if (address < end || above == live_.end()) return below;
  return address - end < above->first - address ? below : above->second;
}

std::optional<GuestMemory::Allocation> GuestMemory::FreedAt(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  if (Covering(address, 1) != nullptr) return std::nullopt;
  const auto found = std::find_if(
      lately_freed_.rbegin(), lately_freed_.rend(),
      [address](const Allocation& a) { return address - a.address < PagesOf(a.bytes); });
  if (found == lately_freed_.rend()) return std::nullopt;
  return *found;
}

std::string GuestMemory::Describe(uint64_t address) const {
  if (address < kNullBytes) {
    return fmt::format("{} past the null pointer", InBytes(address));
  }
  if (host_ != nullptr && !IsInRange(address)) return host_->Describe(address);
  const Allocation nearest = Nearest(address);
  if (nearest.bytes == 0) return "there is no allocation";
  const std::string what = fmt::format("the {}-byte allocation '{}' at {:#x}",
                                       Grouped(nearest.bytes), nearest.label, nearest.address);
  if (address < nearest.address) {
    return fmt::format("{} before {}", InBytes(nearest.address - address), what);
  }
  const uint64_t offset = address - nearest.address;
  if (offset < nearest.bytes) {
    return fmt::format("at offset {} of {}{}", Grouped(offset), what,
                       nearest.is_reserved ? DescribePiece(address)
                       : IsSealed(address) ? ", in a page with code, which is read-only"
                                           : "");
  }
  return fmt::format("{} past the end of {}", InBytes(offset - nearest.bytes), what);
}

}  // namespace gcnjit::runtime
