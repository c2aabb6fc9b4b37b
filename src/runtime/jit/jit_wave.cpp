#include "runtime/jit/jit_wave.h"

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "backend_x64/stubs.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/jit/jit_access.h"

namespace gcnjit::runtime {

using backend::RegionContext;

// What a host thread needs to run compiled code; kept from wave to wave.
class JitWorker {
 public:
  // Makes the worker ready for `jit`, and forgets what it knew about other memory.
  void Attach(const JitCode& jit, const GuestMemory& memory) {
    if (user_.generation() != generation_) user_.Enter(generation_);
    if (generation_ != jit.generation()) ForgetCode(jit);
    const uint64_t epoch = memory.epoch();
    if (epoch_ == epoch && memory_ == &memory) return;
    epoch_ = epoch;
    memory_ = &memory;
    windows_.assign(windows_.size(), {});
  }
  void BeginStay() { ++stays_; }
  void EndStay() {
    if (--stays_ == 0) user_.Leave();
  }

  JitEntry Find(JitCode& jit, uint64_t pc, uint32_t mode, uint32_t vgpr_count) {
    if (generation_ != jit.generation()) ForgetCode(jit);
    CachedEntry& cached = entries_[(pc >> 2) % entries_.size()];
    if (cached.pc != pc || cached.mode != mode || cached.vgpr_count != vgpr_count) {
      const JitEntry entry = jit.Find(pc, mode, vgpr_count, user_);
      if (generation_ != user_.generation()) {
        ForgetCode(jit);
        generation_ = user_.generation();
      }
      cached = {pc, mode, vgpr_count, entry};
    }
    return cached.entry;
  }

  backend::RegionEntry Prepare(const backend::CompiledRegion& region) {
    if (temp_bytes_ < region.temp_bytes) {
      temp_bytes_ = region.temp_bytes;
      temps_.reset(static_cast<std::byte*>(std::aligned_alloc(64, temp_bytes_)));
      if (temps_ == nullptr) throw std::bad_alloc();
    }
    if (slots_.size() < region.slot_count) slots_.resize(region.slot_count);
    if (windows_.size() < region.window_end) windows_.resize(region.window_end);
    context.temps = temps_.get();
    context.slots = slots_.data();
    context.windows = windows_.data();
    context.access_thunk = stubs_->access_thunk;
    context.scalar_thunk = stubs_->scalar_thunk;
    return stubs_->enter;
  }

  RegionContext context;
  JitAccessState access;

 private:
  struct CachedEntry {
    uint64_t pc = ~uint64_t{0};
    uint32_t mode = 0;
    uint32_t vgpr_count = 0;
    JitEntry entry;
  };
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };

  // Entries and windows belong to one generation of code; 0: there are none.
  void ForgetCode(const JitCode& jit) {
    generation_ = 0;
    entries_.fill({});
    windows_.clear();
    stubs_ = &backend::StubsFor(jit.options().isa);
  }

  CodeUser user_;
  int stays_ = 0;
  uint64_t generation_ = 0;
  uint64_t epoch_ = 0;
  const GuestMemory* memory_ = nullptr;
  const backend::Stubs* stubs_ = nullptr;
  std::array<CachedEntry, 256> entries_;
  std::unique_ptr<std::byte, Free> temps_;
  size_t temp_bytes_ = 0;
  std::vector<uint64_t> slots_;
  std::vector<backend::MemoryWindow> windows_;
};

namespace {

JitWorker& ThisThreadsWorker() {
  thread_local const std::unique_ptr<JitWorker> worker = std::make_unique<JitWorker>();
  return *worker;
}

// EXEC when the instruction of `site` was executed: the block may have changed it before.
uint64_t ExecAt(const WaveState& state, const RegionContext& context,
                const backend::MemorySite& site) {
  if (site.exec_slot >= 0) return context.slots[site.exec_slot];
  if (site.exec_slot == -1) return site.exec_constant;
  if (site.exec_slot == -2) return state.exec();
  return state.Pair(-3 - site.exec_slot);
}

constexpr uint32_t kMaskExceptions = 0x1F80;

// One stay in compiled code. `mxcsr`: what the register holds, before and after.
void RunCompiled(Wave& w, JitWorker& worker, const JitEntry& entry, uint64_t budget,
                 uint32_t& mxcsr) {
  RegionContext& context = worker.context;
  const backend::RegionEntry enter = worker.Prepare(*entry.region);
  context.lds = w.group.lds;
  context.lds_bytes = w.group.lds_bytes;
  context.executed = 0;
  context.budget = budget;
  context.access_helper = AccessLanes;
  context.scalar_load_helper = LoadScalarDwords;
  context.runtime = &worker.access;
  context.fault = {};
  worker.access.wave = &w;
  worker.access.fault.reset();
  const uint32_t environment = kMaskExceptions | frontend::F32Environment(w.state.mode).bits;
  if (environment != mxcsr) _mm_setcsr(mxcsr = environment);
  const auto reason = static_cast<ir::ExitReason>(enter(&w.state, &context, entry.code));
  w.float_class = FloatClass::kUnset;
  switch (reason) {
    case ir::ExitReason::kNext:
    case ir::ExitReason::kInterpret: break;
    case ir::ExitReason::kEnd: w.event = WaveEvent::kEnd; break;
    case ir::ExitReason::kYield: w.event = WaveEvent::kYield; break;
    case ir::ExitReason::kBarrier: w.event = WaveEvent::kBarrier; break;
    case ir::ExitReason::kFault:
      w.state.pc = context.fault.site->pc;
      w.state.SetPair(frontend::kCodeExecLo, ExecAt(w.state, context, *context.fault.site));
      w.event = WaveEvent::kFault;
      w.fault = std::move(*worker.access.fault);
      break;
  }
}

}  // namespace

JitStay::JitStay() : JitStay(ThisThreadsWorker()) {}
JitStay::JitStay(JitWorker& worker) : worker_(worker) { worker.BeginStay(); }
JitStay::~JitStay() { worker_.EndStay(); }

uint64_t RunWaveJit(Wave& w, CodeMap& code, JitCode& jit, uint64_t budget) {
  const uint32_t host_mxcsr = _mm_getcsr();
  uint32_t mxcsr = host_mxcsr;
  JitWorker& worker = ThisThreadsWorker();
  const JitStay stay(worker);
  worker.Attach(jit, *w.dispatch.memory);
  w.event = WaveEvent::kNone;
  uint64_t executed = 0;
  while (executed < budget && w.event == WaveEvent::kNone) {
    if (w.dispatch.stop->load(std::memory_order_relaxed)) {
      w.event = WaveEvent::kStopped;
      break;
    }
    const JitEntry entry = worker.Find(jit, w.state.pc, w.state.mode, w.state.vgpr_count);
    if (entry.region == nullptr) {
      if (mxcsr != host_mxcsr) _mm_setcsr(mxcsr = host_mxcsr);
      executed += RunWave(w, code, 1);
      continue;
    }
    RunCompiled(w, worker, entry, budget - executed, mxcsr);
    executed += worker.context.executed;
  }
  if (mxcsr != host_mxcsr) _mm_setcsr(host_mxcsr);
  return executed;
}

}  // namespace gcnjit::runtime
