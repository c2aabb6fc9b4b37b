// Everything in guest memory that a kernel can reach, to be kept, put back and compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "differential/state_difference.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::differential {

inline constexpr uint64_t kPage = runtime::GuestMemory::kPageBytes;

class GuestImage {
 public:
  static constexpr uint64_t kGdsBytes = 64 * 1024;

  // The contents of all that the guest may write.
  using Copy = std::vector<std::vector<std::byte>>;

  // The allocations that hold these addresses.
  GuestImage(runtime::GuestMemory& memory, std::vector<uint64_t> addresses);

  runtime::GuestMemory& memory() { return memory_; }
  // Belongs to the image, although it has no address.
  std::span<std::byte> gds() { return gds_; }
  // Pages of the allocations, in ascending order, that the guest may read.
  std::span<const std::span<std::byte>> readable() const { return readable_; }

  // Those that it may write, as a Copy has them: the GDS first.
  std::span<const std::span<std::byte>> writable() const { return writable_; }

  void Save(Copy& copy) const;
  void Restore(const Copy& copy);
  bool IsSame(const Copy& copy) const;
  // `expected` against `got`.
  void Compare(const Copy& expected, const Copy& got, StateDifferences& differences) const;

 private:
  runtime::GuestMemory& memory_;
  std::vector<std::byte> gds_;
  std::vector<std::span<std::byte>> readable_;
  std::vector<std::span<std::byte>> writable_;  // GDS first
};

}  // namespace gcnjit::differential
