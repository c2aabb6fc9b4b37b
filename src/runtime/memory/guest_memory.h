// Guest memory: one reserved range of host addresses; only pages of live allocations are
// accessible, to the host as to the guest, and each allocation is followed by a guard gap. A guest
// address is the host address. In shared mode the host's memory outside the range is the guest's
// too: host().
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/error.h"
#include "runtime/memory/address_pool.h"
#include "runtime/memory/mapped_pieces.h"
#include "runtime/memory/shared_pages.h"

namespace gcnjit::runtime {

class HostMemory;

class GuestMemory {
 public:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kRangeBytes = uint64_t{1} << 38;  // 256 GiB of address space
  static constexpr uint64_t kGuardBytes = 64 * 1024;          // at least, after each allocation

  // What a page may be used for by the guest.
  enum class Access : uint8_t { kNone = 0, kReadOnly = 1, kReadWrite = 3 };

  static Result<std::shared_ptr<GuestMemory>> Reserve(MemoryMode mode = MemoryMode::kContained);
  ~GuestMemory();
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  // Zeroed memory. `alignment` is a power of two, of a page at least. `label` names the allocation
  // in fault reports ("buffer", "code of x.co", "kernarg", "scratch"). The guest's access is a
  // promise checked by Readable/Writable (host pages stay writable, so that the loader can fill
  // read-only segments).
  //
  // Before it refuses for want of room, Allocate waits for freed memory that readers keep: a thread
  // must not call it while it has a Reader.
  //
  // Large allocations ask the host for huge pages, unless kSmall: where only a byte here and there
  // will be touched, each would take 2 MiB. `room`: bytes that Extend can make it have; until then
  // the addresses are a part of the guard.
  enum class Pages : uint8_t { kHugeIfLarge, kSmall };
  Result<uint64_t> Allocate(uint64_t bytes, std::string label, Access access = Access::kReadWrite,
                            uint64_t alignment = kPageBytes, Pages kind = Pages::kHugeIfLarge,
                            uint64_t room = 0);

  // What the live allocation that begins at `address` holds means nothing before it is written, for
  // all that it is 0.
  void LeaveUndefined(uint64_t address);
  // Has LeaveUndefined ever been called?
  bool HasUndefined() const { return has_undefined_.load(std::memory_order_acquire); }
  // Is `address` in a page of such an allocation that nothing has touched? False also where that
  // cannot be found out.
  bool IsUntouched(uint64_t address) const;

  // Asks for huge pages where they lie in [begin, end), part of an allocation, as a whole.
  static void WishHugePages(uint64_t begin, uint64_t end);

  // The live allocation that begins at `address` has at least so many bytes from now on. Never
  // waits.
  Result<void> Extend(uint64_t address, uint64_t bytes);

  // From now on the answer is that the allocation is not accessible. Readers may have asked before:
  // its pages stay what they are, and used for nothing else, until each has come to a Refresh.
  // Never waits, and needs no memory of the host's. `label`: what has another one is not freed;
  // empty: whatever it is.
  Result<void> Free(uint64_t address, std::string_view label = {});

  // From now on freed addresses are not given out again before so many bytes more have been freed,
  // so that accesses to freed memory are found. 0, as at first: at once.
  void SetQuarantine(uint64_t bytes);

  // ---- Addresses and memory apart from each other (reserved_memory.cpp)

  // Reserved addresses are an allocation without memory: whole pages, at `wanted` if that is free.
  // They take nothing of the host's memory.
  Result<uint64_t> ReserveAddresses(uint64_t bytes, std::string label,
                                    uint64_t alignment = kPageBytes, uint64_t wanted = 0);
  // Nothing may be mapped there.
  Result<void> FreeAddresses(uint64_t address);
  // Zeroed pages that count as guest memory while they live, which must not be longer than this.
  // Like Allocate it may wait.
  Result<std::shared_ptr<const SharedPages>> CreatePages(uint64_t bytes, const std::string& name);
  // Puts `bytes` of the pages, from `offset` on, where addresses are reserved and nothing is
  // mapped. Nothing has access to them yet. If readers may still use what was mapped there before,
  // it waits for them, as Allocate does.
  Result<void> Map(uint64_t address, uint64_t bytes, std::shared_ptr<const SharedPages> pages,
                   uint64_t offset);
  // Which accesses to the piece that Map has put at `address` are allowed: bits of PieceAccess.
  // Readers may rely on what held before until their next Refresh.
  Result<void> SetPieceAccess(uint64_t address, uint8_t access);
  // As Free does, of the piece that Map has put at `address`. Its addresses stay reserved.
  Result<void> Unmap(uint64_t address);
  // The pages of the allocation that begins at `address`, for other processes to map. They keep
  // contents and address, but what is written to them meanwhile is lost.
  Result<std::shared_ptr<const SharedPages>> Share(uint64_t address, const std::string& name);
  // Puts these pages, which must be as many, in place of those of the allocation that begins at
  // `address`; null: zeros of its own. Readers find the old ones or the new ones.
  Result<void> Replace(uint64_t address, std::shared_ptr<const SharedPages> pages);

  // Changes what the guest may do with part of a live allocation. `address` and `bytes` are rounded
  // outwards to whole pages. Readers may rely on what held before until their next Refresh.
  Result<void> Protect(uint64_t address, uint64_t bytes, Access access);

  // From now on these pages, rounded outwards like Protect's, hold code: guest and host can read
  // them, and nothing can write them, until the allocation is freed. Engines rely on code that they
  // have decoded or compiled staying what it was.
  Result<void> Seal(uint64_t address, uint64_t bytes);

  // Are all of [address, address + bytes) allocations that the guest may read (write)? bytes is 1
  // to 64. Lock-free: called for every lane of every access.
  bool Readable(uint64_t address, uint32_t bytes) const {
    return (PageBits(address, bytes) & 1) != 0;
  }
  bool Writable(uint64_t address, uint32_t bytes) const {
    return (PageBits(address, bytes) & 2) != 0;
  }
  // Everything outside the range, in shared mode; nullptr in contained mode.
  HostMemory* host() const { return host_.get(); }

  // What host threads have while they access memory for the guest (memory_reader.h).
  class Reader;

  // Addresses [begin, end) around `address`, within its live allocation, that the guest may read
  // (write); begin == end: it may not. Lasts until the next change of `epoch`. Of the host's memory
  // it may cease to hold at any time, and accesses must be guarded.
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  Span AccessibleAround(uint64_t address, bool write) const;
  // Changes whenever something may have become inaccessible.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  struct Allocation {
    uint64_t address = 0;
    uint64_t bytes = 0;  // as asked for; pages up to the next multiple of 4 KiB are accessible
    std::string label;
    bool is_undefined = false;                  // LeaveUndefined
    bool has_parts = false;                     // Protect made its pages differ
    bool has_code = false;                      // some of its pages are sealed
    uint64_t extent = 0;                        // of addresses, with the guard
    bool is_reserved = false;                   // has addresses only, and what Map puts there
    std::shared_ptr<const SharedPages> shared;  // what Share has made
  };
  // Do all of these bytes lie in one live allocation (its last page included), and can the host
  // read them?
  bool InOneAllocation(uint64_t address, uint64_t bytes) const;
  // Or also write them? It must not write code.
  bool HostMayWrite(uint64_t address, uint64_t bytes) const;
  // Are any of these bytes of one live allocation in a page that is sealed?
  bool HasCode(uint64_t address, uint64_t bytes) const;

  // Of the live allocation that begins there; 0: none does.
  uint64_t BytesAt(uint64_t address) const;

  // The live allocation that holds `address`, or the nearest one below or above; bytes = 0: none.
  Allocation Nearest(uint64_t address) const;
  // The allocation that held `address` lately and has been freed, if no live one does now.
  std::optional<Allocation> FreedAt(uint64_t address) const;
  // "256 bytes past the end of the 4,096-byte allocation 'buffer' at 0x...", for fault reports.
  std::string Describe(uint64_t address) const;

  uint64_t base() const { return base_; }

 private:
  GuestMemory(uint64_t base, std::atomic<uint8_t>* page_access);

  // In a page's access byte, beside the bits of Access.
  static constexpr uint8_t kSealedBit = 4;

  bool IsInRange(uint64_t address) const { return address - base_ < kRangeBytes; }

  void SetAccess(uint64_t address, uint64_t bytes, Access access) {
    SetPages(address, bytes, static_cast<uint8_t>(access));
  }
  void SetPages(uint64_t address, uint64_t bytes, uint8_t bits);
  bool IsSealed(uint64_t address) const {
    return IsInRange(address) &&
           (page_access_[(address - base_) / kPageBytes].load(std::memory_order_acquire) &
            kSealedBit) != 0;
  }
  // As HasCode. The caller holds mutex_.
  bool HasSealed(uint64_t address, uint64_t bytes) const;
  // Whole pages around [address, address + bytes), if they are part of one live allocation. The
  // caller holds mutex_.
  struct WholePages {
    uint64_t begin = 0;
    uint64_t bytes = 0;
  };
  Result<WholePages> PagesAround(uint64_t address, uint64_t bytes) const;
  // Unmaps what no reader relies on any more. The caller holds mutex_.
  void Reclaim() noexcept;
  // Where an allocation of so many bytes of pages would go, or why there is no room for it.
  Result<uint64_t> FindRoom(uint64_t extent, uint64_t bytes, uint64_t alignment,
                            const std::string& label) const;
  using Allocations = std::map<uint64_t, Allocation>;  // by address
  // Makes `allocation` a live one where FindRoom has found room, or throws and changes nothing.
  // What Free needs it takes now.
  Allocations::iterator Enter(Allocation allocation);
  void MakeRoomToFree();
  // Makes an allocation one that has been freed; Reclaim does the rest.
  void Retire(Allocations::iterator allocation) noexcept;
  void Remember(Allocation&& freed) noexcept;
  // Do readers perhaps still use what was mapped there?
  bool IsRetiring(uint64_t address, uint64_t bytes) const;
  // The part of Covering that concerns reserved addresses: `access` is of PieceAccess.
  bool CoversFor(uint64_t address, uint64_t bytes, uint8_t access) const;
  // What Describe says of an address in a reserved range, after its offset; "": nothing more.
  std::string DescribePiece(uint64_t address) const;
  // Null: no allocation without code begins there. The caller holds mutex_.
  Allocation* Replaceable(uint64_t address);
  // Why the host's memory has no room for so many bytes of pages more, if it has none.
  Result<void> CheckMemory(uint64_t pages, uint64_t bytes, const std::string& label) const;
  // The live allocation whose pages hold all of these bytes; null: none. The caller holds mutex_.
  const Allocation* Covering(uint64_t address, uint64_t bytes) const;

  // Access bits common to the first and the last page touched; 0 outside the range.
  uint8_t PageBits(uint64_t address, uint32_t bytes) const {
    const uint64_t first = address - base_;
    const uint64_t last = first + (bytes - 1);
    if (first >= kRangeBytes || last >= kRangeBytes) return 0;
    // Acquire: a page that is seen as accessible is seen as mapped and zeroed, too.
    return page_access_[first / kPageBytes].load(std::memory_order_acquire) &
           page_access_[last / kPageBytes].load(std::memory_order_acquire);
  }

  const uint64_t base_;
  std::atomic<uint8_t>* const page_access_;  // one byte a page of the range, lazily committed
  std::unique_ptr<HostMemory> host_;         // never changes after Reserve
  std::atomic<uint64_t> epoch_ = 0;
  std::atomic<bool> has_undefined_ = false;
  mutable std::mutex mutex_;  // guards what follows
  Allocations live_;
  AddressPool free_;
  uint64_t mapped_bytes_ = 0;  // pages of all allocations, live or not yet reclaimed
  // And of what CreatePages has made.
  const std::shared_ptr<std::atomic<uint64_t>> shared_bytes_ =
      std::make_shared<std::atomic<uint64_t>>(0);
  MappedPieces pieces_;
  struct Freed {
    uint64_t address = 0;
    uint64_t pages = 0;      // bytes to unmap
    uint64_t extent = 0;     // of addresses to be given out again
    uint64_t counted = 0;    // bytes of mapped_bytes_
    bool is_shared = false;  // what is mapped there may also be mapped elsewhere
    uint64_t epoch = 0;      // readers that have seen it know that the memory is gone
    std::shared_ptr<const SharedPages> kept;  // what is mapped there
  };
  std::vector<Freed> freed_;  // not yet reclaimed; has room for all that can be freed
  std::deque<Allocation> lately_freed_;
  std::vector<const Reader*> readers_;
  std::condition_variable reclaimed_;
};

}  // namespace gcnjit::runtime
