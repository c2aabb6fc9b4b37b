#include "runtime/jit/jit_runner.h"

#include <xmmintrin.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "backend_x64/host/features.h"
#include "frontend/lift/lifter.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/jit/jit_thread.h"

namespace gcnjit::runtime {
namespace {

using backend::RegionContext;
using backend::RelayWave;
using frontend::Encoding;

constexpr uint32_t kMaskExceptions = 0x1F80;

// EXEC when the instruction of `site` was executed: the block may have changed it before.
uint64_t ExecAt(const WaveState& state, const RegionContext& context,
                const backend::MemorySite& site) {
  using Kind = backend::ExecSource::Kind;
  switch (site.exec.kind) {
    case Kind::kState: break;
    case Kind::kSgprs: return state.Pair(static_cast<int>(site.exec.number));
    case Kind::kSlot: return context.region.slots[site.exec.number];
    case Kind::kConstant: return site.exec.constant;
  }
  return state.exec();
}

// Instructions up to the one that faulted, which counts. A block counts all of its own when it
// begins, a loop those of its iterations when it ends. (Where the block went past a branch that the
// guest takes, what that skips is counted.)
uint64_t ExecutedUntilFault(const RegionContext& context) {
  const backend::MemorySite& site = *context.fault.site;
  if (site.place.loop_iterations == 0) {
    return context.turn.executed - (site.place.block_instructions - site.place.position);
  }
  const uint64_t whole_iterations = site.place.loop_iterations - context.fault.loop_left;
  return context.turn.executed + whole_iterations * site.place.block_instructions +
         site.place.position;
}

void TakeFault(Wave& w, RegionContext& context, JitAccessState& access) {
  w.state.pc = context.fault.site->pc;
  w.state.SetPair(frontend::kCodeExecLo, ExecAt(w.state, context, *context.fault.site));
  w.fault = std::move(*access.fault);
  access.fault.reset();
  context.fault = {};
  if (access.failure) std::rethrow_exception(std::exchange(access.failure, nullptr));
}

// What a wave that leaves compiled code for this reason tells its group; faults apart.
WaveEvent EventOf(ir::ExitReason reason) {
  switch (reason) {
    case ir::ExitReason::kEnd: return WaveEvent::kEnd;
    case ir::ExitReason::kYield: return WaveEvent::kYield;
    case ir::ExitReason::kBarrier: return WaveEvent::kBarrier;
    case ir::ExitReason::kFault: return WaveEvent::kFault;
    case ir::ExitReason::kNext:
    case ir::ExitReason::kInterpret: break;
  }
  return WaveEvent::kNone;
}

bool ExceedsCaches(uint64_t work_items) {
  const uint64_t from = backend::HostTuning().past_caches_from;
  return from != 0 && work_items >= from;
}

}  // namespace

JitRunner::JitRunner(CodeMap& code, RegionCache& jit, const GuestMemory& memory,
                     uint64_t work_items, const std::atomic<bool>* stop)
    : code_(code),
      jit_(jit),
      stop_(stop),
      memory_(memory),
      thread_(Thread::Current()),
      exceeds_caches_(ExceedsCaches(work_items)),
      host_mxcsr_(_mm_getcsr()),
      mxcsr_(host_mxcsr_) {
  thread_.Attach(jit, memory);
}

JitRunner::~JitRunner() {
  // Stores past the caches are not ordered with others; they must be done when the launch is over.
  if (exceeds_caches_) _mm_sfence();
  RestoreMxcsr();
  thread_.Detach();
}

inline const JitRunner::Entry& JitRunner::Find(uint64_t pc, uint64_t kernel, const JitKey& key) {
  thread_.FollowCode(jit_);
  Entry& entry = thread_.At(pc);
  if (entry.pc != pc || entry.key != key) [[unlikely]]
    LookUp(pc, kernel, key, entry);
  return entry;
}

void JitRunner::LookUp(uint64_t pc, uint64_t kernel, const JitKey& key, Entry& entry) {
  RestoreMxcsr();  // the compiler is host code
  const JitEntry to = thread_.Ask(jit_, pc, kernel, key, stop_);
  entry = {to.is_cold ? ~uint64_t{0} : pc, key,
           kMaskExceptions | frontend::F32Environment(key.mode).bits, to};
}

// Where the wave may enter compiled code.
inline const JitRunner::Entry& JitRunner::EntryOf(const Wave& w) {
  const WaveState& state = w.state;
  JitKey key{state.mode, state.vgpr_counts(), w.group.shape};
  const Entry& entry = Find(state.pc, w.dispatch.entry, key);
  const JitEntry& to = entry.to;
  if (to.IsForGroups()) {
    key.shape = {};
    return Find(state.pc, w.dispatch.entry, key);
  }
  if (to.shapes == nullptr || (state.is_new && to.is_kernel_start) || state.waits_in == to.number ||
      to.shapes->Hold(to.block, state.vgpr, state.sgpr)) {
    return entry;
  }
  key.shape = {};
  return Find(state.pc, w.dispatch.entry, key);
}

std::optional<JitRunner::StartAccess> JitRunner::StartAccessOf(uint64_t kernel, const JitKey& key,
                                                               bool in_relay) {
  JitEntry to = Find(kernel, kernel, key).to;
  if (!in_relay && to.IsForGroups()) {
    to = Find(kernel, kernel, {key.mode, key.vgprs, {}}).to;
  }
  if (to.region == nullptr) return std::nullopt;
  const std::optional<frontend::RegisterSet> read_first = jit_.LiveAt(kernel);
  if (!read_first) return std::nullopt;
  if (!in_relay || to.group == nullptr) {
    return StartAccess{*read_first, {to.region->writes.vgprs, to.region->writes.sgprs}};
  }
  // A group may have to do without its code, should that be thrown away just then.
  const ir::LiveRegisters& reads = to.region->group.reads;
  const backend::WrittenRegisters& writes = to.region->group.writes;
  return StartAccess{{read_first->vgprs | reads.vgprs, read_first->sgprs | reads.sgprs},
                     {writes.vgprs, writes.sgprs}};
}

uint64_t JitRunner::Run(Wave& w, uint64_t budget) {
  thread_.FollowMemory(memory_);
  w.event = WaveEvent::kNone;
  uint64_t executed = 0;
  uint64_t cold = 0;
  while (executed < budget && w.event == WaveEvent::kNone) {
    if (w.dispatch.stop->load(std::memory_order_relaxed)) {
      w.event = WaveEvent::kStopped;
      break;
    }
    const Entry& entry = EntryOf(w);
    if (entry.to.region == nullptr) {
      if (entry.to.is_cold) ++cold;
      executed += Interpret(w);
      continue;
    }
    RelayWave alone = {&w.state, entry.to.code, &w};
    executed += Enter(entry, {&alone, 1}, Again::kNo, budget - executed).executed;
  }
  if (cold != 0 && !IsWaiting(w, executed)) jit_.CountCold(w.dispatch.entry, cold);
  return executed;
}

void JitRunner::SetStart(uint64_t kernel, const JitKey& key) {
  start_kernel_ = kernel;
  start_key_ = key;
  start_generation_ = 0;
}

void JitRunner::BeginGroup(const WorkgroupState& group) {
  thread_.FollowCode(jit_);
  if (start_generation_ == 0 || start_generation_ != thread_.generation()) [[unlikely]] {
    start_ = Find(start_kernel_, start_kernel_, start_key_);
    if (start_.to.shapes != nullptr && !start_.to.is_kernel_start) start_.to.region = nullptr;
    start_generation_ = thread_.generation();
  }
  RegionContext& context = thread_.context;
  context.lds.begin = group.lds;
  context.lds.bytes = group.lds_bytes;
}

JitRunner::Relayed JitRunner::RunNew(std::span<Wave* const> waves, bool all, bool alike,
                                     uint64_t budget, GroupSource* more) {
  Wave& first = *waves[0];
  thread_.FollowMemory(memory_);
  const bool together = all && StartsTogether(waves.size());
  if (start_.to.region == nullptr || start_generation_ != jit_.generation() ||
      (start_.to.IsForGroups() && !together) ||
      first.dispatch.stop->load(std::memory_order_relaxed)) [[unlikely]] {
    // What it runs may write other registers than the code in which waves start.
    first.state.is_new = false;
    return {0, Run(first, budget)};
  }
  const bool leads = alike && waves.size() > 1 && start_.to.follow != nullptr;
  thread_.context.relay.leads = leads;
  first_ = together ? start_.to.group : start_.to.code;
  wants_zeroed_lds_ = !together || start_.to.region->group.wants_zeroed_lds;
  follow_ = leads ? start_.to.follow : start_.to.code;
  relay_.resize(waves.size());
  RelayWave* to = relay_.data();
  for (Wave* const w : waves) {
    to->state = &w->state;
    to->wave = w;
    ++to;
  }
  SetRelayCode();
  const Again again = all ? Again::kReversed : Again::kNo;
  const ir::ExitReason reason = Execute(start_, relay_, again, budget, more);
  if (HaveAllEnded(reason)) {
    return {waves.size() - 1, thread_.context.turn.executed, /*all_ended=*/true};
  }
  // Those whose first turn has not come stay as they are.
  const bool goes_down = thread_.context.relay.rounds != 0;
  const size_t turns = goes_down ? waves.size() : LastOf(relay_) + 1;
  Relayed relayed = TakeBack(start_, std::span(relay_).first(turns), reason);
  relayed.goes_down = goes_down;
  return GoOn(relayed, waves, budget);
}

JitRunner::Relayed JitRunner::RunRelay(std::span<Wave* const> waves, bool all, uint64_t budget) {
  Wave& first = *waves[0];
  thread_.FollowMemory(memory_);
  // A copy: looking up the next wave's may put it where this one was.
  const Entry entry = EntryOf(first);
  const uint64_t generation = thread_.generation();
  relay_.clear();
  for (Wave* const w : waves) {
    const JitEntry& to = EntryOf(*w).to;
    if (to.region == nullptr || to.number != entry.to.number) break;
    relay_.push_back({&w->state, to.code, w});
  }
  const bool has_moved = thread_.generation() != generation;
  if (relay_.empty() || has_moved || first.dispatch.stop->load(std::memory_order_relaxed)) {
    return {0, Run(first, budget)};
  }
  const Again again = all && relay_.size() == waves.size() ? Again::kSameOrder : Again::kNo;
  return GoOn(Enter(entry, relay_, again, budget), waves, budget);
}

// Enters compiled code with the first wave of `relay`.
inline JitRunner::Relayed JitRunner::Enter(const Entry& entry, std::span<RelayWave> relay,
                                           Again again, uint64_t budget) {
  RegionContext& context = thread_.context;
  const WorkgroupState& group = static_cast<Wave*>(relay[0].wave)->group;
  context.lds.begin = group.lds;
  context.lds.bytes = group.lds_bytes;
  const ir::ExitReason reason = Execute(entry, relay, again, budget, /*more=*/nullptr);
  // Also those whose turn has not come are as this region wants them.
  return TakeBack(entry, relay, reason);
}

inline size_t JitRunner::LastOf(std::span<const RelayWave> relay) const {
  return static_cast<size_t>(thread_.context.relay.wave - relay.data());
}

// What has become of waves that have been in compiled code.
inline JitRunner::Relayed JitRunner::TakeBack(const Entry& entry, std::span<const RelayWave> relay,
                                              ir::ExitReason reason) {
  const size_t last = LastOf(relay);
  for (size_t n = 0; n < relay.size(); ++n) {
    Wave& w = *static_cast<Wave*>(relay[n].wave);
    w.float_class = FloatClass::kUnset;
    w.event = WaveEvent::kEnd;
    const bool in_turn = ends_in_order_ && (n < last || reason == ir::ExitReason::kEnd);
    if (in_turn || relay[n].code == nullptr) continue;
    w.event = WaveEvent::kBarrier;
    w.state.is_new = false;
    w.state.waits_in = entry.to.number;
  }
  if (reason == ir::ExitReason::kEnd) [[likely]]
    return {last, thread_.context.turn.executed};
  return {last, ComeBack(*static_cast<Wave*>(relay[last].wave), reason)};
}

// The wave that came back may have a part of its turn left.
inline JitRunner::Relayed JitRunner::GoOn(Relayed relayed, std::span<Wave* const> waves,
                                          uint64_t budget) {
  Wave& last = *waves[relayed.last];
  if (last.event == WaveEvent::kNone && relayed.executed < budget) {
    relayed.executed += Run(last, budget - relayed.executed);
  }
  return relayed;
}

inline void JitRunner::PrepareRelay(std::span<RelayWave> relay, Again again) {
  RegionContext& context = thread_.context;
  RelayWave* const first = relay.data();
  RelayWave* const last = first + (relay.size() - 1);
  context.relay.order = context.relay.again = {last};
  context.relay.begin = again == Again::kNo ? nullptr : first;
  if (again == Again::kReversed) {
    context.relay.begin = last;
    context.relay.again = {first, -static_cast<int64_t>(sizeof(RelayWave))};
  }
  context.relay.rounds = 0;
  context.turn.executed = 0;
}

// For the code at the end of a relay's last wave.
RelayWave* JitRunner::NextWaves(RegionContext* context) noexcept {
  JitRunner& self = *static_cast<JitRunner*>(context->relay.runner);
  GroupSeries& series = self.more_->series;
  self.EndRow();
  if (series.left == 0 || series.HasLds() || !self.ends_in_order_) [[unlikely]]
    return NextWavesOtherwise(context);
  series.StartGroup(context->turn.executed);
  series.StartWaves(self.StatesRead(), /*pc_has_changed=*/false);
  context->turn.executed = 0;
  return self.relay_.data();
}

// The same for waves that do not end in order, or that have LDS. A function of its own: to save
// the registers that it needs would show in short kernels.
RelayWave* JitRunner::NextWavesOtherwise(RegionContext* context) noexcept {
  JitRunner& self = *static_cast<JitRunner*>(context->relay.runner);
  if (!self.HaveAllEnded(ir::ExitReason::kEnd)) return nullptr;
  GroupSeries& series = self.more_->series;
  if (series.left == 0) return AskForNextWaves(context);
  series.StartGroup(context->turn.executed);
  if (self.wants_zeroed_lds_) series.ClearLds();
  series.StartWaves(self.StatesRead(), /*pc_has_changed=*/!self.ends_in_order_);
  if (!self.ends_in_order_) self.SetRelayCode();
  self.PrepareRelay(self.relay_, Again::kReversed);
  return self.relay_.data();
}

// The same where the runtime has to look whether more groups may start.
RelayWave* JitRunner::AskForNextWaves(RegionContext* context) noexcept {
  JitRunner& self = *static_cast<JitRunner*>(context->relay.runner);
  const bool may_stay =
      self.start_generation_ == self.jit_.generation() && self.thread_.FollowsMemory(self.memory_);
  if (!may_stay || !self.more_->StartNextGroup(context->turn.executed)) return nullptr;
  self.SetRelayCode();
  self.PrepareRelay(self.relay_, Again::kReversed);
  self.BeginRow();
  return self.relay_.data();
}

// Says how many groups the code may start by itself after the one that is about to begin.
void JitRunner::BeginRow() {
  if (row_instructions_ == 0) return;
  const GroupSeries& series = more_->series;
  RegionContext& context = thread_.context;
  row_ = 1 + series.RowOf(row_instructions_, start_.key.shape.row_sgpr, wants_zeroed_lds_);
  context.relay.row_left = row_;
  context.relay.ends_row = false;
}

// Counts the groups of the row that have ended, but for the one that runs or has ended last.
inline void JitRunner::EndRow() {
  RegionContext& context = thread_.context;
  const uint64_t ended = row_ - std::max<uint64_t>(context.relay.row_left, 1);
  row_ = context.relay.row_left = 1;
  if (ended == 0) return;
  more_->series.StartGroups(static_cast<uint32_t>(ended), row_instructions_);
}

// Have all waves of the relay ended? One of them has left compiled code, or may be about to.
inline bool JitRunner::HaveAllEnded(ir::ExitReason reason) const {
  if (ends_in_order_) return reason == ir::ExitReason::kEnd;
  return std::all_of(relay_.begin(), relay_.end(), [](const RelayWave& of) { return !of.code; });
}

// Those of the relay's waves whose states the code reads.
inline std::span<const RelayWave> JitRunner::StatesRead() const {
  return std::span(relay_).first(reads_first_only_ ? 1 : relay_.size());
}

// Where the relay's waves begin.
inline void JitRunner::SetRelayCode() {
  const std::byte* code = first_;
  for (RelayWave& of : relay_) of.code = std::exchange(code, follow_);
}

inline ir::ExitReason JitRunner::Execute(const Entry& entry, std::span<RelayWave> relay,
                                         Again again, uint64_t budget, GroupSource* more) {
  RegionContext& context = thread_.context;
  context.relay.wave = relay.data();
  PrepareRelay(relay, again);
  const bool is_group_code = relay[0].code == entry.to.group;
  ends_in_order_ = entry.to.region->follow != nullptr || is_group_code;
  reads_first_only_ = is_group_code && entry.to.region->group.is_one_block;
  row_instructions_ =
      is_group_code && more != nullptr ? entry.to.region->group.row_instructions : 0;
  row_ = context.relay.row_left = 1;
  context.turn.budget = budget;
  context.exceeds_caches = exceeds_caches_;
  context.relay.next_waves = more != nullptr ? NextWaves : nullptr;
  context.relay.runner = this;
  more_ = more;
  UseMxcsr(entry.mxcsr);
  thread_.Use(entry.to);
  const auto reason =
      static_cast<ir::ExitReason>(thread_.enter(relay[0].state, &context, relay[0].code));
  thread_.running.region = nullptr;
  EndRow();
  if (context.fault.raised) [[unlikely]]
    context.relay.wave += context.fault.site->place.wave;
  return reason;
}

// Runs the loop that has been undone (FaultRecord::is_undone) to its first fault, in the
// interpreter. Returns the instructions executed there and before it.
uint64_t JitRunner::FindFault(Wave& w) {
  RegionContext& context = thread_.context;
  const uint64_t before = context.turn.executed;
  const uint64_t at_most = ExecutedUntilFault(context) - before;
  thread_.access.fault.reset();
  context.fault = {};
  if (thread_.access.failure) {
    std::rethrow_exception(std::exchange(thread_.access.failure, nullptr));
  }
  RestoreMxcsr();
  w.event = WaveEvent::kNone;
  return before + RunWave(w, code_, at_most);
}

// What has become of the wave that left compiled code; returns the instructions executed there.
inline uint64_t JitRunner::ComeBack(Wave& w, ir::ExitReason reason) {
  RegionContext& context = thread_.context;
  w.event = EventOf(reason);
  if (w.event != WaveEvent::kBarrier && w.event != WaveEvent::kYield) w.state.waits_in = 0;
  if (context.fault.is_undone) return FindFault(w);
  uint64_t executed = context.fault.raised ? ExecutedUntilFault(context) : context.turn.executed;
  if (w.event == WaveEvent::kFault) TakeFault(w, context, thread_.access);
  // Compiled code may have that instruction for other values of registers than these.
  if (reason == ir::ExitReason::kInterpret) executed += Interpret(w);
  return executed;
}

// One instruction that compiled code has not.
uint64_t JitRunner::Interpret(Wave& w) {
  const CodePage* const page = w.state.pc % 4 == 0 ? code_.PageAt(w.state.pc) : nullptr;
  if (page != nullptr && page->SlotAt(w.state.pc).instruction.encoding == Encoding::kMimg) {
    UseMxcsr(kMaskExceptions);
    if (images_.Run(w, page->SlotAt(w.state.pc))) return 1;
  }
  RestoreMxcsr();
  return RunWave(w, code_, 1);
}

}  // namespace gcnjit::runtime
