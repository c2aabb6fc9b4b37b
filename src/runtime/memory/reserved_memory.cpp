// GuestMemory's addresses without memory, and memory that is mapped there or shared with other
// processes.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/memory/errors.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kPage = GuestMemory::kPageBytes;

bool AreWholePages(uint64_t begin, uint64_t bytes) {
  return begin % kPage == 0 && bytes % kPage == 0 && bytes != 0;
}

uint64_t WholePagesOf(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

Error NotReplaceable(uint64_t address) {
  return InvalidArgument(fmt::format("no allocation that can be shared begins at {:#x}", address));
}

Error RefusedToShare(uint64_t bytes) {
  return OutOfResources(
      fmt::format("the host refused to share {} bytes ({})", bytes, std::strerror(errno)));
}

bool IsZero(const std::byte* page) {
  return page[0] == std::byte{0} && std::memcmp(page, page + 1, kPage - 1) == 0;
}

}  // namespace

Result<uint64_t> GuestMemory::ReserveAddresses(uint64_t bytes, std::string label,
                                               uint64_t alignment, uint64_t wanted) {
  if (!AreWholePages(0, bytes) || !std::has_single_bit(alignment) || alignment < kPage) {
    return InvalidArgument(
        fmt::format("{} bytes, aligned to {}, are no whole pages", bytes, alignment));
  }
  const auto no_room = [&] {
    return OutOfResources(
        fmt::format("no room in guest memory's {} bytes of addresses for {} ('{}')", kRangeBytes,
                    bytes, label));
  };
  if (bytes > kRangeBytes) return no_room();
  const uint64_t extent = bytes + kGuardBytes;
  std::unique_lock lock(mutex_);
  uint64_t address = 0;
  while (true) {
    const bool is_free = wanted % alignment == 0 && free_.Has(wanted, extent);
    address = is_free ? wanted : free_.Find(extent, alignment);
    if (address != 0 || freed_.empty()) break;
    reclaimed_.wait(lock);
  }
  if (address == 0) return no_room();
  Allocation allocation;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.label = std::move(label);
  allocation.extent = extent;
  allocation.is_reserved = true;
  Enter(std::move(allocation));
  return address;
}

Result<void> GuestMemory::FreeAddresses(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || !found->second.is_reserved) {
    return InvalidArgument(fmt::format("{:#x} is not the start of reserved addresses", address));
  }
  if (pieces_.Overlaps(address, found->second.bytes)) {
    return InvalidArgument(
        fmt::format("memory is mapped in the addresses reserved at {:#x}", address));
  }
  Retire(found);
  return {};
}

Result<std::shared_ptr<const SharedPages>> GuestMemory::CreatePages(uint64_t bytes,
                                                                    const std::string& name) {
  if (!AreWholePages(0, bytes))
    return InvalidArgument(fmt::format("{} bytes are no whole pages", bytes));
  std::unique_lock lock(mutex_);
  Result<void> fits = CheckMemory(bytes, bytes, name);
  while (!fits && !freed_.empty()) {
    reclaimed_.wait(lock);
    fits = CheckMemory(bytes, bytes, name);
  }
  if (!fits) return fits.error();
  return SharedPages::Create(bytes, name, shared_bytes_);
}

bool GuestMemory::IsRetiring(uint64_t address, uint64_t bytes) const {
  return std::any_of(freed_.begin(), freed_.end(), [&](const Freed& freed) {
    return freed.address < address + bytes && address < freed.address + freed.pages;
  });
}

Result<void> GuestMemory::Map(uint64_t address, uint64_t bytes,
                              std::shared_ptr<const SharedPages> pages, uint64_t offset) {
  if (!AreWholePages(address, bytes) || offset % kPage != 0 || offset > pages->bytes() ||
      bytes > pages->bytes() - offset) {
    return InvalidArgument(fmt::format("{} bytes from {} on are no whole pages of {} bytes", bytes,
                                       offset, pages->bytes()));
  }
  const auto check = [&]() -> Result<void> {
    const Allocation* const allocation = Covering(address, bytes);
    if (allocation == nullptr || !allocation->is_reserved || pieces_.Overlaps(address, bytes)) {
      return InvalidArgument(fmt::format(
          "{} bytes at {:#x} are not reserved, or something is mapped there", bytes, address));
    }
    return {};
  };
  std::unique_lock lock(mutex_);
  Result<void> checked = check();
  // Other threads may do anything meanwhile.
  while (checked && IsRetiring(address, bytes)) {
    reclaimed_.wait(lock);
    checked = check();
  }
  if (!checked) return checked;
  MakeRoomToFree();
  pieces_.Add({address, bytes, pages, offset, 0, PROT_NONE});
  if (mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
           pages->file(), static_cast<off_t>(offset)) == MAP_FAILED) {
    const int error = errno;
    pieces_.Remove(address);
    return OutOfResources(
        fmt::format("the host refused to map {} bytes ({}; limit: "
                    "vm.max_map_count)",
                    bytes, std::strerror(error)));
  }
  WishHugePages(address, address + bytes);
  return {};
}

Result<void> GuestMemory::SetPieceAccess(uint64_t address, uint8_t access) {
  const std::lock_guard lock(mutex_);
  MappedPiece* const piece = pieces_.At(address);
  if (piece == nullptr) return InvalidArgument(fmt::format("nothing was mapped at {:#x}", address));
  // The guest is kept out by the bits of its pages. What the host's mapping has allowed it goes on
  // to allow, since readers may rely on it.
  constexpr uint8_t kWrites = PieceAccess::kGuestWrites | PieceAccess::kHostWrites;
  const int protection = piece->protection | (access != 0 ? PROT_READ : 0) |
                         ((access & kWrites) != 0 ? PROT_WRITE : 0);
  if (protection != piece->protection &&
      mprotect(reinterpret_cast<void*>(address), piece->bytes, protection) != 0) {
    return OutOfResources(
        fmt::format("the host refused access to {} mapped bytes ({}; limit: "
                    "vm.max_map_count)",
                    piece->bytes, std::strerror(errno)));
  }
  piece->protection = protection;
  piece->access = access;
  SetPages(address, piece->bytes, access & (PieceAccess::kGuestReads | PieceAccess::kGuestWrites));
  epoch_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

Result<void> GuestMemory::Unmap(uint64_t address) {
  const std::lock_guard lock(mutex_);
  MappedPiece* const piece = pieces_.At(address);
  if (piece == nullptr) return InvalidArgument(fmt::format("nothing was mapped at {:#x}", address));
  SetAccess(address, piece->bytes, Access::kNone);
  Freed freed = {address, piece->bytes, 0, 0, true, 0, std::move(piece->pages)};
  pieces_.Remove(address);
  freed.epoch = epoch_.fetch_add(1, std::memory_order_acq_rel) + 1;
  freed_.push_back(std::move(freed));
  Reclaim();
  return {};
}

GuestMemory::Allocation* GuestMemory::Replaceable(uint64_t address) {
  const auto found = live_.find(address);
  const bool is_fit = found != live_.end() && !found->second.is_reserved && !found->second.has_code;
  return is_fit ? &found->second : nullptr;
}

Result<std::shared_ptr<const SharedPages>> GuestMemory::Share(uint64_t address,
                                                              const std::string& name) {
  const std::lock_guard lock(mutex_);
  Allocation* const allocation = Replaceable(address);
  if (allocation == nullptr) return NotReplaceable(address);
  if (allocation->shared != nullptr) return allocation->shared;
  const uint64_t bytes = WholePagesOf(allocation->bytes);
  auto pages = SharedPages::Create(bytes, name);
  if (!pages) return pages.error();
  void* const copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (*pages)->file(), 0);
  if (copy == MAP_FAILED) return RefusedToShare(bytes);
  WishHugePages(reinterpret_cast<uint64_t>(copy), reinterpret_cast<uint64_t>(copy) + bytes);
  // Pages of zeros stay the ones that take no memory.
  const auto* const from = reinterpret_cast<const std::byte*>(address);
  for (uint64_t at = 0; at < bytes; at += kPage) {
    if (!IsZero(from + at)) std::memcpy(static_cast<std::byte*>(copy) + at, from + at, kPage);
  }
  if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(address)) ==
      MAP_FAILED) {
    const Error error = RefusedToShare(bytes);
    munmap(copy, bytes);
    return error;
  }
  allocation->shared = *pages;
  return allocation->shared;
}

Result<void> GuestMemory::Replace(uint64_t address, std::shared_ptr<const SharedPages> pages) {
  const std::lock_guard lock(mutex_);
  Allocation* const allocation = Replaceable(address);
  if (allocation == nullptr) return NotReplaceable(address);
  const uint64_t bytes = WholePagesOf(allocation->bytes);
  if (pages != nullptr && pages->bytes() != bytes) {
    return InvalidArgument(fmt::format("{} bytes in place of {}", pages->bytes(), bytes));
  }
  const int flags = pages != nullptr ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
           pages != nullptr ? pages->file() : -1, 0) == MAP_FAILED) {
    return RefusedToShare(bytes);
  }
  WishHugePages(address, address + bytes);
  allocation->shared = std::move(pages);
  return {};
}

bool GuestMemory::CoversFor(uint64_t address, uint64_t bytes, uint8_t access) const {
  const Allocation* const allocation = Covering(address, bytes);
  if (allocation == nullptr) return false;
  return !allocation->is_reserved || bytes == 0 || pieces_.Cover(address, bytes, access);
}

std::string GuestMemory::DescribePiece(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const MappedPiece* const piece = pieces_.Find(address);
  if (piece == nullptr) return ", which is reserved, but no memory is mapped there";
  if ((piece->access & PieceAccess::kGuestReads) == 0) {
    return ", where memory is mapped, but devices have no access";
  }
  return (piece->access & PieceAccess::kGuestWrites) == 0
             ? ", where devices may read the mapped memory only"
             : "";
}

}  // namespace gcnjit::runtime
