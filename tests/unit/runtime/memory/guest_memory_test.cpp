// Guest memory: allocation, guards, access bits, descriptions, threads.
#include "runtime/memory/guest_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "gcnjit/device.h"
#include "runtime/memory/memory_reader.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kPage = GuestMemory::kPageBytes;
constexpr uint64_t kGuard = GuestMemory::kGuardBytes;
using Access = GuestMemory::Access;

class GuestMemoryTest : public testing::Test {
 protected:
  uint64_t Allocate(uint64_t bytes, const char* label = "buffer",
                    Access access = Access::kReadWrite) {
    auto address = memory_->Allocate(bytes, label, access);
    EXPECT_TRUE(address.ok()) << address.error().message;
    return *address;
  }

  std::shared_ptr<GuestMemory> memory_ = *GuestMemory::Reserve();
};

bool IsZero(uint64_t address, uint64_t bytes) {
  const auto* data = reinterpret_cast<const char*>(address);
  for (uint64_t i = 0; i < bytes; ++i) {
    if (data[i] != 0) return false;
  }
  return true;
}

TEST_F(GuestMemoryTest, AllocationIsZeroedAlignedAndUsable) {
  const uint64_t address = Allocate(5000);
  EXPECT_EQ(address % kPage, 0u);
  EXPECT_TRUE(IsZero(address, 2 * kPage));
  std::memset(reinterpret_cast<void*>(address), 0xAB, 2 * kPage);
  EXPECT_TRUE(memory_->Readable(address, 64));
  EXPECT_TRUE(memory_->Writable(address + 2 * kPage - 64, 64));
}

TEST_F(GuestMemoryTest, AllocationsGrowAsFarAsThereIsRoom) {
  const auto small = memory_->Allocate(kPage, "scratch", Access::kReadWrite, kPage,
                                       GuestMemory::Pages::kHugeIfLarge, 10 * kPage);
  ASSERT_TRUE(small.ok());
  const uint64_t next = Allocate(kPage);
  EXPECT_GE(next - *small, 10 * kPage + kGuard);
  EXPECT_FALSE(memory_->Readable(*small + kPage, 1));
  EXPECT_TRUE(memory_->Extend(*small, 3 * kPage));
  EXPECT_TRUE(memory_->Extend(*small, 2 * kPage));  // has them already
  EXPECT_TRUE(IsZero(*small, 3 * kPage));
  EXPECT_TRUE(memory_->Writable(*small + 3 * kPage - 64, 64));
  EXPECT_FALSE(memory_->Readable(*small + 3 * kPage, 1));
  EXPECT_TRUE(memory_->InOneAllocation(*small, 3 * kPage));
  EXPECT_TRUE(memory_->Extend(*small, 10 * kPage));
  EXPECT_FALSE(memory_->Extend(*small, 10 * kPage + 1));
  EXPECT_FALSE(memory_->Extend(*small + kPage, 2 * kPage));
  std::memset(reinterpret_cast<void*>(*small), 0xAB, 10 * kPage);
  EXPECT_TRUE(memory_->Free(*small));
  EXPECT_FALSE(memory_->Readable(*small + 9 * kPage, 1));
  EXPECT_FALSE(memory_->Extend(*small, kPage));
  // All of it is free again.
  const auto again = memory_->Allocate(10 * kPage, "buffer");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *small);
  EXPECT_TRUE(IsZero(*again, 10 * kPage));
}

TEST_F(GuestMemoryTest, WhatGrowsIsBounded) {
  const auto small =
      memory_->Allocate(kPage, "scratch", Access::kReadWrite, kPage,
                        GuestMemory::Pages::kHugeIfLarge, GuestMemory::kRangeBytes / 2);
  ASSERT_TRUE(small.ok());
  const auto grown = memory_->Extend(*small, GuestMemory::kRangeBytes / 2);
  ASSERT_FALSE(grown);
  EXPECT_NE(grown.error().message.find("exceeds this machine's memory"), std::string::npos)
      << grown.error().message;
}

TEST_F(GuestMemoryTest, AlignedAsAskedForAndNothingIsLost) {
  constexpr uint64_t kLarge = 2 << 20;
  Allocate(kPage);  // so that the next place is not aligned by chance
  const auto large = memory_->Allocate(kLarge, "buffer", Access::kReadWrite, kLarge);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(*large % kLarge, 0u);
  EXPECT_TRUE(memory_->Writable(*large + kLarge - 64, 64));
  EXPECT_FALSE(memory_->Readable(*large - 1, 1));
  EXPECT_LT(Allocate(kPage), *large);  // in the room that the alignment has left
  EXPECT_TRUE(memory_->Free(*large).ok());
  EXPECT_EQ(*memory_->Allocate(kLarge, "buffer", Access::kReadWrite, kLarge), *large);
}

TEST_F(GuestMemoryTest, EmptyAllocationHasOnePage) {
  const uint64_t address = Allocate(0);
  EXPECT_TRUE(memory_->Writable(address + kPage - 4, 4));
  EXPECT_FALSE(memory_->Readable(address + kPage, 1));
}

TEST_F(GuestMemoryTest, AccessEndsAtTheLastPage) {
  const uint64_t address = Allocate(kPage);
  EXPECT_TRUE(memory_->Readable(address + kPage - 1, 1));
  EXPECT_FALSE(memory_->Readable(address + kPage - 1, 2));
  EXPECT_FALSE(memory_->Readable(address - 1, 1));
  EXPECT_FALSE(memory_->Readable(address - 1, 2));
  EXPECT_FALSE(memory_->Writable(address + kPage - 32, 64));
}

TEST_F(GuestMemoryTest, AddressesOutsideTheRangeAreRefused) {
  const uint64_t base = memory_->base();
  const uint64_t end = base + GuestMemory::kRangeBytes;
  for (const uint64_t address :
       {uint64_t{0}, uint64_t{1}, base - 1, base - 64, end, end - 1, UINT64_MAX, UINT64_MAX - 63}) {
    EXPECT_FALSE(memory_->Readable(address, 1)) << std::hex << address;
    EXPECT_FALSE(memory_->Readable(address, 64)) << std::hex << address;
    EXPECT_FALSE(memory_->Writable(address, 64)) << std::hex << address;
  }
}

TEST_F(GuestMemoryTest, GuardsLieBetweenAllocations) {
  const uint64_t first = Allocate(kPage);
  const uint64_t second = Allocate(kPage);
  ASSERT_GT(second, first);
  EXPECT_GE(second - (first + kPage), kGuard);
  EXPECT_GE(first - memory_->base(), kGuard);
}

TEST_F(GuestMemoryTest, ReadOnlyIsReadableNotWritable) {
  const uint64_t address = Allocate(kPage, "constants", Access::kReadOnly);
  EXPECT_TRUE(memory_->Readable(address, 4));
  EXPECT_FALSE(memory_->Writable(address, 4));
  *reinterpret_cast<int*>(address) = 1;  // the host may fill it
}

// Code: of a page with any, nothing can be written any more until it is freed.
TEST_F(GuestMemoryTest, SealedPagesNeverChange) {
  for (const uint64_t offset : {uint64_t{0}, kPage - 4, kPage, 2 * kPage + 100}) {
    for (const uint64_t bytes : {uint64_t{4}, uint64_t{5}, kPage, kPage + 8}) {
      const uint64_t address = Allocate(5 * kPage);
      ASSERT_TRUE(memory_->Seal(address + offset, bytes).ok());
      const uint64_t first = (address + offset) / kPage;
      const uint64_t last = (address + offset + bytes - 1) / kPage;
      for (uint64_t page = address; page < address + 5 * kPage; page += kPage) {
        const bool is_code = page / kPage >= first && page / kPage <= last;
        EXPECT_TRUE(memory_->Readable(page, 64));
        EXPECT_EQ(memory_->Writable(page, 64), !is_code);
        EXPECT_EQ(memory_->HasCode(page, kPage), is_code);
        EXPECT_EQ(memory_->Protect(page, kPage, Access::kReadWrite).ok(), !is_code);
        EXPECT_EQ(memory_->Writable(page, 64), !is_code);
        EXPECT_EQ(memory_->AccessibleAround(page, true).end == 0, is_code);
        EXPECT_EQ(memory_->Describe(page).find("read-only") != std::string::npos, is_code);
        if (is_code) {
          EXPECT_EXIT(*reinterpret_cast<volatile int*>(page) = 1, testing::KilledBySignal(SIGSEGV),
                      "");
        }
      }
      EXPECT_TRUE(memory_->HasCode(address, 5 * kPage));
      EXPECT_TRUE(memory_->Free(address).ok());
      // Used again it is like any other.
      const uint64_t again = Allocate(5 * kPage);
      EXPECT_EQ(again, address);
      EXPECT_FALSE(memory_->HasCode(again, 5 * kPage));
      std::memset(reinterpret_cast<void*>(again), 0xAB, 5 * kPage);
      EXPECT_TRUE(memory_->Free(again).ok());
    }
  }
  const uint64_t address = Allocate(kPage);
  EXPECT_FALSE(memory_->Seal(address + kPage - 4, 8).ok());
}

TEST_F(GuestMemoryTest, ProtectChangesWholePages) {
  const uint64_t address = Allocate(4 * kPage);
  ASSERT_TRUE(memory_->Protect(address + kPage + 1, kPage, Access::kReadOnly).ok());
  EXPECT_TRUE(memory_->Writable(address, 64));
  EXPECT_FALSE(memory_->Writable(address + kPage, 1));
  EXPECT_FALSE(memory_->Writable(address + 2 * kPage, 1));
  EXPECT_TRUE(memory_->Readable(address + kPage, 64));
  EXPECT_TRUE(memory_->Writable(address + 3 * kPage, 64));
  // An access that touches both kinds of page has only what both allow.
  EXPECT_FALSE(memory_->Writable(address + kPage - 4, 8));
  EXPECT_TRUE(memory_->Readable(address + kPage - 4, 8));
}

TEST_F(GuestMemoryTest, ProtectOutsideAnAllocationIsAnError) {
  const uint64_t address = Allocate(kPage);
  EXPECT_FALSE(memory_->Protect(address, kPage + 1, Access::kReadOnly).ok());
  EXPECT_FALSE(memory_->Protect(address - 1, 1, Access::kReadWrite).ok());
  EXPECT_FALSE(memory_->Protect(address + kPage + kGuard, 1, Access::kReadWrite).ok());
  EXPECT_FALSE(memory_->Protect(address, UINT64_MAX, Access::kReadWrite).ok());
  EXPECT_TRUE(memory_->Writable(address, 4));
}

TEST_F(GuestMemoryTest, InOneAllocation) {
  const uint64_t address = Allocate(100);
  EXPECT_TRUE(memory_->InOneAllocation(address, 0));
  EXPECT_TRUE(memory_->InOneAllocation(address + 96, kPage - 96));
  EXPECT_FALSE(memory_->InOneAllocation(address + 96, kPage - 95));
  EXPECT_FALSE(memory_->InOneAllocation(address - 1, 2));
  EXPECT_FALSE(memory_->InOneAllocation(address, UINT64_MAX));
  EXPECT_FALSE(memory_->InOneAllocation(0, 1));
  EXPECT_FALSE(memory_->InOneAllocation(UINT64_MAX, 2));
}

TEST_F(GuestMemoryTest, FreedMemoryIsGoneAndComesBackZeroed) {
  const uint64_t address = Allocate(8 * kPage);
  std::memset(reinterpret_cast<void*>(address), 0xFF, 8 * kPage);
  ASSERT_TRUE(memory_->Free(address).ok());
  EXPECT_FALSE(memory_->Readable(address, 1));
  EXPECT_FALSE(memory_->InOneAllocation(address, 1));
  const uint64_t again = Allocate(8 * kPage);
  EXPECT_EQ(again, address);
  EXPECT_TRUE(IsZero(again, 8 * kPage));
}

TEST_F(GuestMemoryTest, HostAccessToFreedMemoryAndGuardsFaults) {
  const uint64_t address = Allocate(kPage);
  const auto touch = [](uint64_t where) { *reinterpret_cast<volatile char*>(where) = 1; };
  touch(address);
  EXPECT_DEATH(touch(address + kPage), "");
  EXPECT_DEATH(touch(address - 1), "");
  ASSERT_TRUE(memory_->Free(address).ok());
  EXPECT_DEATH(touch(address), "");
}

TEST_F(GuestMemoryTest, PagesThatNothingHasTouched) {
  const uint64_t address = Allocate(8 * kPage);
  const uint64_t other = Allocate(kPage);
  EXPECT_FALSE(memory_->HasUndefined());
  EXPECT_FALSE(memory_->IsUntouched(address));  // zeros that are promised
  memory_->LeaveUndefined(address);
  EXPECT_TRUE(memory_->HasUndefined());
  EXPECT_TRUE(memory_->IsUntouched(address));
  EXPECT_TRUE(memory_->IsUntouched(address + 8 * kPage - 1));
  EXPECT_FALSE(memory_->IsUntouched(address + 8 * kPage));
  EXPECT_FALSE(memory_->IsUntouched(other));
  // Zeros that are written, and pages that are read only.
  *reinterpret_cast<volatile char*>(address + kPage) = 0;
  EXPECT_EQ(*reinterpret_cast<volatile char*>(address + 3 * kPage), 0);
  for (const uint64_t page : {0, 1, 2, 3, 4}) {
    EXPECT_EQ(memory_->IsUntouched(address + page * kPage), page % 2 == 0) << page;
  }
  // What is in pages that are shared is not known.
  ASSERT_TRUE(memory_->Share(address, "shared").ok());
  EXPECT_FALSE(memory_->IsUntouched(address));
  ASSERT_TRUE(memory_->Free(address).ok());
  EXPECT_FALSE(memory_->IsUntouched(address));
}

TEST_F(GuestMemoryTest, OnlyStartsOfLiveAllocationsCanBeFreed) {
  const uint64_t address = Allocate(2 * kPage);
  EXPECT_FALSE(memory_->Free(address + kPage).ok());
  EXPECT_FALSE(memory_->Free(0).ok());
  EXPECT_TRUE(memory_->Free(address).ok());
  const auto twice = memory_->Free(address);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(GuestMemoryTest, NeighbouringHolesMerge) {
  constexpr uint64_t kBlock = 16 * kPage;
  // Every order of freeing three neighbours must leave one hole that exactly fits them all.
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    uint64_t blocks[3];
    for (uint64_t& block : blocks) block = Allocate(kBlock);
    const uint64_t fence = Allocate(kPage);
    for (const int i : order) ASSERT_TRUE(memory_->Free(blocks[i]).ok());
    EXPECT_EQ(Allocate(3 * kBlock + 2 * kGuard), blocks[0]);
    ASSERT_TRUE(memory_->Free(blocks[0]).ok());
    ASSERT_TRUE(memory_->Free(fence).ok());
  }
}

TEST_F(GuestMemoryTest, TheSmallestHoleThatFitsIsUsed) {
  const uint64_t large = Allocate(64 * kPage);
  Allocate(kPage);
  const uint64_t small = Allocate(4 * kPage);
  Allocate(kPage);
  ASSERT_TRUE(memory_->Free(large).ok());
  ASSERT_TRUE(memory_->Free(small).ok());
  EXPECT_EQ(Allocate(4 * kPage), small);
  EXPECT_EQ(Allocate(5 * kPage), large);
}

TEST_F(GuestMemoryTest, TooLargeIsAnError) {
  for (const uint64_t bytes : {GuestMemory::kRangeBytes + 1, GuestMemory::kRangeBytes - kPage,
                               UINT64_MAX, UINT64_MAX - kPage}) {
    const auto result = memory_->Allocate(bytes, "monster");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kOutOfResources);
    EXPECT_NE(result.error().message.find("monster"), std::string::npos);
  }
  Allocate(kPage);  // and nothing is broken
}

TEST_F(GuestMemoryTest, TheSumOfAllocationsIsLimitedToPhysicalMemory) {
  std::vector<uint64_t> blocks;
  constexpr uint64_t kBlock = uint64_t{4} << 30;  // never touched, so never committed
  while (blocks.size() < 1000) {
    const auto block = memory_->Allocate(kBlock, "block");
    if (!block) {
      EXPECT_EQ(block.error().code, ErrorCode::kOutOfResources);
      break;
    }
    blocks.push_back(*block);
  }
  EXPECT_LT(blocks.size(), GuestMemory::kRangeBytes / kBlock);
  for (const uint64_t block : blocks) ASSERT_TRUE(memory_->Free(block).ok());
  if (!blocks.empty()) Allocate(kBlock);
}

TEST_F(GuestMemoryTest, DescribesWhereAnAddressIs) {
  EXPECT_EQ(memory_->Describe(memory_->base() + (uint64_t{1} << 30)), "there is no allocation");
  const uint64_t low = Allocate(4096, "first");
  const uint64_t high = Allocate(10000, "second");
  const std::string first = fmt::format("the 4,096-byte allocation 'first' at {:#x}", low);
  const std::string second = fmt::format("the 10,000-byte allocation 'second' at {:#x}", high);
  EXPECT_EQ(memory_->Describe(low + 4096 + 256), "256 bytes past the end of " + first);
  EXPECT_EQ(memory_->Describe(low + 4097), "1 byte past the end of " + first);
  EXPECT_EQ(memory_->Describe(high - 1), "1 byte before " + second);
  EXPECT_EQ(memory_->Describe(low - 8), "8 bytes before " + first);
  EXPECT_EQ(memory_->Describe(high + 1234), "at offset 1,234 of " + second);
  EXPECT_EQ(memory_->Describe(high + 10000), "0 bytes past the end of " + second);
  EXPECT_EQ(memory_->Describe(0x10), "16 bytes past the null pointer");
  EXPECT_EQ(memory_->Describe(high + (uint64_t{1} << 30)),
            fmt::format("{} bytes past the end of {}", "1,073,731,824", second));
}

TEST_F(GuestMemoryTest, NearestPrefersTheCloserNeighbour) {
  const uint64_t low = Allocate(kPage, "low");
  const uint64_t high = Allocate(kPage, "high");
  EXPECT_EQ(memory_->Nearest(low + kPage + 1).label, "low");
  EXPECT_EQ(memory_->Nearest(high - 1).label, "high");
  EXPECT_EQ(memory_->Nearest(0).label, "low");
  EXPECT_EQ(memory_->Nearest(UINT64_MAX).label, "high");
}

TEST_F(GuestMemoryTest, ThreadsShareTheRange) {
  constexpr int kThreads = 8;
  std::atomic<int> damaged = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::vector<std::pair<uint64_t, uint64_t>> mine;
      for (int i = 0; i < 400; ++i) {
        if (mine.size() < 16 && random() % 3 != 0) {
          const uint64_t bytes = 1 + random() % (8 * kPage);
          const auto address = memory_->Allocate(bytes, "thread");
          if (!address || !IsZero(*address, bytes)) ++damaged;
          if (!address) continue;
          std::memset(reinterpret_cast<void*>(*address), t + 1, bytes);
          mine.emplace_back(*address, bytes);
        } else if (!mine.empty()) {
          const size_t victim = random() % mine.size();
          const auto [address, bytes] = mine[victim];
          const auto* data = reinterpret_cast<const unsigned char*>(address);
          for (uint64_t k = 0; k < bytes; ++k) {
            if (data[k] != t + 1) ++damaged;
          }
          if (!memory_->Free(address).ok()) ++damaged;
          mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(victim));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(damaged.load(), 0);
}

// ---- Readers

// What a reader may still be accessing is neither unmapped nor used for anything else.
TEST_F(GuestMemoryTest, FreedMemoryWaitsForReaders) {
  const uint64_t address = Allocate(8 * kPage);
  std::memset(reinterpret_cast<void*>(address), 0xFF, 8 * kPage);
  const auto touch = [](uint64_t where) { *reinterpret_cast<volatile char*>(where) = 1; };
  GuestMemory::Reader first(*memory_);
  GuestMemory::Reader second(*memory_);
  ASSERT_TRUE(memory_->Free(address).ok());
  EXPECT_FALSE(memory_->Readable(address, 1));
  EXPECT_FALSE(memory_->Free(address).ok());
  first.Refresh();
  touch(address);
  EXPECT_NE(Allocate(8 * kPage), address);
  second.Refresh();
  EXPECT_DEATH(touch(address), "");
  EXPECT_EQ(Allocate(8 * kPage), address);
  EXPECT_TRUE(IsZero(address, 8 * kPage));
}

TEST_F(GuestMemoryTest, FreedMemoryWaitsForReadersOfItsTimeOnly) {
  const uint64_t early = Allocate(4 * kPage);
  const uint64_t late = Allocate(8 * kPage);
  const auto touch = [](uint64_t where) { *reinterpret_cast<volatile char*>(where) = 1; };
  {
    const GuestMemory::Reader old(*memory_);
    ASSERT_TRUE(memory_->Free(early).ok());
    const GuestMemory::Reader young(*memory_);
    touch(early);
    ASSERT_TRUE(memory_->Free(late).ok());
  }
  EXPECT_DEATH(touch(early), "");
  EXPECT_DEATH(touch(late), "");
}

// Memory that only waits for readers is no reason to refuse an allocation.
TEST_F(GuestMemoryTest, AllocationsWaitForFreedMemory) {
  constexpr uint64_t kBlock = uint64_t{4} << 30;  // never touched, so never committed
  std::vector<uint64_t> blocks;
  while (const auto block = memory_->Allocate(kBlock, "block")) blocks.push_back(*block);
  ASSERT_FALSE(blocks.empty());
  std::atomic<bool> has_reader = false;
  std::atomic<bool> freed = false;
  std::atomic<bool> allocated = false;
  std::thread thread([&] {
    GuestMemory::Reader reader(*memory_);
    has_reader = true;
    while (!freed) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    reader.Refresh();
    while (!allocated) std::this_thread::yield();
  });
  while (!has_reader) std::this_thread::yield();
  ASSERT_TRUE(memory_->Free(blocks[0]).ok());
  freed = true;
  const auto again = memory_->Allocate(kBlock, "again");
  EXPECT_TRUE(again.ok()) << again.error().message;
  allocated = true;
  thread.join();
}

// Threads that ask and then read for a while, while another one frees what they read.
TEST_F(GuestMemoryTest, ReadersNeverFindMemoryUnmapped) {
  constexpr int kBlocks = 4;
  constexpr int kPasses = 1000;
  std::atomic<uint64_t> blocks[kBlocks] = {};
  std::atomic<int> readers_left = 2;
  std::atomic<int> not_zero = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      GuestMemory::Reader reader(*memory_);
      for (int pass = 0; pass < kPasses;) {
        reader.Refresh();
        const uint64_t address = blocks[pass % kBlocks];
        if (!memory_->Readable(address, 4)) continue;
        for (int i = 0; i < 10000; ++i) {
          if (*reinterpret_cast<const volatile uint32_t*>(address) != 0) ++not_zero;
        }
        ++pass;
      }
      --readers_left;
    });
  }
  for (int n = 0; readers_left != 0; ++n) {
    std::atomic<uint64_t>& block = blocks[n % kBlocks];
    if (block != 0) {
      EXPECT_TRUE(memory_->Free(block).ok());
    }
    std::this_thread::yield();
    block = Allocate(kPage);
  }
  for (std::thread& thread : readers) thread.join();
  EXPECT_EQ(not_zero.load(), 0);
}

TEST(DeviceTest, DataIsAViewOfOneAllocation) {
  auto device = Device::Create();
  ASSERT_TRUE(device.ok());
  const auto address = device->Allocate(100);
  ASSERT_TRUE(address.ok());
  const auto data = device->Data(*address, 100);
  ASSERT_EQ(data.size(), 100u);
  EXPECT_EQ(reinterpret_cast<uint64_t>(data.data()), *address);
  data[99] = std::byte{7};
  EXPECT_EQ(device->Data(*address + 99, 1)[0], std::byte{7});
  EXPECT_TRUE(device->Data(*address, kPage + 1).empty());
  EXPECT_TRUE(device->Data(*address - 1, 1).empty());
  ASSERT_TRUE(device->Free(*address).ok());
  EXPECT_TRUE(device->Data(*address, 1).empty());
  EXPECT_FALSE(device->Free(*address).ok());
}

}  // namespace
}  // namespace gcnjit::runtime
