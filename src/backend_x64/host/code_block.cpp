#include "backend_x64/host/code_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace gcnjit::backend {
namespace {

constexpr size_t kPageBytes = 4096;

size_t RoundedUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

// Shared memory without a file: a file's size has a limit (RLIMIT_FSIZE), and takes a descriptor.
std::optional<CodeBlock> CodeBlock::Map(size_t bytes) {
  bytes = RoundedUp(bytes, kPageBytes);
  std::vector<Granule> granules(bytes / kGranule, Granule::kFree);
  void* const writable = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (writable == MAP_FAILED) return std::nullopt;
  // Of an old size of 0, the same pages are mapped once more.
  void* const executable = ::mremap(writable, 0, bytes, MREMAP_MAYMOVE);
  if (executable == MAP_FAILED) {
    ::munmap(writable, bytes);
    return std::nullopt;
  }
  CodeBlock block(static_cast<std::byte*>(writable), static_cast<const std::byte*>(executable),
                  std::move(granules));
  if (::mprotect(executable, bytes, PROT_READ | PROT_EXEC) != 0) return std::nullopt;
  return block;
}

CodeBlock::CodeBlock(std::byte* writable, const std::byte* executable,
                     std::vector<Granule> granules)
    : writable_(writable),
      executable_(executable),
      granules_(std::move(granules)),
      largest_(granules_.size()) {}

CodeBlock::CodeBlock(CodeBlock&& other) noexcept
    : writable_(std::exchange(other.writable_, nullptr)),
      executable_(other.executable_),
      granules_(std::move(other.granules_)),
      used_(other.used_),
      largest_(other.largest_),
      is_sealed_(other.is_sealed_) {}

CodeBlock::~CodeBlock() {
  if (writable_ == nullptr) return;
  ::munmap(writable_, bytes());
  ::munmap(const_cast<std::byte*>(executable_), bytes());
}

bool CodeBlock::Covers(uint64_t address) const {
  return address - reinterpret_cast<uint64_t>(writable_) < bytes() ||
         address - reinterpret_cast<uint64_t>(executable_) < bytes();
}

const std::byte* CodeBlock::Take(size_t bytes) {
  const size_t wanted = std::max<size_t>(RoundedUp(bytes, kGranule) / kGranule, 1);
  if (wanted > largest_) return nullptr;
  size_t largest = 0;
  const auto end = granules_.end();
  for (auto hole = granules_.begin();;) {
    hole = std::find(hole, end, Granule::kFree);
    const auto hole_end = std::find_if(hole, end, [](Granule g) { return g != Granule::kFree; });
    const auto size = static_cast<size_t>(hole_end - hole);
    if (size >= wanted) {
      std::fill_n(hole, wanted, Granule::kUsed);
      hole[static_cast<std::ptrdiff_t>(wanted) - 1] = Granule::kLast;
      used_ += wanted;
      return executable_ + static_cast<size_t>(hole - granules_.begin()) * kGranule;
    }
    if (hole_end == end) {
      largest_ = std::max(largest, size);
      return nullptr;
    }
    largest = std::max(largest, size);
    hole = hole_end;
  }
}

void CodeBlock::Release(const std::byte* code) {
  constexpr int kInt3 = 0xCC;
  const auto first = granules_.begin() + static_cast<std::ptrdiff_t>(OffsetOf(code) / kGranule);
  const auto end = std::find(first, granules_.end(), Granule::kLast) + 1;
  const auto count = static_cast<size_t>(end - first);
  std::fill(first, end, Granule::kFree);
  used_ -= count;
  if (is_sealed_) return;
  largest_ = granules_.size();
  std::memset(WritableAt(code), kInt3, count * kGranule);
}

void CodeBlock::Seal() {
  is_sealed_ = true;
  largest_ = 0;
}

}  // namespace gcnjit::backend
