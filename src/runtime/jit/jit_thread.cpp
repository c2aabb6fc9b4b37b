#include "runtime/jit/jit_thread.h"

#include <algorithm>
#include <utility>

#include "runtime/host/per_thread.h"
#include "runtime/jit/disjoint_lanes.h"
#include "runtime/jit/loop_store.h"

namespace gcnjit::runtime {

JitRunner::Thread& JitRunner::Thread::Current() { return PerThread<Thread>::Current(); }

JitRunner::Thread::Thread() {
  running.context = &context;
  SetRunningCode(&running);
}

JitRunner::Thread::~Thread() { SetRunningCode(nullptr); }

void JitRunner::Thread::Attach(const RegionCache& jit, const GuestMemory& memory) {
  context.helpers.access = AccessLanes;
  context.helpers.scalar_load = LoadScalarDwords;
  context.helpers.loop_store = MaySinkStore;
  context.helpers.disjoint_lanes = TakeDisjointLanes;
  context.helpers.runtime = &access;
  context.fault = {};
  context.interruption = {};
  access = {};
  if (code_->generation != jit.generation()) Select(jit);
  if (user_.generation() != code_->generation) user_.Enter(code_->generation);
  FollowCode(jit);
  if (code_->memory != &memory) code_->ForgetWindows();
  code_->memory = &memory;
  ++stays_;  // last, since what threw has not attached
}

JitEntry JitRunner::Thread::Ask(RegionCache& jit, uint64_t pc, uint64_t kernel, const JitKey& key,
                                const std::atomic<bool>* stop) {
  const JitEntry to = jit.Find(pc, kernel, key, user_, stop);
  if (code_->generation != user_.generation()) {
    ForgetCode(jit);
    code_->generation = user_.generation();
  }
  if (to.region != nullptr) Prepare(*to.region, to.first_window);
  return to;
}

void JitRunner::Thread::Select(const RegionCache& jit) {
  auto code = std::ranges::find(codes_, jit.generation(), &Code::generation);
  if (code == codes_.end()) code = std::ranges::find(codes_, uint64_t{0}, &Code::generation);
  if (code == codes_.end()) code = std::ranges::min_element(codes_, {}, &Code::last_use);
  code_ = &*code;
  code_->last_use = ++uses_;
  UseThunks(jit);
}

void JitRunner::Thread::ForgetCode(const RegionCache& jit) {
  // Until a kernel's warm-up is over, there is nothing each time.
  if (std::exchange(code_->generation, 0) != 0) {
    code_->entries.fill({});
    code_->windows.clear();
    code_->patterns.Clear();
  }
  UseThunks(jit);
}

void JitRunner::Thread::UseThunks(const RegionCache& jit) {
  context.region.patterns = &code_->patterns;
  const backend::Thunks& thunks = backend::ThunksFor(jit.options().isa);
  enter = thunks.enter;
  context.helpers.access_thunk = thunks.access_thunk;
  context.helpers.scalar_thunk = thunks.scalar_thunk;
}

void JitRunner::Thread::Prepare(const backend::CompiledRegion& region, uint32_t first_window) {
  if (temp_bytes_ < region.temp_bytes) {
    temps_.reset(static_cast<std::byte*>(::operator new(region.temp_bytes, kTempAlignment)));
    temp_bytes_ = region.temp_bytes;
  }
  if (slots_.size() < region.slot_count) slots_.resize(region.slot_count);
  const size_t windows_end = first_window + region.sites.size();
  if (code_->windows.size() < windows_end) code_->windows.resize(windows_end);
  code_->patterns.Resize(windows_end);
  context.region.temps = temps_.get();
  context.region.slots = slots_.data();
}

}  // namespace gcnjit::runtime
