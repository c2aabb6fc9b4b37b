// Compiled code of one program: regions by the guest address at which they are entered and by what
// they were compiled for, made on first use, once, however many threads ask. When there is more of
// it than the limit, all of it is thrown away and compiling begins anew; code that threads are
// still in is freed when the last of them asks for more or leaves.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend_x64/compile/region.h"
#include "backend_x64/host/features.h"
#include "backend_x64/host/perf_map.h"
#include "frontend/flow/liveness.h"
#include "gcnjit/launch.h"
#include "ir/analysis/region_shapes.h"
#include "runtime/disk_cache/cache_folder.h"
#include "runtime/disk_cache/hash.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/jit/code_epoch.h"
#include "runtime/jit/warm_up.h"
#include "runtime/state/group_shape.h"

namespace gcnjit::runtime {

struct TranslatedRegion;

using backend::HostIsa;

struct JitOptions {
  HostIsa isa = HostIsa::kAvx2;
  // Every register is live at s_endpgm, so that final states can be compared. Off: what is never
  // read again may hold anything.
  bool exact_state = false;
  // What profiles call code at a guest address; empty: the address.
  std::function<std::string(uint64_t pc)> name_of = {};
};

// How code for waves with this MODE is compiled.
backend::CompileOptions CompileOptionsFor(HostIsa isa, uint32_t mode);

// What code is compiled for.
struct JitKey {
  uint32_t mode = 0;
  frontend::VgprCounts vgprs;
  GroupShape shape;  // unknown: nothing is assumed of any VGPR
  friend auto operator<=>(const JitKey&, const JitKey&) = default;
};

// Where to continue at a guest address.
struct JitEntry {
  const backend::CompiledRegion* region = nullptr;  // nullptr: the interpreter has this instruction
  const std::byte* code = nullptr;
  const std::byte* follow = nullptr;           // the region's, of a kernel that starts here
  const std::byte* group = nullptr;            // likewise, for key.shape.waves waves
  const backend::MemorySite* sites = nullptr;  // the region's
  uint64_t code_base = 0;                      // likewise
  uint32_t first_window = 0;  // of the region: a thread has one for each site of all regions
  uint64_t number = 0;        // the region's; never used again
  // What the code expects of the VGPRs: shapes->Hold(block, ..); nullptr: nothing.
  const ir::RegionShapes* shapes = nullptr;
  uint32_t block = 0;
  bool is_kernel_start = false;  // new waves of the key's shape are as expected
  // Not compiled so far, and not to be remembered: see RegionCache::CountCold.
  bool is_cold = false;

  // There is group code, and nothing that a wave could enter by itself.
  bool IsForGroups() const { return region != nullptr && code == nullptr; }
};

struct JitStatistics {
  uint64_t regions = 0;             // compiled
  uint64_t guest_instructions = 0;  // compiled
  uint64_t host_bytes = 0;
  uint64_t cached_regions = 0;     // taken from the cache instead
  uint64_t discarded_regions = 0;  // of both: thrown away because the limit was reached
  uint64_t held_bytes = 0;         // code and what belongs to it, in use now
  uint64_t retired_bytes = 0;      // thrown away, but not yet freed
  double compile_seconds = 0;
  double cache_seconds = 0;
  struct Fallback {
    uint64_t count = 0;  // occurrences in the code
    std::string reason;
  };
  std::map<frontend::Opcode, Fallback> fallbacks;
  // Regions that the back end could not compile, by its message: a bug of ours, or no memory. They
  // are interpreted.
  std::map<std::string, uint64_t> failures;
};

class RegionCache {
 public:
  // The words from pc to the end of its code range; see frontend::CodeBytes.
  RegionCache(CodeMap& code, JitOptions options);
  ~RegionCache();

  // The code at `pc`, of a wave whose kernel starts at `kernel`. Compiles if need be. The entry is
  // good for as long as `user` stays in the generation that it is in afterwards. When `stop`
  // becomes true it is cold, and what is not finished is forgotten; nullptr: it never does.
  JitEntry Find(uint64_t pc, uint64_t kernel, const JitKey& key, CodeEpoch& user,
                const std::atomic<bool>* stop = nullptr);

  // Bytes of code, and of what belongs to it, from which on compiling begins anew. What is held may
  // exceed it by a region.
  void SetLimit(uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }

  // Where translated regions are looked for and kept from now on; nullptr: nowhere.
  void SetCache(std::shared_ptr<CacheFolder> cache);
  // Is the region that begins at `kernel` in the cache?
  bool IsCached(uint64_t kernel, const JitKey& key);
  // Code of a kernel that came from the cache may not be there itself: the run that compiled the
  // kernel has only interpreted it, before it began to compile. It was not worth compiling then,
  // and is not now: Find gives cold entries for it, until so many of its instructions have been
  // interpreted that this kernel does something else than in that run.
  void CountCold(uint64_t kernel, uint64_t instructions);

  // Registers that may be read, from `pc` on, before they are written; known of a `pc` with which a
  // region was begun. What the others hold makes no difference to anything.
  std::optional<frontend::RegisterSet> LiveAt(uint64_t pc) const;

  // Of the kernel that begins at that guest address. It begins anew when code is thrown away.
  WarmUp& WarmUpOf(uint64_t kernel) { return warm_ups_.Of(kernel); }

  const JitOptions& options() const { return options_; }
  // The current generation of code; no two RegionCache objects ever have the same.
  uint64_t generation() const { return generation_.load(std::memory_order_seq_cst); }
  JitStatistics Statistics() const;

 private:
  struct Variant {
    JitKey key;
    std::unordered_map<uint64_t, JitEntry> entries;
  };
  // What is thrown away together.
  struct Generation {
    uint64_t number = 0;
    std::map<JitKey, Variant> variants;
    std::vector<std::unique_ptr<backend::CompiledRegion>> regions;
    std::vector<std::unique_ptr<ir::RegionShapes>> shapes;
    std::unordered_map<uint64_t, frontend::RegisterSet> live;  // where regions begin
    uint32_t windows = 0;
    uint64_t bytes = 0;
  };
  Variant& VariantOf(const JitKey& key);
  using StopFlag = const std::atomic<bool>*;
  JitEntry FindFor(uint64_t pc, uint64_t kernel, const JitKey& key, StopFlag stop);
  void CompileAt(Variant& variant, uint64_t pc, uint64_t kernel, StopFlag stop);
  TranslatedRegion Translate(const JitKey& key, uint64_t pc, uint64_t kernel, StopFlag stop);
  bool IsInCache(uint64_t pc, uint64_t kernel, const JitKey& key);
  bool IsCold(uint64_t pc, uint64_t kernel, const JitKey& key);
  std::vector<std::byte> CacheKey(const JitKey& key, uint64_t pc, uint64_t kernel);
  void AddEntries(Variant& variant, const std::vector<uint64_t>& blocks,
                  const backend::CompiledRegion& code, const ir::RegionShapes& shapes,
                  uint32_t first_window, uint64_t start);
  void Keep(TranslatedRegion& region);
  void BeginGeneration();
  void FreeRetired();
  void AddToPerfMap(const backend::CompiledRegion& region, backend::PerfMap& map) const;

  CodeMap& code_;
  const JitOptions options_;
  std::atomic<uint64_t> limit_ = kDefaultCodeLimit;
  std::atomic<uint64_t> generation_ = 0;
  WarmUps warm_ups_;
  mutable std::timed_mutex mutex_;  // guards what follows
  std::unique_ptr<Generation> current_;
  std::vector<std::unique_ptr<Generation>> retired_;
  std::shared_ptr<CacheFolder> cache_;
  std::map<uint64_t, Hash128> code_hashes_;           // by where a range of code begins
  std::set<std::pair<uint64_t, JitKey>> not_cached_;  // what IsInCache has not found
  // Instructions of cold code that may yet be interpreted, of kernels that came from the cache.
  std::unordered_map<uint64_t, uint64_t> cold_left_;
  JitStatistics statistics_;
};

}  // namespace gcnjit::runtime
