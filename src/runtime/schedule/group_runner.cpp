#include "runtime/schedule/group_runner.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "runtime/check/checker.h"
#include "runtime/host/per_thread.h"
#include "runtime/interpreter/counted_run.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/schedule/dispatcher.h"
#include "runtime/state/scratch_size.h"

namespace gcnjit::runtime {
namespace {

// Waves that are started together: those that have ended make room in the cache for the next ones.
constexpr uint32_t kSeries = GroupStorage::kSeries;
// While it is not known whether compiling pays.
constexpr uint64_t kWarmUpTurn = kTurn / 16;

// What a host thread keeps from launch to launch, because mapping it anew costs more than a small
// launch does. It starts as zeros, so that all it ever holds comes from guests.
GroupStorage& SpareStorage() { return PerThread<GroupStorage>::Current(); }

}  // namespace

GroupRunner::GroupRunner(LaunchContext& context, uint64_t scratch_offset, LateHelpers* helpers)
    : context_(context),
      helpers_(helpers),
      space_{std::move(SpareStorage()), scratch_offset},
      scratch_per_wave_(ScratchBytesPerWave(context.launch.scratch_per_lane)),
      whole_size_{context.launch.local.x, context.launch.local.y, context.launch.local.z},
      whole_groups_{context.launch.global.x / context.launch.local.x,
                    context.launch.global.y / context.launch.local.y,
                    context.launch.global.z / context.launch.local.z},
      whole_shape_(ShapeOf(whole_size_)),
      whole_key_{context.starter.mode(), context.starter.vgprs(), whole_shape_},
      partial_key_{context.starter.mode(), context.starter.vgprs(), {}},
      checker_(context.launch.checker),
      reader_(*context.dispatch.memory),
      code_(context.code),
      starter_(context.starter) {
  if (context.jit != nullptr) {
    const Dim3& global = context.launch.global;
    jit_.emplace(context.code, *context.jit, *context.dispatch.memory,
                 uint64_t{global.x} * global.y * global.z, context.dispatch.stop);
  }
  if (RunsCompiled()) StartCompiled();
  if (context.launch.count_instructions) counts_ = std::make_unique<OpcodeCounts>();
  group_.lds_bytes = context.launch.lds_bytes;
  if (group_.lds_bytes != 0) group_.lds = space_.storage.Lds();
}

GroupRunner::~GroupRunner() { SpareStorage() = std::move(space_.storage); }

GroupShape GroupRunner::ShapeOf(const std::array<uint32_t, 3>& size) const {
  const LaunchState& launch = context_.launch;
  return GroupShapeOf(size, launch.descriptor, {launch.lds_bytes, launch.fixed_kernarg_bytes});
}

GroupRunner::Outcome GroupRunner::Run(GroupBatch& batch, bool is_careful) {
  batch_ = &batch;
  while (batch.left() != 0 && !context_.dispatch.stop->load(std::memory_order_relaxed)) {
    const Outcome outcome = RunGroup(is_careful);
    if (outcome != Outcome::kEnded) return outcome;
    batch.Advance(statistics_.wave_instructions - executed_before_);
  }
  return batch.left() == 0 ? Outcome::kEnded : Outcome::kStopped;
}

// Runs the group whose turn it is to its end, and maybe some of the next ones. batch_ has not
// counted the last one yet.
GroupRunner::Outcome GroupRunner::RunGroup(bool is_careful) {
  BeginGroup(batch_->group());
  watch_.Begin(is_careful);
  if (!StartWaves()) return Outcome::kStopped;
  if (!has_group()) return Outcome::kEnded;
  watch_.BeginTurns();
  return TakeRounds();
}

GroupRunner::Outcome GroupRunner::GoOn(bool is_careful) {
  watch_.GoOn(is_careful);
  return TakeRounds();
}

void GroupRunner::CallHelpers() {
  if (jit_) jit_->RestoreMxcsr();
  helpers_->Call();
}

// Turns for each wave in turn, until all have ended or the group's turns are over.
GroupRunner::Outcome GroupRunner::TakeRounds() {
  while (ended_ < group_.wave_count) {
    if (helpers_ != nullptr && helpers_->AreWanted()) CallHelpers();
    // A barrier waits for the waves that have not ended, as the hardware's does.
    if (at_barrier_ + ended_ == group_.wave_count) {
      for (uint32_t n = 0; n < used_slots_; ++n) {
        Slot& slot = slots_[n];
        if (slot.status == Slot::Status::kAtBarrier) slot.status = Slot::Status::kRunnable;
      }
      at_barrier_ = 0;
    }
    const uint32_t standing = at_barrier_ + ended_;
    const uint64_t executed = statistics_.wave_instructions;
    if (!TakeTurns()) return Outcome::kStopped;
    watch_.Took(statistics_.wave_instructions - executed, relay_.size(),
                at_barrier_ + ended_ != standing);
    if (watch_.WantsLook() && !LookAtGroup()) return Outcome::kStopped;
    if (watch_.IsOver() && ended_ < group_.wave_count) return Outcome::kIsOver;
  }
  return Outcome::kEnded;
}

// Lets watch_ see what has become of the group's waves. False: the launch is to stop.
bool GroupRunner::LookAtGroup() {
  uint64_t fingerprint = 0;
  for (Slot& slot : std::span(slots_).first(used_slots_)) {
    if (slot.status == Slot::Status::kRunnable && !GoToSamePlace(slot)) return false;
    fingerprint = fingerprint * 3 + static_cast<uint64_t>(slot.status);
    if (slot.status != Slot::Status::kEnded) fingerprint ^= FingerprintOf(slot.wave.state);
  }
  watch_.Look(fingerprint);
  return true;
}

// A wave that spins stands at some instruction of its loop. Lets it run on to the one where it was
// seen last, so that looks at it can be compared. False: the launch is to stop.
bool GroupRunner::GoToSamePlace(Slot& slot) {
  constexpr uint64_t kLongestLoop = 1024;
  const WaveState& state = slot.wave.state;
  const uint64_t executed = statistics_.wave_instructions;
  while (slot.seen_at != 0 && state.pc != slot.seen_at && slot.status == Slot::Status::kRunnable &&
         statistics_.wave_instructions - executed < kLongestLoop) {
    if (!TakeTurn(slot, 1)) return false;
  }
  slot.seen_at = state.pc;
  return true;
}

ResidentGroup GroupRunner::SetAside(GroupSpace space) {
  ResidentGroup aside = TakeAway();
  space_ = std::move(space);
  if (group_.lds_bytes != 0) group_.lds = space_.storage.Lds();
  return aside;
}

ResidentGroup GroupRunner::Exchange(ResidentGroup group) {
  ResidentGroup aside = TakeAway();
  Resume(std::move(group));
  return aside;
}

GroupSpace GroupRunner::Resume(ResidentGroup group) {
  GroupSpace had = std::exchange(space_, std::move(group.space));
  slots_.clear();
  // The next group to begin is as if it were the first.
  starter_.ForgetGroupSize();
  group_ = group.group;
  used_slots_ = static_cast<uint32_t>(group.waves.size());
  AddSlots(used_slots_);
  for (uint32_t n = 0; n < used_slots_; ++n) {
    slots_[n].status = group.waves[n].status;
    slots_[n].instructions_left = group.waves[n].instructions_left;
    slots_[n].seen_at = group.waves[n].seen_at;
  }
  ended_ = group.ended;
  at_barrier_ = group.at_barrier;
  watch_ = group.watch;
  if (checker_ != nullptr) checker_->Resume(group_);
  return had;
}

// The group, with its space. There is none afterwards, and the next one to begin is as if it were
// the first.
ResidentGroup GroupRunner::TakeAway() {
  ResidentGroup aside;
  aside.waves.reserve(used_slots_);
  for (const Slot& slot : std::span(slots_).first(used_slots_)) {
    aside.waves.push_back({slot.status, slot.instructions_left, slot.seen_at});
  }
  aside.number = group_number();
  aside.group = group_;
  aside.space = std::exchange(space_, {});
  aside.ended = ended_;
  aside.at_barrier = at_barrier_;
  aside.watch = watch_;
  if (checker_ != nullptr) checker_->SetAside();
  slots_.clear();
  starter_.ForgetGroupSize();
  group_.wave_count = used_slots_ = ended_ = at_barrier_ = 0;
  return aside;
}

uint64_t GroupRunner::group_number() const {
  const Dim3& global = context_.launch.global;
  const auto along = [&](uint64_t items, int axis) {
    return (items + whole_size_[axis] - 1) / whole_size_[axis];
  };
  return group_.id[0] + along(global.x, 0) * (group_.id[1] + along(global.y, 1) * group_.id[2]);
}

void GroupRunner::BeginGroup(const Dim3& id) {
  group_.id = {id.x, id.y, id.z};
  if (!IsWhole(id) || !starter_.is_whole()) [[unlikely]]
    SetGroupSize();
  EnterGroup(id);
  used_slots_ = ended_ = at_barrier_ = 0;
  faulted_ = nullptr;
  if (starts_compiled_) jit_->BeginGroup(group_);
  if (checker_ != nullptr) checker_->BeginGroup(group_);
}

// What there is to do for a group of the last one's size.
inline void GroupRunner::EnterGroup(const Dim3& id) {
  group_.id = {id.x, id.y, id.z};
  starter_.BeginGroup(group_);
  if (group_.lds_bytes != 0) std::memset(group_.lds, 0, group_.lds_bytes);
  statistics_.waves += group_.wave_count;
  executed_before_ = statistics_.wave_instructions;
}

// The group has started and ended in one stay in compiled code, after `executed` instructions. Its
// waves become the next group's, as StartWaves would make them.
bool GroupRunner::StartNextGroup(uint64_t executed) noexcept {
  EndSeries();
  if (batch_->left() <= 1 || context_.dispatch.stop->load(std::memory_order_relaxed)) return false;
  const Dim3 next = batch_->Next();
  if (!IsWhole(next)) return false;
  statistics_.wave_instructions += executed;
  batch_->Advance(statistics_.wave_instructions - executed_before_);
  EnterGroup(next);
  uint64_t scratch_offset = space_.scratch_offset;
  for (uint32_t n = 0; n < group_.wave_count; ++n) {
    starter_.StartAgain(n, scratch_offset, slots_[n].wave.state);
    scratch_offset += scratch_per_wave_;
  }
  BeginSeries();
  return true;
}

// Lets compiled code start the groups after this one by itself, as far as they are alike.
void GroupRunner::BeginSeries() {
  if (!starter_.CanStartSeries()) return;
  const uint64_t whole = whole_groups_[0] - 1 - group_.id[0];
  const uint64_t left = std::min(batch_->LeftInRow(), whole);
  series = starter_.SeriesOf(group_, static_cast<uint32_t>(left));
}

// Accounts for the groups that compiled code has started by itself.
void GroupRunner::EndSeries() {
  if (series.ended != 0) {
    statistics_.waves += uint64_t{series.ended} * group_.wave_count;
    statistics_.wave_instructions += series.instructions;
    executed_before_ += series.instructions;
    batch_->AdvanceInRow(series.ended, series.instructions, series.least, series.most);
  }
  series = {};
}

void GroupRunner::SetGroupSize() {
  const Dim3& global = context_.launch.global;
  // A group at the grid's end may be smaller.
  const auto size = [this](int axis, uint32_t grid_size) {
    const uint64_t left = grid_size - uint64_t{group_.id[axis]} * whole_size_[axis];
    return static_cast<uint32_t>(std::min<uint64_t>(whole_size_[axis], left));
  };
  group_.size = {size(0, global.x), size(1, global.y), size(2, global.z)};
  // Code for the shape of whole groups is not worth compiling again for those at the grid's edge.
  group_.shape = ShapeOf(group_.size) == whole_shape_ ? whole_shape_ : GroupShape{};
  const uint32_t items = group_.size[0] * group_.size[1] * group_.size[2];
  group_.wave_count = (items + kLanes - 1) / kLanes;
  starter_.SetGroupSize(group_);
  SetStart();
}

// What waves of a group of this size begin with, and where.
void GroupRunner::SetStart() {
  // Registers that are left out for whole groups rely on an EXEC with all lanes.
  const bool is_like_whole = group_.shape == whole_shape_;
  const bool may_leave_out = is_like_whole && registers_;
  starter_.SetRegisters(may_leave_out ? *registers_ : context_.starter.SelectAll());
  for (Slot& slot : slots_) slot.holds = Slot::kNothing;
  if (starts_compiled_) {
    jit_->SetStart(context_.launch.entry, is_like_whole ? whole_key_ : partial_key_);
  }
}

// Each wave of the group gets its first turn. False: the launch is to stop.
bool GroupRunner::StartWaves() {
  for (uint32_t n = 0; n < group_.wave_count;) {
    if (!starts_compiled_ && RunsCompiled()) StartRestCompiled();
    if (!starts_compiled_ && jit_) context_.warm_up->Count(kWaveStart);
    const bool in_series = starts_compiled_ && RunsInRelay();
    const uint32_t series = !in_series                                          ? 1
                            : n == 0 && jit_->StartsTogether(group_.wave_count) ? kMostWavesTogether
                                                                                : kSeries;
    const uint32_t count = std::min(series, group_.wave_count - n);
    if (slots_.size() < used_slots_ + count) [[unlikely]]
      AddSlots(used_slots_ + count);
    const std::span<Slot> slots = std::span(slots_).subspan(used_slots_, count);
    StartWaves(n, slots);
    const uint32_t ended = ended_;
    if (!(in_series ? TakeFirstTurns(slots) : TakeTurn(slots[0], watch_.turn()))) return false;
    // Storage of waves that have ended is the next ones', and still in the cache.
    if (ended_ - ended != count) used_slots_ += count;
    n += count;
    if (helpers_ != nullptr && n < group_.wave_count && helpers_->AreWanted()) CallHelpers();
  }
  return true;
}

// From `number` on.
inline void GroupRunner::StartWaves(uint32_t number, std::span<Slot> slots) {
  const uint64_t most_instructions = context_.launch.max_wave_instructions;
  const bool is_whole = starter_.is_whole();
  uint64_t scratch_offset = space_.scratch_offset + number * scratch_per_wave_;
  for (Slot& slot : slots) {
    WaveState& state = slot.wave.state;
    slot.status = Slot::Status::kRunnable;
    slot.instructions_left = most_instructions;
    slot.seen_at = 0;
    if (slot.holds == number && state.is_new && is_whole) [[likely]] {
      starter_.StartAgain(number, scratch_offset, state);
    } else {
      starter_.Start(number, scratch_offset, state);
      slot.holds = is_whole ? number : Slot::kNothing;
    }
    if (checker_ != nullptr) checker_->StartWave(state, scratch_offset);
    ++number;
    scratch_offset += scratch_per_wave_;
  }
}

void GroupRunner::AddSlots(uint32_t count) {
  slots_.reserve(count);
  while (slots_.size() < count) {
    slots_.push_back({Wave{space_.storage.State(slots_.size()), group_, context_.dispatch}});
  }
}

// From here on waves start in compiled code. A register that the kernel does not read before it
// writes it may hold anything: by the meaning of liveness (frontend/flow/liveness.h) nothing that
// the wave does depends on it. This is a property of the code, whichever engine executes it: it
// holds for instructions that the interpreter gets, and after indirect jumps, where every register
// counts as read.
void GroupRunner::StartCompiled() {
  starts_compiled_ = true;
  const auto access = jit_->StartAccessOf(context_.launch.entry, whole_key_, RunsInRelay());
  if (access) registers_ = context_.starter.Select(access->read_first, access->written);
}

// A group that has begun goes on with what StartCompiled has changed.
void GroupRunner::StartRestCompiled() {
  StartCompiled();
  SetStart();
  jit_->BeginGroup(group_);
}

// Of waves that have just been started.
bool GroupRunner::TakeFirstTurns(std::span<Slot> slots) {
  reader_.Refresh();
  std::array<Wave*, kMostWavesTogether> waves;
  for (size_t n = 0; n < slots.size(); ++n) waves[n] = &slots[n].wave;
  for (size_t next = 0; next < slots.size();) {
    const auto left = std::span(waves).subspan(next, slots.size() - next);
    // Waves that began again at a barrier before this one's turn was over are not new any more.
    const bool all = left.size() == group_.wave_count;
    const auto turn = left[0]->state.is_new
                          ? jit_->RunNew(left, all, starter_.CanStartSeries(), watch_.turn(),
                                         all && starter_.is_whole() ? this : nullptr)
                          : jit_->RunRelay(left, /*all=*/false, watch_.turn());
    EndSeries();
    statistics_.wave_instructions += turn.executed;
    if (turn.all_ended) [[likely]] {
      ended_ += static_cast<uint32_t>(left.size());
      for (Slot& slot : slots.subspan(next)) slot.status = Slot::Status::kEnded;
      return true;
    }
    // The ones before it are the last ones of TakeTurns.
    const size_t begin = turn.goes_down ? turn.last : 0;
    const size_t end = turn.goes_down ? left.size() : turn.last + 1;
    for (Slot& slot : slots.subspan(next + begin, end - begin)) {
      if (!EndTurn(slot)) return false;
    }
    next += end;
  }
  return true;
}

// A turn for each wave that can run. False: the launch is to stop.
bool GroupRunner::TakeTurns() {
  relay_.clear();
  relay_slots_.clear();
  for (uint32_t n = used_slots_; n-- > 0;) {
    if (slots_[n].status != Slot::Status::kRunnable) continue;
    relay_.push_back(&slots_[n].wave);
    relay_slots_.push_back(n);
  }
  for (size_t next = 0; next < relay_.size();) {
    if (!RunsInRelay()) {
      if (!TakeTurn(slots_[relay_slots_[next++]], watch_.turn())) return false;
      continue;
    }
    reader_.Refresh();
    const bool all = relay_.size() - next + ended_ == group_.wave_count;
    const auto relayed = jit_->RunRelay(std::span(relay_).subspan(next), all, watch_.turn());
    statistics_.wave_instructions += relayed.executed;
    for (const size_t last = next + relayed.last; next <= last; ++next) {
      if (!EndTurn(slots_[relay_slots_[next]])) return false;
    }
  }
  return true;
}

// Waves that run in relay count their instructions together.
bool GroupRunner::RunsInRelay() {
  return RunsCompiled() && context_.launch.max_wave_instructions == ~uint64_t{0};
}

// False: the launch is to stop.
bool GroupRunner::TakeTurn(Slot& slot, uint64_t most) {
  const uint64_t executed = RunWaveFor(slot.wave, std::min(slot.instructions_left, most));
  statistics_.wave_instructions += executed;
  if (executed >= slot.instructions_left && IsOverLimit(slot, executed)) [[unlikely]]
    return false;
  slot.instructions_left -= executed;
  return EndTurn(slot);
}

// What has become of a wave in its turn. False: the launch is to stop.
bool GroupRunner::EndTurn(Slot& slot) {
  Wave& w = slot.wave;
  // The usual ones first: there may be a barrier every few instructions.
  if (w.event == WaveEvent::kBarrier) {
    slot.status = Slot::Status::kAtBarrier;
    ++at_barrier_;
    return true;
  }
  if (w.event == WaveEvent::kEnd) {
    slot.status = Slot::Status::kEnded;
    ++ended_;
    return true;
  }
  if (w.event == WaveEvent::kFault) {
    if (jit_) jit_->RestoreMxcsr();
    faulted_ = &w;
  }
  return w.event == WaveEvent::kNone || w.event == WaveEvent::kYield;
}

// A wave has had all the instructions that it may execute, or more: compiled code looks at the
// budget at loops only. Whether it has needed more does not depend on when that was noticed, so
// neither does the answer.
bool GroupRunner::IsOverLimit(Slot& slot, uint64_t executed) {
  Wave& w = slot.wave;
  const bool is_over = w.event != WaveEvent::kEnd && w.event != WaveEvent::kFault;
  if (executed == slot.instructions_left && !is_over) return false;
  if (w.event == WaveEvent::kStopped) return false;
  if (jit_) jit_->RestoreMxcsr();
  w.event = WaveEvent::kNone;
  w.RaiseFault(FaultKind::kInstructionLimit, -1, 0, 0,
               "the wave was stopped: it may execute " +
                   std::to_string(context_.launch.max_wave_instructions) + " instructions");
  faulted_ = &w;
  return true;
}

uint64_t GroupRunner::RunWaveFor(Wave& w, uint64_t most) {
  reader_.Refresh();
  if (jit_ && RunsCompiled()) return jit_->Run(w, most);
  if (checker_ != nullptr) return checker_->RunWave(w, most);
  if (counts_) return RunWaveCounted(w, code_, most, *counts_);
  if (!jit_) return RunWave(w, code_, most);
  const uint64_t executed = RunWave(w, code_, std::min(kWarmUpTurn, most));
  if (!IsWaiting(w, executed)) {
    context_.warm_up->Count(executed);
  }
  return executed;
}

bool GroupRunner::RunsCompiled() {
  if (runs_compiled_) return true;
  runs_compiled_ = jit_ && context_.warm_up->IsOver();
  return runs_compiled_;
}

}  // namespace gcnjit::runtime
