// What a host thread keeps of compiled code from wave to wave and from launch to launch: entries
// that it has looked up, windows of accesses, memory for temps and slots, and the context.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "backend_x64/abi/permutation_cache.h"
#include "backend_x64/abi/region_abi.h"
#include "backend_x64/host/thunks.h"
#include "runtime/jit/code_epoch.h"
#include "runtime/jit/interrupted_code.h"
#include "runtime/jit/jit_runner.h"
#include "runtime/jit/slow_path.h"

namespace gcnjit::runtime {

class JitRunner::Thread {
 public:
  static Thread& Current();

  Thread();
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // Makes the thread ready for `jit`, and keeps the code that it relies on from being freed.
  void Attach(const RegionCache& jit, const GuestMemory& memory);
  void Detach() {
    if (--stays_ == 0) user_.Leave();
  }

  // Forgets code that has been thrown away since.
  void FollowCode(const RegionCache& jit) {
    if (code_->generation != jit.generation()) [[unlikely]]
      ForgetCode(jit);
  }

  // Forgets which memory was accessible if some has ceased to be since.
  void FollowMemory(const GuestMemory& memory) {
    const uint64_t epoch = memory.epoch();
    if (epoch == code_->epoch) [[likely]]
      return;
    code_->epoch = epoch;
    code_->ForgetWindows();
  }

  // Would FollowMemory do nothing?
  bool FollowsMemory(const GuestMemory& memory) const { return memory.epoch() == code_->epoch; }

  // Makes the context that of an entry's region.
  void Use(const JitEntry& to) {
    context.region.sites = to.sites;
    context.region.windows = code_->windows.data() + to.first_window;
    context.region.pattern_slots = code_->patterns.slots() + to.first_window;
    context.region.code_base = to.code_base;
    running.region = to.region;
  }

  // Where the entry for `pc` is if it has been looked up.
  Entry& At(uint64_t pc) { return code_->entries[(pc >> 2) % code_->entries.size()]; }

  // Asks `jit`, and enters the generation that the answer belongs to.
  JitEntry Ask(RegionCache& jit, uint64_t pc, uint64_t kernel, const JitKey& key,
               const std::atomic<bool>* stop);

  uint64_t generation() const { return code_->generation; }

  backend::RegionContext context;
  RunningCode running;
  JitAccessState access;
  backend::RegionEntry enter = nullptr;

 private:
  static constexpr std::align_val_t kTempAlignment{64};
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, kTempAlignment); }
  };

  // What it has looked up and learnt of a generation of code.
  struct Code {
    uint64_t generation = 0;  // 0: nothing
    uint64_t last_use = 0;
    const GuestMemory* memory = nullptr;
    uint64_t epoch = 0;
    std::array<Entry, 256> entries;
    std::vector<backend::MemoryWindow> windows;
    backend::PermutationCache patterns;

    void ForgetWindows() { windows.assign(windows.size(), {}); }
  };

  // Makes code_ what is known of the program's code: nothing, if another one's has to make room.
  void Select(const RegionCache& jit);

  void ForgetCode(const RegionCache& jit);

  void UseThunks(const RegionCache& jit);

  // Makes room for what the region's code keeps outside the wave's state.
  void Prepare(const backend::CompiledRegion& region, uint32_t first_window);

  CodeEpoch user_;
  int stays_ = 0;
  // Launches of several programs may follow each other in turn: the kernels of a HIP program, and
  // those by which HIP fills and copies memory.
  std::array<Code, 4> codes_;
  Code* code_ = &codes_[0];
  uint64_t uses_ = 0;
  std::unique_ptr<std::byte, Free> temps_;
  size_t temp_bytes_ = 0;
  std::vector<uint64_t> slots_;
};

}  // namespace gcnjit::runtime
