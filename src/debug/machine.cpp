#include "debug/machine.h"

#include <algorithm>
#include <bit>

#include "runtime/interpreter/interpreter.h"
#include "runtime/schedule/fault_report.h"
#include "runtime/state/grid.h"

namespace gcnjit::debug {

using frontend::Opcode;
using runtime::CodeSlot;
using runtime::Wave;
using runtime::WaveEvent;
using runtime::check::Access;

namespace {

constexpr size_t kGdsBytes = 64 * 1024;

}  // namespace

struct Machine::Copy {
  Order order;
  std::vector<WorkGroup::Copy> groups;
  std::vector<std::byte> gds;  // empty: not used
  runtime::GlobalWaveSync::Resources wave_sync;
};

Machine::Machine(const runtime::LaunchState& launch, const KernelInfo& kernel,
                 runtime::CodeMap& code, runtime::GuestMemory& memory, PageLog& pages,
                 runtime::check::Checker* checker)
    : launch_(launch),
      kernel_(kernel),
      pages_(pages),
      checker_(checker),
      group_count_(runtime::GroupCount(launch)),
      starter_(launch),
      gds_(kGdsBytes),
      reader_(code) {
  dispatch_.memory = &memory;
  dispatch_.processor = launch.processor;
  dispatch_.scratch_base = launch.scratch_base;
  dispatch_.entry = launch.entry;
  dispatch_.gds = gds_.data();
  dispatch_.gds_is_used = &gds_is_used_;
  dispatch_.wave_sync = launch.wave_sync;
  dispatch_.dispatch_packet = launch.dispatch_packet;
  dispatch_.queue = launch.queue;
  dispatch_.stop = &stop_;
  BeginGroup(/*is_first=*/true);
}

const WorkGroup* Machine::Find(uint64_t group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : found->second.get();
}

bool Machine::Step() {
  if (ended()) return true;
  const bool is_first = order_.step >= frontier_;
  const uint32_t number = current_->progress.schedule.current();
  Wave& w = current_->wave(number);
  const uint64_t pc = w.state.pc;
  const runtime::CodePage* page = reader_.PageAt(pc);
  const CodeSlot* slot = page != nullptr && (pc & 3) == 0 ? &page->SlotAt(pc) : nullptr;
  Execute(w, slot, is_first);
  if (w.event == WaveEvent::kFault) {
    if (!fault_) fault_ = {order_.step, MakeFaultReport(w, code(), launch_, kernel_)};
    return false;
  }
  order_.last = {order_.running, number};
  current_->progress.last_pc[number] = pc;
  frontier_ = std::max(frontier_, ++order_.step);
  current_->progress.schedule.Took(w.event);
  if (current_->progress.schedule.ended() || current_->progress.schedule.is_over()) {
    EndTurns(is_first);
  }
  return true;
}

// `slot`: null where there is no code.
void Machine::Execute(Wave& w, const CodeSlot* slot, bool is_first) {
  if (slot != nullptr && slot->function != nullptr) KeepPages(w, *slot);
  if (is_first && checker_ != nullptr) {
    checker_->RunWave(w, 1);
    running_ = nullptr;
  } else if (slot == nullptr) {
    RunWave(w, reader_, 1);
    running_ = nullptr;
  } else {
    if (running_ != &w) w.float_class = runtime::FloatClass::kUnset;
    running_ = &w;
    w.event = WaveEvent::kNone;
    StepWave(w, *slot);
  }
  if (slot != nullptr && w.event != WaveEvent::kFault) RepeatClock(w, *slot, is_first);
}

void Machine::FindAccessesOf(Wave& w, const CodeSlot& slot) {
  const auto [info, is_new] = infos_.try_emplace(w.state.pc);
  if (is_new) info->second = runtime::check::InfoOf(slot.instruction, launch_.processor.generation);
  accesses_.Clear();
  FindAccesses(w, slot.instruction, info->second, accesses_);
}

bool Machine::NextIs(uint64_t pc, uint64_t address, uint32_t bytes) {
  Wave& w = current_->wave(current_->progress.schedule.current());
  if (w.state.pc != pc) return false;
  if (bytes == 0) return true;
  const runtime::CodePage* page = reader_.PageAt(pc);
  if (page == nullptr || page->SlotAt(pc).function == nullptr) return false;
  FindAccessesOf(w, page->SlotAt(pc));
  for (const Access& access : accesses_) {
    for (uint64_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const uint64_t at = access.at[static_cast<size_t>(std::countr_zero(rest))];
      if (at < address + bytes && address < at + access.bytes) return true;
    }
  }
  return false;
}

// What the instruction is about to write.
void Machine::KeepPages(Wave& w, const CodeSlot& slot) {
  const frontend::OpcodeRow& row = slot.instruction.row();
  if (!row.Has(frontend::STORE) && !row.Has(frontend::ATOMIC)) return;
  FindAccessesOf(w, slot);
  for (const Access& access : accesses_) {
    if (access.space != runtime::check::Space::kGlobal) continue;
    for (uint64_t rest = access.mask; rest != 0; rest &= rest - 1) {
      pages_.WillWrite(access.at[static_cast<size_t>(std::countr_zero(rest))], access.bytes);
    }
  }
}

// Clocks are the host's: when an instruction is executed again, it reads what it read.
void Machine::RepeatClock(Wave& w, const CodeSlot& slot, bool is_first) {
  const frontend::Instruction& i = slot.instruction;
  if (i.opcode != Opcode::S_MEMTIME && i.opcode != Opcode::S_MEMREALTIME) return;
  if (is_first) {
    clocks_[order_.step] = w.state.Pair(i.dst.index);
  } else {
    w.state.SetPair(i.dst.index, clocks_.at(order_.step));
  }
}

// The current group has ended, or another one gets its turn.
void Machine::EndTurns(bool is_first) {
  GroupSchedule& schedule = current_->progress.schedule;
  running_ = nullptr;
  if (schedule.ended()) {
    ++order_.ended;
    order_.free_spaces.push_back(current_->progress.space);
    groups_.erase(order_.running);
    current_ = nullptr;
    // No group waits: those that were set aside have begun.
    if (order_.aside.empty()) {
      if (order_.next_new < group_count_) BeginGroup(is_first);
      return;
    }
  } else {
    order_.some_wait |= schedule.waits();
    const bool may_begin = order_.next_new < group_count_ &&
                           groups_.size() < std::max<uint64_t>(launch_.resident_groups, 2) &&
                           (order_.aside.empty() || !order_.began_last);
    const uint64_t was_running = order_.running;
    if (checker_ != nullptr && is_first) checker_->SetAside();
    if (may_begin && BeginGroup(is_first)) {
      order_.began_last = true;
      order_.aside.push_back(was_running);
      return;
    }
    order_.aside.push_back(was_running);
  }
  order_.began_last = false;
  Choose(order_.aside.front());
  order_.aside.pop_front();
  current_->progress.schedule.GoOn(/*is_careful=*/current_->progress.schedule.waits());
  if (checker_ != nullptr && is_first) checker_->Resume(current_->state());
}

// The next new group becomes the current one. False: there is no scratch for it.
bool Machine::BeginGroup(bool is_first) {
  const uint64_t of_group = ScratchBytesPerGroup(launch_);
  uint64_t space = order_.spaces;
  if (!order_.free_spaces.empty()) {
    space = order_.free_spaces.back();
    order_.free_spaces.pop_back();
  } else {
    const uint64_t bytes = (space + 1) * of_group;
    if (of_group != 0 &&
        (bytes > launch_.scratch_total || !dispatch_.memory->Extend(launch_.scratch_base, bytes))) {
      return false;
    }
    ++order_.spaces;
  }
  const uint64_t number = order_.next_new++;
  groups_[number] =
      std::make_unique<WorkGroup>(launch_, starter_, dispatch_, number, space, order_.some_wait);
  Choose(number);
  if (checker_ == nullptr || !is_first) return true;
  checker_->BeginGroup(current_->state());
  for (uint32_t n = 0; n < current_->wave_count(); ++n) {
    checker_->StartWave(current_->registers(n), current_->scratch_offset(n));
  }
  return true;
}

void Machine::Choose(uint64_t group) {
  order_.running = group;
  current_ = groups_.at(group).get();
}

std::shared_ptr<const Machine::Copy> Machine::Save() const {
  auto copy = std::make_shared<Copy>();
  copy->order = order_;
  for (const auto& [number, group] : groups_) copy->groups.push_back(group->Save());
  if (gds_is_used_) copy->gds = gds_;
  if (launch_.wave_sync != nullptr) copy->wave_sync = launch_.wave_sync->Save();
  return copy;
}

void Machine::Restore(const Copy& copy) {
  order_ = copy.order;
  std::map<uint64_t, std::unique_ptr<WorkGroup>> groups;
  for (const WorkGroup::Copy& saved : copy.groups) {
    const uint64_t number = saved.progress.number;
    std::unique_ptr<WorkGroup>& group = groups[number];
    if (const auto found = groups_.find(number); found != groups_.end()) {
      group = std::move(found->second);
    } else {
      group = std::make_unique<WorkGroup>(launch_, starter_, dispatch_, number,
                                          saved.progress.space, false);
    }
    group->Restore(saved);
  }
  groups_ = std::move(groups);
  current_ = nullptr;
  if (!ended()) Choose(order_.running);
  if (copy.gds.empty()) {
    std::ranges::fill(gds_, std::byte{0});
  } else {
    std::ranges::copy(copy.gds, gds_.begin());
  }
  if (launch_.wave_sync != nullptr) launch_.wave_sync->Restore(copy.wave_sync);
  running_ = nullptr;
}

}  // namespace gcnjit::debug
