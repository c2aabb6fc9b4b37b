// Guest memory: reserved addresses, what is mapped there, shared pages, and readers of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "runtime/memory/guest_memory.h"
#include "runtime/memory/memory_reader.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kReservedPage = GuestMemory::kPageBytes;
constexpr uint8_t kReads = PieceAccess::kGuestReads | PieceAccess::kHostReads;
constexpr uint8_t kAll = kReads | PieceAccess::kGuestWrites | PieceAccess::kHostWrites;

volatile uint32_t& Word(uint64_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

class ReservedMemoryTest : public testing::Test {
 protected:
  uint64_t Reserve(uint64_t pages) {
    const auto address = memory_->ReserveAddresses(pages * kReservedPage, "reserved");
    EXPECT_TRUE(address.ok());
    return *address;
  }
  std::shared_ptr<const SharedPages> Pages(uint64_t pages) {
    const auto made = memory_->CreatePages(pages * kReservedPage, "pages");
    EXPECT_TRUE(made.ok());
    return *made;
  }

  std::shared_ptr<GuestMemory> memory_ = *GuestMemory::Reserve();
};

TEST_F(ReservedMemoryTest, HoldsNothingAtFirst) {
  // More than the machine has: addresses cost nothing.
  const uint64_t bytes = GuestMemory::kRangeBytes / 2;
  const auto address = memory_->ReserveAddresses(bytes, "reserved");
  ASSERT_TRUE(address.ok()) << address.error().message;
  EXPECT_FALSE(memory_->Readable(*address, 4));
  EXPECT_FALSE(memory_->InOneAllocation(*address, 1));
  EXPECT_FALSE(memory_->HostMayWrite(*address, 1));
  EXPECT_EQ(memory_->AccessibleAround(*address, false).end, 0u);
  EXPECT_NE(memory_->Describe(*address + 5 * kReservedPage).find("no memory is mapped"),
            std::string::npos);
  EXPECT_FALSE(memory_->Free(*address).ok());
  EXPECT_FALSE(memory_->Protect(*address, kReservedPage, GuestMemory::Access::kReadWrite).ok());
  EXPECT_FALSE(memory_->Seal(*address, kReservedPage).ok());
  EXPECT_FALSE(memory_->Extend(*address, bytes + kReservedPage).ok());
  EXPECT_FALSE(memory_->Share(*address, "shared").ok());
  EXPECT_DEATH(Word(*address) = 1, "");
  EXPECT_TRUE(memory_->FreeAddresses(*address).ok());
  EXPECT_FALSE(memory_->FreeAddresses(*address).ok());
  EXPECT_EQ(memory_->ReserveAddresses(bytes, "again").value(), *address);
}

TEST_F(ReservedMemoryTest, GoesWhereItIsWanted) {
  const uint64_t first = Reserve(16);
  const uint64_t wanted = first + (64 << 20);
  EXPECT_EQ(memory_->ReserveAddresses(4 * kReservedPage, "there", kReservedPage, wanted).value(),
            wanted);
  // Taken, or not ours at all.
  for (const uint64_t taken :
       {wanted, wanted + kReservedPage, wanted - kReservedPage, first, uint64_t{kReservedPage},
        uint64_t{1}, UINT64_MAX, UINT64_MAX - kReservedPage + 1,
        memory_->base() + GuestMemory::kRangeBytes - kReservedPage}) {
    const auto other =
        memory_->ReserveAddresses(4 * kReservedPage, "elsewhere", kReservedPage, taken);
    ASSERT_TRUE(other.ok());
    EXPECT_NE(*other, taken);
  }
  for (const uint64_t alignment : {uint64_t{1} << 21, uint64_t{1} << 30}) {
    EXPECT_EQ(memory_->ReserveAddresses(kReservedPage, "aligned", alignment).value() % alignment,
              0u);
  }
  EXPECT_FALSE(memory_->ReserveAddresses(kReservedPage, "aligned", uint64_t{1} << 63).ok());
  EXPECT_FALSE(memory_->ReserveAddresses(kReservedPage, "aligned", 3 * kReservedPage).ok());
  EXPECT_FALSE(memory_->ReserveAddresses(kReservedPage, "aligned", 16).ok());
  EXPECT_FALSE(memory_->ReserveAddresses(0, "empty").ok());
  EXPECT_FALSE(memory_->ReserveAddresses(kReservedPage + 1, "odd").ok());
  EXPECT_FALSE(memory_->ReserveAddresses(GuestMemory::kRangeBytes, "large").ok());
  EXPECT_FALSE(memory_->ReserveAddresses(UINT64_MAX - kReservedPage + 1, "huge").ok());
}

TEST_F(ReservedMemoryTest, MappingsOfTheSamePagesAreTheSameMemory) {
  const uint64_t address = Reserve(16);
  const auto pages = Pages(4);
  ASSERT_TRUE(memory_->Map(address, 4 * kReservedPage, pages, 0).ok());
  EXPECT_FALSE(memory_->Readable(address, 4));
  EXPECT_NE(memory_->Describe(address).find("no access"), std::string::npos);
  ASSERT_TRUE(
      memory_->Map(address + 8 * kReservedPage, 2 * kReservedPage, pages, 2 * kReservedPage).ok());
  ASSERT_TRUE(memory_->SetPieceAccess(address, kAll).ok());
  ASSERT_TRUE(memory_->SetPieceAccess(address + 8 * kReservedPage, kReads).ok());
  EXPECT_TRUE(memory_->Writable(address + 4 * kReservedPage - 64, 64));
  EXPECT_FALSE(memory_->Writable(address + 8 * kReservedPage, 4));
  EXPECT_TRUE(memory_->Readable(address + 8 * kReservedPage, 4));
  EXPECT_FALSE(memory_->HostMayWrite(address + 8 * kReservedPage, 4));
  EXPECT_EQ(Word(address), 0u);
  Word(address + 3 * kReservedPage) = 77;
  EXPECT_EQ(Word(address + 9 * kReservedPage), 77u);
  // The memory outlives what is mapped of it.
  ASSERT_TRUE(memory_->Unmap(address).ok());
  EXPECT_FALSE(memory_->Readable(address, 4));
  EXPECT_EQ(Word(address + 9 * kReservedPage), 77u);
  EXPECT_DEATH(Word(address) = 1, "");
  EXPECT_FALSE(memory_->FreeAddresses(address).ok()) << "something is mapped";
  ASSERT_TRUE(memory_->Unmap(address + 8 * kReservedPage).ok());
  EXPECT_TRUE(memory_->FreeAddresses(address).ok());
}

TEST_F(ReservedMemoryTest, WrongMappings) {
  const uint64_t address = Reserve(8);
  const uint64_t buffer = memory_->Allocate(8 * kReservedPage, "buffer").value();
  const auto pages = Pages(4);
  ASSERT_TRUE(memory_->Map(address + 2 * kReservedPage, 2 * kReservedPage, pages, 0).ok());
  struct Case {
    uint64_t address, bytes, offset;
  };
  for (const Case& wrong :
       std::vector<Case>{{address, 0, 0},
                         {address + 1, kReservedPage, 0},
                         {address, kReservedPage + 1, 0},
                         {address, kReservedPage, 1},
                         {address, 5 * kReservedPage, 0},
                         {address, kReservedPage, 4 * kReservedPage},
                         {address, 2 * kReservedPage, 3 * kReservedPage},
                         {address, kReservedPage, UINT64_MAX - kReservedPage + 1},
                         {address, UINT64_MAX - kReservedPage + 1, 0},
                         {address + 2 * kReservedPage, kReservedPage, 0},
                         {address + 3 * kReservedPage, 4 * kReservedPage, 0},
                         {address, 3 * kReservedPage, 0},
                         {address + 7 * kReservedPage, 2 * kReservedPage, 0},
                         {address - kReservedPage, kReservedPage, 0},
                         {buffer, kReservedPage, 0},
                         {0, kReservedPage, 0},
                         {UINT64_MAX - kReservedPage + 1, kReservedPage, 0}}) {
    EXPECT_FALSE(memory_->Map(wrong.address, wrong.bytes, pages, wrong.offset).ok())
        << wrong.address - address << " " << wrong.bytes << " " << wrong.offset;
  }
  EXPECT_FALSE(memory_->Unmap(address).ok());
  EXPECT_FALSE(memory_->Unmap(address + 3 * kReservedPage).ok());
  EXPECT_FALSE(memory_->Unmap(buffer).ok());
  EXPECT_FALSE(memory_->SetPieceAccess(address + 3 * kReservedPage, kAll).ok());
  EXPECT_FALSE(memory_->FreeAddresses(buffer).ok());
  EXPECT_FALSE(memory_->CreatePages(0, "empty").ok());
  EXPECT_FALSE(memory_->CreatePages(kReservedPage - 1, "odd").ok());
  EXPECT_FALSE(memory_->CreatePages(UINT64_MAX - kReservedPage + 1, "huge").ok());
}

// What is asked of many pages is answered as a table of pages does.
TEST_F(ReservedMemoryTest, QuestionsOverManyPieces) {
  std::mt19937 random(7);
  constexpr uint64_t kPages = 64;
  const uint64_t address = Reserve(kPages);
  const auto pages = Pages(kPages);
  std::map<uint64_t, uint64_t> pieces;  // page -> pages
  std::vector<int> access(kPages, -1);  // -1: nothing mapped
  for (int step = 0; step < 400; ++step) {
    const uint64_t first = random() % kPages;
    const uint64_t count = 1 + random() % 6;
    if (const auto piece = pieces.find(first); piece != pieces.end()) {
      if (random() % 2 == 0) {
        ASSERT_TRUE(memory_->Unmap(address + first * kReservedPage).ok());
        std::fill_n(access.begin() + static_cast<long>(first), piece->second, -1);
        pieces.erase(piece);
      } else {
        const uint8_t wanted = std::vector<uint8_t>{0, kReads, kAll}[random() % 3];
        ASSERT_TRUE(memory_->SetPieceAccess(address + first * kReservedPage, wanted).ok());
        std::fill_n(access.begin() + static_cast<long>(first), piece->second, wanted);
      }
    } else if (memory_
                   ->Map(address + first * kReservedPage, count * kReservedPage, pages,
                         first * kReservedPage)
                   .ok()) {
      for (uint64_t page = first; page < first + count; ++page) {
        ASSERT_EQ(access.at(page), -1);
        access[page] = 0;
      }
      pieces[first] = count;
    }
    for (const bool write : {false, true}) {
      const int bits = write ? PieceAccess::kGuestWrites : PieceAccess::kGuestReads;
      const auto may = [&](uint64_t page) {
        return access[page] > 0 && (access[page] & bits) != 0;
      };
      const uint64_t at = random() % kPages;
      uint64_t begin = at, end = at;
      while (end < kPages && may(end)) ++end;
      while (begin > 0 && end != at && may(begin - 1)) --begin;
      const auto span = memory_->AccessibleAround(address + at * kReservedPage + 8, write);
      if (end == at) {
        EXPECT_EQ(span.begin, span.end);
      } else {
        EXPECT_EQ(span.begin, address + begin * kReservedPage);
        EXPECT_EQ(span.end, address + end * kReservedPage);
      }
      const uint64_t bytes = (end - at) * kReservedPage;
      EXPECT_EQ(write ? memory_->HostMayWrite(address + at * kReservedPage, bytes + 1)
                      : memory_->InOneAllocation(address + at * kReservedPage, bytes + 1),
                false);
      if (bytes != 0) {
        EXPECT_TRUE(write ? memory_->HostMayWrite(address + at * kReservedPage, bytes)
                          : memory_->InOneAllocation(address + at * kReservedPage, bytes));
      }
    }
  }
}

// What a reader may still be accessing stays mapped, and the addresses get nothing else.
TEST_F(ReservedMemoryTest, UnmappedPagesWaitForReaders) {
  const uint64_t address = Reserve(4);
  const auto old = Pages(4), fresh = Pages(4);
  ASSERT_TRUE(memory_->Map(address, 4 * kReservedPage, old, 0).ok());
  ASSERT_TRUE(memory_->SetPieceAccess(address, kAll).ok());
  Word(address) = 5;
  std::atomic<bool> may_refresh = false, is_refreshed = false, has_reader = false;
  std::thread thread([&] {
    GuestMemory::Reader reader(*memory_);
    has_reader = true;
    while (!may_refresh) std::this_thread::yield();
    for (int n = 0; n < 100; ++n) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      Word(address) = 6;
    }
    is_refreshed = true;
    reader.Refresh();
  });
  while (!has_reader) std::this_thread::yield();
  const uint64_t epoch = memory_->epoch();
  ASSERT_TRUE(memory_->Unmap(address).ok());
  EXPECT_NE(memory_->epoch(), epoch);
  EXPECT_FALSE(memory_->Writable(address, 4));
  Word(address) = 6;
  may_refresh = true;
  ASSERT_TRUE(memory_->Map(address, 4 * kReservedPage, fresh, 0).ok());
  EXPECT_TRUE(is_refreshed);
  ASSERT_TRUE(memory_->SetPieceAccess(address, kAll).ok());
  EXPECT_EQ(Word(address), 0u);
  thread.join();
  // Rights that are taken back are gone for later questions, and harm no reader.
  GuestMemory::Reader reader(*memory_);
  ASSERT_TRUE(memory_->SetPieceAccess(address, kReads).ok());
  EXPECT_FALSE(memory_->Writable(address, 4));
  Word(address) = 1;
}

TEST_F(ReservedMemoryTest, PagesCountWhileTheyLive) {
  std::vector<std::shared_ptr<const SharedPages>> all;
  constexpr uint64_t kBlock = uint64_t{1} << 30;  // never touched
  while (true) {
    auto pages = memory_->CreatePages(kBlock, "block");
    if (!pages) break;
    all.push_back(std::move(*pages));
  }
  ASSERT_FALSE(all.empty());
  EXPECT_FALSE(memory_->Allocate(kBlock, "too much").ok());
  const uint64_t address = memory_->ReserveAddresses(kBlock, "reserved").value();
  ASSERT_TRUE(memory_->Map(address, kBlock, all.back(), 0).ok());
  all.pop_back();
  EXPECT_FALSE(memory_->Allocate(kBlock, "still mapped").ok());
  ASSERT_TRUE(memory_->Unmap(address).ok());
  EXPECT_TRUE(memory_->Allocate(kBlock, "now there is room").ok());
}

TEST_F(ReservedMemoryTest, AllocationsAreSharedInPlace) {
  const uint64_t address = memory_->Allocate(6 * kReservedPage, "buffer").value();
  Word(address + kReservedPage + 4) = 9;
  const auto shared = memory_->Share(address, "name");
  ASSERT_TRUE(shared.ok()) << shared.error().message;
  EXPECT_EQ((*shared)->bytes(), 6 * kReservedPage);
  EXPECT_EQ(memory_->Share(address, "name").value(), *shared);
  EXPECT_EQ(Word(address + kReservedPage + 4), 9u);
  const int file = (*shared)->Export().value();
  const auto imported = SharedPages::Import(file);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(close(file), 0);
  EXPECT_TRUE((*imported)->IsSame(**shared));
  EXPECT_EQ((*imported)->name(), "name");
  const uint64_t other = Reserve(6);
  ASSERT_TRUE(memory_->Map(other, 6 * kReservedPage, *imported, 0).ok());
  ASSERT_TRUE(memory_->SetPieceAccess(other, kAll).ok());
  Word(other + 5 * kReservedPage) = 10;
  EXPECT_EQ(Word(address + 5 * kReservedPage), 10u);
  EXPECT_EQ(Word(other + kReservedPage + 4), 9u);
  // Freed here, it lives on there; and the addresses come back as fresh zeros.
  ASSERT_TRUE(memory_->Free(address).ok());
  EXPECT_EQ(Word(other + 5 * kReservedPage), 10u);
  EXPECT_EQ(memory_->Allocate(6 * kReservedPage, "again").value(), address);
  EXPECT_EQ(Word(address + 5 * kReservedPage), 0u);
  Word(address + 5 * kReservedPage) = 11;
  EXPECT_EQ(Word(other + 5 * kReservedPage), 10u);
}

TEST_F(ReservedMemoryTest, AllocationsTakeOtherPages) {
  const auto pages = SharedPages::Create(2 * kReservedPage, "name").value();
  const uint64_t first = memory_->Allocate(2 * kReservedPage, "first").value();
  const uint64_t second = memory_->Allocate(kReservedPage + 1, "second").value();
  const uint64_t small = memory_->Allocate(kReservedPage, "small").value();
  Word(first) = 1;
  ASSERT_TRUE(memory_->Replace(first, pages).ok());
  ASSERT_TRUE(memory_->Replace(second, pages).ok());
  EXPECT_EQ(Word(first), 0u);
  Word(first + 8) = 2;
  EXPECT_EQ(Word(second + 8), 2u);
  EXPECT_FALSE(memory_->Replace(small, pages).ok());
  EXPECT_FALSE(memory_->Replace(first + kReservedPage, pages).ok());
  ASSERT_TRUE(memory_->Seal(small, kReservedPage).ok());
  EXPECT_FALSE(memory_->Replace(small, nullptr).ok());
  ASSERT_TRUE(memory_->Replace(first, nullptr).ok());
  EXPECT_EQ(Word(first + 8), 0u);
  Word(first + 8) = 3;
  EXPECT_EQ(Word(second + 8), 2u);
  ASSERT_TRUE(memory_->Free(second).ok());
  EXPECT_EQ(memory_->Allocate(2 * kReservedPage, "again").value(), second);
  EXPECT_EQ(Word(second + 8), 0u);
}

TEST_F(ReservedMemoryTest, OnlyOurPagesAreImported) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int null = open("/dev/null", O_RDWR);
  const int foreign = memfd_create("gcnjit name", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(foreign, kReservedPage), 0);
  for (const int file : {-1, 1 << 20, ends[0], null, foreign}) {
    EXPECT_FALSE(SharedPages::Import(file).ok()) << file;
  }
  ASSERT_EQ(fcntl(foreign, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  EXPECT_TRUE(SharedPages::Import(foreign).ok());
  // They cannot be cut off.
  const auto pages = SharedPages::Create(kReservedPage, "name").value();
  const int file = pages->Export().value();
  EXPECT_NE(ftruncate(file, 0), 0);
  for (const int used : {ends[0], ends[1], null, foreign, file}) close(used);
}

}  // namespace
}  // namespace gcnjit::runtime
