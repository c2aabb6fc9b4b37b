#include "runtime/memory/host_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>

#include "backend_x64/host/code_memory.h"
#include "runtime/memory/host_mappings.h"

namespace gcnjit::runtime {
namespace {

using Range = HostMemory::Range;

// Ranges that the thread found last: lanes tend to stay in the same few.
struct Memo {
  struct Entry {
    uint64_t generation = 0;
    Range range;
  };
  std::array<Entry, 4> entries;
  size_t oldest = 0;

  static Memo& Current() {
    thread_local Memo memo;
    return memo;
  }
};

uint64_t NextSnapshot() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1);
}

bool IsKernelPage(std::string_view name) {
  return name.starts_with("[vvar") || name == "[vsyscall]";
}

// What the JIT writes code through, and the code itself.
bool IsCodeMemory(const HostMapping& mapping) {
  return mapping.shared && backend::CodeMemory::Instance().Holds(mapping.begin);
}

// The main thread's stack grows when it is accessed, by whomever, down to its limit, but leaves a
// gap to what is mapped below.
uint64_t LowestStackAddress(const HostMapping& stack, uint64_t below) {
  constexpr uint64_t kGap = 1 << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return stack.begin;
  const uint64_t page_mask = 4095;
  const uint64_t lowest = stack.end - std::min<uint64_t>(limit.rlim_cur & ~page_mask, stack.end);
  return std::min(stack.begin, std::max(lowest, below + kGap));
}

uint8_t AccessOf(const HostMapping& mapping) {
  return static_cast<uint8_t>((mapping.readable ? HostMemory::kRead : 0) |
                              (mapping.writable ? HostMemory::kWrite : 0));
}

}  // namespace

std::unique_ptr<HostMemory> HostMemory::Create(std::vector<Range> excluded) {
  std::sort(excluded.begin(), excluded.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::unique_ptr<HostMemory> memory(new HostMemory(std::move(excluded)));
  const std::lock_guard lock(memory->mutex_);
  if (!memory->TakeSnapshot()) return nullptr;
  return memory;
}

// The caller holds mutex_.
bool HostMemory::TakeSnapshot() {
  // Before the list is read: a caller that sees a later number than when it asked sees a snapshot
  // that was begun after its question.
  generation_.store(NextSnapshot());
  std::vector<Range> old = std::move(ranges_);
  ranges_ = {};
  // Growing while the list is read could move what it lists.
  ranges_.reserve(old.size() + old.size() / 4 + 256);
  uint64_t below = 0;
  const bool is_read = ForEachHostMapping([&](const HostMapping& mapping) {
    Range range = {mapping.begin, mapping.end, AccessOf(mapping)};
    if (mapping.name == "[stack]") range.begin = LowestStackAddress(mapping, below);
    below = mapping.end;
    if (range.access != 0 && !IsKernelPage(mapping.name) && !IsCodeMemory(mapping)) {
      Add(range);
    }
  });
  if (!is_read) ranges_ = std::move(old);
  return is_read;
}

// What is left of the range without what is excluded.
void HostMemory::Add(Range range) {
  for (const Range& excluded : excluded_) {
    if (excluded.end <= range.begin || excluded.begin >= range.end) continue;
    if (range.begin < excluded.begin)
      ranges_.push_back({range.begin, excluded.begin, range.access});
    range.begin = std::min(excluded.end, range.end);
  }
  if (range.begin == range.end) return;
  if (!ranges_.empty() && ranges_.back().end == range.begin &&
      ranges_.back().access == range.access) {
    ranges_.back().end = range.end;
  } else {
    ranges_.push_back(range);
  }
}

// The caller holds mutex_.
const Range* HostMemory::Find(uint64_t address) const {
  const auto above = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](uint64_t at, const Range& r) { return at < r.begin; });
  if (above == ranges_.begin()) return nullptr;
  const Range& range = *std::prev(above);
  return address < range.end ? &range : nullptr;
}

// The caller holds mutex_.
bool HostMemory::Covers(uint64_t address, uint32_t bytes, uint8_t access) const {
  const uint64_t last = address + (bytes - 1);
  if (last < address) return false;
  for (uint64_t at = address;;) {
    const Range* range = Find(at);
    if (range == nullptr || (range->access & access) != access) return false;
    if (last < range->end) return true;
    at = range->end;
  }
}

bool HostMemory::IsAccessible(uint64_t address, uint32_t bytes, uint8_t access) {
  Memo& memo = Memo::Current();
  const uint64_t known = generation_.load(std::memory_order_acquire);
  for (const Memo::Entry& entry : memo.entries) {
    const Range& range = entry.range;
    if (entry.generation == known && (range.access & access) == access && address >= range.begin &&
        address < range.end && bytes <= range.end - address) {
      return true;
    }
  }
  const std::lock_guard lock(mutex_);
  if (!Covers(address, bytes, access)) {
    // It may have been mapped since. A snapshot that was begun after the question was put is new
    // enough; and since an access that is refused is a fault, which ends the launch, there are not
    // many of these.
    if (generation_.load(std::memory_order_relaxed) == known) TakeSnapshot();
    if (!Covers(address, bytes, access)) return false;
  }
  memo.entries[memo.oldest] = {generation_.load(std::memory_order_relaxed), *Find(address)};
  memo.oldest = (memo.oldest + 1) % memo.entries.size();
  return true;
}

Range HostMemory::AccessibleAround(uint64_t address, uint8_t access) {
  if (!IsAccessible(address, 1, access)) return {};
  const std::lock_guard lock(mutex_);
  const Range* range = Find(address);
  return range != nullptr && (range->access & access) == access ? *range : Range{};
}

void HostMemory::Refresh() {
  const uint64_t known = generation_.load(std::memory_order_acquire);
  const std::lock_guard lock(mutex_);
  // Another thread may just have done it.
  if (generation_.load(std::memory_order_relaxed) == known) TakeSnapshot();
}

bool HostMemory::Read(uint64_t address, void* to, uint32_t bytes) {
  if (!IsAccessible(address, bytes, kRead)) return false;
  if (GuardedCopy(to, reinterpret_cast<const void*>(address), bytes)) return true;
  Refresh();
  return false;
}

bool HostMemory::Write(uint64_t address, const void* from, uint32_t bytes) {
  if (!IsAccessible(address, bytes, kWrite)) return false;
  if (GuardedCopy(reinterpret_cast<void*>(address), from, bytes)) return true;
  Refresh();
  return false;
}

std::string HostMemory::Describe(uint64_t address) const {
  const auto text_of = [](const HostMapping& mapping) {
    return fmt::format("the host's memory {:#x} to {:#x} ({}{}{}{})", mapping.begin, mapping.end,
                       mapping.readable ? "r" : "-", mapping.writable ? "w" : "-",
                       mapping.name.empty() ? "" : ", ", mapping.name);
  };
  std::string inside, below;
  uint64_t below_end = 0;
  ForEachHostMapping([&](const HostMapping& mapping) {
    if (address >= mapping.begin && address < mapping.end) {
      inside = text_of(mapping);
    } else if (mapping.end <= address) {
      below = text_of(mapping);
      below_end = mapping.end;
    }
  });
  if (!inside.empty()) return fmt::format("in {}", inside);
  if (below.empty()) return "below all of the host's memory";
  return fmt::format("{} bytes past the end of {}", address - below_end, below);
}

}  // namespace gcnjit::runtime
