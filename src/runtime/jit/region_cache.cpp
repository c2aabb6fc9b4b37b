#include "runtime/jit/region_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "frontend/lift/lifter.h"
#include "runtime/disk_cache/build_id.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/jit/region_image.h"
#include "runtime/jit/region_key.h"
#include "runtime/jit/translate_region.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {
namespace {

// About what an element of a hash map takes beside its value.
constexpr uint64_t kHashNodeBytes = 48;
constexpr uint64_t kEntryBytes = sizeof(JitEntry) + kHashNodeBytes;
// What is interpreted before compiling begins, and as much again for what a kernel's threads go
// beyond that.
constexpr uint64_t kMostCold = 2 * uint64_t{kWarmUp};

// Bytes of a code range that keys tell from others. Entries are told apart by their source: this
// is for finding the right one at once, and a range may be of any size.
constexpr size_t kMostHashed = 16 << 20;

uint64_t NextCacheGeneration() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1);
}

uint64_t NextRegion() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1);
}

// Between two looks at whether it is still worth waiting for.
constexpr std::chrono::milliseconds kPatience(10);

using Seconds = std::chrono::duration<double>;

template <typename T>
uint64_t BytesOf(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
}
uint64_t BytesOf(const ir::RegionShapes& shapes) {
  uint64_t bytes = sizeof(shapes) + BytesOf(shapes.at_begin) + BytesOf(shapes.ones_at_begin) +
                   BytesOf(shapes.apart_at_begin) + BytesOf(shapes.constants_at_begin);
  for (const auto& constants : shapes.constants_at_begin) bytes += BytesOf(constants);
  uint64_t patterns = 0;  // numbered from 1, and each is some entry's
  for (const auto& vgprs : shapes.at_begin) {
    bytes += BytesOf(vgprs);
    for (const auto& entry : vgprs) patterns = std::max<uint64_t>(patterns, entry.shape.offsets);
  }
  return bytes + patterns * (sizeof(ir::LanePatterns::Pattern) + kHashNodeBytes);
}

}  // namespace

backend::CompileOptions CompileOptionsFor(HostIsa isa, uint32_t mode) {
  backend::CompileOptions options;
  options.isa = isa;
  options.layout = {offsetof(WaveState, sgpr), offsetof(WaveState, scc), offsetof(WaveState, mode),
                    offsetof(WaveState, pc), offsetof(WaveState, vgpr)};
  options.base_env = frontend::F32Environment(mode);
  return options;
}

RegionCache::RegionCache(CodeMap& code, JitOptions options)
    : code_(code), options_(std::move(options)) {
  BeginGeneration();
}
RegionCache::~RegionCache() = default;

void RegionCache::BeginGeneration() {
  if (current_ != nullptr) {
    statistics_.discarded_regions += current_->regions.size();
    retired_.push_back(std::move(current_));
    warm_ups_.Restart();
  }
  current_ = std::make_unique<Generation>();
  current_->number = NextCacheGeneration();
  generation_.store(current_->number, std::memory_order_seq_cst);
}

void RegionCache::FreeRetired() {
  std::erase_if(retired_, [](const auto& old) { return !CodeEpoch::IsAnyIn(old->number); });
}

RegionCache::Variant& RegionCache::VariantOf(const JitKey& key) {
  const auto [at, is_new] = current_->variants.try_emplace(key, Variant{key, {}});
  if (is_new) current_->bytes += sizeof(Variant) + kHashNodeBytes;
  return at->second;
}

JitEntry RegionCache::Find(uint64_t pc, uint64_t kernel, const JitKey& key, CodeEpoch& user,
                           const std::atomic<bool>* stop) {
  JitEntry found;
  found.is_cold = true;
  std::unique_lock lock(mutex_, std::defer_lock);
  // Another launch may be compiling, for longer than this one has.
  while (!lock.try_lock_for(kPatience)) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return found;
  }
  try {
    found = FindFor(pc, kernel, key, stop);
  } catch (const TranslationStopped&) {
  }
  user.Enter(current_->number);
  if (!found.is_cold && !retired_.empty()) FreeRetired();
  return found;
}

JitEntry RegionCache::FindFor(uint64_t pc, uint64_t kernel, const JitKey& key, StopFlag stop) {
  Variant* variant = &VariantOf(key);
  if (!variant->entries.contains(pc)) {
    if (current_->bytes >= limit_.load(std::memory_order_relaxed)) {
      BeginGeneration();
      variant = &VariantOf(key);
    }
    // Shapes are known from the kernel's start on.
    if (key.shape.IsKnown() && !variant->entries.contains(kernel)) {
      CompileAt(*variant, kernel, kernel, stop);
    }
    // Waves that have begun cannot enter the code of whole groups.
    if (pc != kernel && key.shape.IsKnown() && variant->entries.at(kernel).IsForGroups()) {
      variant = &VariantOf({key.mode, key.vgprs, {}});
    }
    if (!variant->entries.contains(pc)) {
      if (IsCold(pc, kernel, key)) {
        JitEntry cold;
        cold.is_cold = true;
        return cold;
      }
      CompileAt(*variant, pc, kernel, stop);
    }
  }
  return variant->entries.at(pc);
}

void RegionCache::CompileAt(Variant& variant, uint64_t pc, uint64_t kernel, StopFlag stop) {
  const size_t entries_before = variant.entries.size();
  // The interpreter executes it until a region is found below.
  variant.entries.emplace(pc, JitEntry{});
  current_->bytes += kEntryBytes;
  // Under these bits an instruction means something else than it says.
  if ((variant.key.mode & (kModeGprIdxEn | kModeVskip)) != 0) return;
  TranslatedRegion region;
  try {
    region = Translate(variant.key, pc, kernel, stop);
  } catch (const TranslationStopped&) {
    variant.entries.erase(pc);
    current_->bytes -= kEntryBytes;
    throw;
  }
  current_->live[pc] = region.live;
  current_->bytes += sizeof(frontend::RegisterSet) + kHashNodeBytes;
  for (const auto& [opcode, interpreted] : region.lifted.interpreted) {
    JitStatistics::Fallback& fallback = statistics_.fallbacks[opcode];
    fallback.count += interpreted.count;
    if (fallback.reason.empty()) fallback.reason = interpreted.reason;
  }
  if (region.code != nullptr) {
    // Entries point to what is kept already, even where the host's memory ends between the two.
    const backend::CompiledRegion& code = *region.code;
    const ir::RegionShapes& shapes = *region.shapes;
    const uint32_t first_window = current_->windows;
    Keep(region);
    AddEntries(variant, region.blocks, code, shapes, first_window, pc == kernel ? pc : 0);
  }
  // What has no block of its own is the interpreter's, or inside a block.
  if (!variant.entries.at(pc).IsForGroups()) {
    for (const frontend::SourceCode::Place& instruction : region.source.instructions) {
      variant.entries.try_emplace(instruction.pc);
    }
  }
  current_->bytes += (variant.entries.size() - entries_before - 1) * kEntryBytes;
}

// From the cache if it is there; else it is compiled, and will be there the next time.
TranslatedRegion RegionCache::Translate(const JitKey& key, uint64_t pc, uint64_t kernel,
                                        StopFlag stop) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const CodeMap::CodeRange range = code_.RangeAt(pc);
  // Profiles want to know more of the code than the cache does.
  backend::PerfMap* const perf_map = backend::PerfMap::Instance();
  HostCodeMap& code_map = HostCodeMap::Instance();
  const bool may_cache =
      cache_ != nullptr && perf_map == nullptr && !code_map.is_enabled() && range.end != 0;
  std::vector<std::byte> cache_key;
  if (may_cache) {
    cache_key = CacheKey(key, pc, kernel);
    if (const auto image = cache_->Read(cache_key)) {
      if (auto cached = UnpackRegion(*image, code_, range)) {
        if (cached->code != nullptr) ++statistics_.cached_regions;
        if (pc == kernel) cold_left_.try_emplace(kernel, kMostCold);
        statistics_.cache_seconds += Seconds(Clock::now() - start).count();
        return std::move(*cached);
      }
    }
  }
  const Clock::time_point compile = Clock::now();
  std::string error;
  TranslatedRegion region = TranslateRegion(code_, options_, key, pc, kernel, &error, stop);
  if (!error.empty()) ++statistics_.failures[error];
  if (region.code != nullptr) {
    ++statistics_.regions;
    if (perf_map != nullptr) AddToPerfMap(*region.code, *perf_map);
    if (code_map.is_enabled()) code_map.Add(*region.code);
  }
  statistics_.guest_instructions += region.lifted.lifted;
  const Clock::time_point done = Clock::now();
  statistics_.compile_seconds += Seconds(done - compile).count();
  if (may_cache && error.empty()) {
    if (const auto image = PackRegion(region, range)) cache_->Write(cache_key, *image);
  }
  statistics_.cache_seconds += Seconds(compile - start + (Clock::now() - done)).count();
  return region;
}

std::vector<std::byte> RegionCache::CacheKey(const JitKey& key, uint64_t pc, uint64_t kernel) {
  const CodeMap::CodeRange range = code_.RangeAt(pc);
  auto hash = code_hashes_.find(range.begin);
  if (hash == code_hashes_.end()) {
    const auto words = std::as_bytes(code_.WordsAt(range.begin));
    const auto hashed = words.first(std::min(words.size(), kMostHashed));
    hash = code_hashes_.emplace(range.begin, HashOf(hashed)).first;
  }
  return RegionKey(BuildId(), options_, key, code_.processor(), range, hash->second, pc, kernel);
}

void RegionCache::SetCache(std::shared_ptr<CacheFolder> cache) {
  const std::scoped_lock lock(mutex_);
  if (cache_ != cache) not_cached_.clear();
  cache_ = std::move(cache);
}

bool RegionCache::IsCached(uint64_t kernel, const JitKey& key) {
  const std::scoped_lock lock(mutex_);
  return IsInCache(kernel, kernel, key);
}

bool RegionCache::IsInCache(uint64_t pc, uint64_t kernel, const JitKey& key) {
  if (cache_ == nullptr || code_.RangeAt(pc).end == 0) return false;
  // The folder is asked once for what it does not have: a kernel may be launched again and again,
  // never for long.
  if (not_cached_.contains({pc, key})) return false;
  if (cache_->Has(CacheKey(key, pc, kernel))) return true;
  not_cached_.emplace(pc, key);
  return false;
}

bool RegionCache::IsCold(uint64_t pc, uint64_t kernel, const JitKey& key) {
  const auto left = cold_left_.find(kernel);
  return left != cold_left_.end() && left->second != 0 && !IsInCache(pc, kernel, key);
}

void RegionCache::CountCold(uint64_t kernel, uint64_t instructions) {
  const std::scoped_lock lock(mutex_);
  uint64_t& left = cold_left_[kernel];
  left -= std::min(left, instructions);
}

// The region stays where it is from now on.
void RegionCache::Keep(TranslatedRegion& region) {
  const backend::CompiledRegion& code = *region.code;
  current_->windows += static_cast<uint32_t>(code.sites.size());
  current_->bytes += sizeof(code) + code.code_bytes + BytesOf(code.sites) + BytesOf(code.guarded) +
                     BytesOf(code.notes.ranges) + BytesOf(code.notes.spans) +
                     code.entries.size() * kHashNodeBytes + BytesOf(*region.shapes);
  statistics_.host_bytes += code.code_bytes;
  current_->shapes.push_back(std::move(region.shapes));
  current_->regions.push_back(std::move(region.code));
}

void RegionCache::AddToPerfMap(const backend::CompiledRegion& region, backend::PerfMap& map) const {
  for (const backend::CodeRange& range : region.notes.ranges) {
    const std::string name =
        options_.name_of ? options_.name_of(range.block) : fmt::format("{:#x}", range.block);
    map.Add(fmt::format("gcnjit:{}{}", name, range.version), region.code + range.begin,
            range.bytes);
  }
}

std::optional<frontend::RegisterSet> RegionCache::LiveAt(uint64_t pc) const {
  const std::scoped_lock lock(mutex_);
  const auto found = current_->live.find(pc);
  return found == current_->live.end() ? std::nullopt : std::optional(found->second);
}

// `start`: of a kernel that begins here; 0: no kernel does.
void RegionCache::AddEntries(Variant& variant, const std::vector<uint64_t>& blocks,
                             const backend::CompiledRegion& code, const ir::RegionShapes& shapes,
                             uint32_t first_window, uint64_t start) {
  const uint64_t number = NextRegion();
  for (uint32_t n = 0; n < blocks.size(); ++n) {
    const uint64_t pc = blocks[n];
    // A block that another region has already is entered there.
    JitEntry& entry = variant.entries[pc];
    if (entry.region != nullptr) continue;
    entry.region = &code;
    entry.number = number;
    if (const auto begin = code.entries.find(pc); begin != code.entries.end()) {
      entry.code = begin->second;
    }
    entry.sites = code.sites.data();
    entry.code_base = code.code_base;
    entry.first_window = first_window;
    entry.shapes = shapes.Expects(n) ? &shapes : nullptr;
    entry.block = n;
    entry.is_kernel_start = pc == start;
    entry.follow = entry.is_kernel_start ? code.follow : nullptr;
    entry.group = entry.is_kernel_start ? code.group.begin : nullptr;
  }
}

JitStatistics RegionCache::Statistics() const {
  const std::scoped_lock lock(mutex_);
  JitStatistics now = statistics_;
  now.held_bytes = current_->bytes;
  for (const auto& old : retired_) now.retired_bytes += old->bytes;
  return now;
}

}  // namespace gcnjit::runtime
