#include "runtime/check/checker.h"

#include <set>
#include <utility>

#include "runtime/check/polling.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/interpreter/mxcsr_guard.h"

namespace gcnjit::runtime::check {

using frontend::Opcode;

Checker::Checker(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code,
                 const GuestMemory& memory, const LaunchConfig& config, const Arguments& arguments)
    : launch_(launch),
      code_(code),
      checks_(config.check),
      findings_(launch, kernel, code, config.check_limit),
      notes_(launch, kernel, code, config.check_limit),
      allocations_(memory),
      bounds_(launch, memory, allocations_, findings_),
      races_(config.check, allocations_, findings_, notes_),
      waits_(launch.processor.generation, findings_),
      barriers_(findings_, (config.check & kCheckBarriers) != 0),
      uninit_(launch, memory, findings_) {
  allocations_.NameBuffers(kernel, arguments);
}

void Checker::BeginGroup(const WorkgroupState& group) {
  group_ = findings_.GroupNumber(group.id);
  waves_.resize(group.wave_count);
  barriers_.BeginGroup(group_, group.wave_count);
  if (HasRaces()) races_.BeginGroup(group_, group.wave_count, group.lds_bytes);
  if (Has(kCheckUninit)) uninit_.BeginGroup(group.lds_bytes);
}

void Checker::SetAside() {
  aside_[group_] = {std::exchange(waves_, {}), std::exchange(barriers_.group(), {}),
                    std::exchange(races_.group(), {}), std::exchange(uninit_.lds(), {})};
}

void Checker::Resume(const WorkgroupState& group) {
  group_ = findings_.GroupNumber(group.id);
  GroupChecks& checks = aside_.at(group_);
  waves_ = std::move(checks.waves);
  barriers_.group() = std::move(checks.barriers);
  races_.group() = std::move(checks.races);
  uninit_.lds() = std::move(checks.lds);
  aside_.erase(group_);
}

void Checker::StartWave(const WaveState& state, uint64_t scratch_offset) {
  WaveChecks& wave = waves_[state.wave_in_group];
  wave.scratch.begin = launch_.scratch_base + scratch_offset;
  wave.scratch.end = wave.scratch.begin + uint64_t{launch_.scratch_per_lane} * kLanes;
  wave.pending = {};
  barriers_.StartWave(state.wave_in_group, state.exec());
  if (!Has(kCheckUninit)) return;
  if (wave.shadow == nullptr) wave.shadow = std::make_unique<ShadowRegisters>();
  uninit_.StartWave(*wave.shadow, wave.scratch.begin, wave.scratch.end);
}

const InstructionInfo& Checker::InfoAt(const WaveState& state, const Instruction& i) {
  // PCs are multiples of 4.
  const bool indexed = (state.mode & kModeGprIdxEn) != 0;
  std::unique_ptr<InstructionInfo>& info = infos_[state.pc | (indexed ? 1 : 0)];
  if (info == nullptr) {
    info = std::make_unique<InstructionInfo>(InfoOf(i, launch_.processor.generation));
    info->polls = IsPolling(code_.code(), state.pc);
    if (indexed) info->registers = frontend::AccessOfAnyMode(i, launch_.processor.generation);
  }
  return *info;
}

uint64_t Checker::RunWave(Wave& w, uint64_t budget) {
  const MxcsrGuard guard;
  w.float_class = FloatClass::kUnset;
  w.event = WaveEvent::kNone;
  w.state.is_new = false;
  w.state.waits_in = 0;
  uint64_t executed = 0;
  while (executed < budget && w.event == WaveEvent::kNone) {
    const uint64_t pc = w.state.pc;
    if (w.dispatch.stop->load(std::memory_order_relaxed)) {
      w.event = WaveEvent::kStopped;
      barriers_.Stop(w.state.wave_in_group, pc);
      break;
    }
    const CodePage* page = code_.PageAt(pc);
    if (page == nullptr || (pc & 3) != 0) {
      // It raises the fault.
      executed += runtime::RunWave(w, code_, 1);
      break;
    }
    const CodeSlot& slot = page->SlotAt(pc);
    const uint64_t exec = w.exec();
    if (slot.function != nullptr && w.state.vgpr_counts().Hold(slot.vgpr_limit)) {
      Before(w, slot);
    }
    StepWave(w, slot);
    ++executed;
    if (w.event != WaveEvent::kNone) After(w, pc, exec);
  }
  return executed;
}

void Checker::Before(Wave& w, const CodeSlot& slot) {
  const Instruction& i = slot.instruction;
  const InstructionInfo& info = InfoAt(w.state, i);
  WaveChecks& wave = waves_[w.state.wave_in_group];
  const Site site{w.state.pc, group_, w.state.wave_in_group, -1, {}};
  accesses_.Clear();
  if (info.accesses_memory) {
    FindAccesses(w, i, info, accesses_);
    for (const Access& access : accesses_) CheckAccess(w, access, site, wave);
  }
  if (HasRaces()) FollowOrder(i, site.wave);
  if (Has(kCheckWaits)) waits_.Check(wave.pending, i, info, accesses_, site);
  if (Has(kCheckUninit)) uninit_.Check(w, slot, info, accesses_, *wave.shadow, site);
}

// What orders accesses to memory, and accesses nothing.
void Checker::FollowOrder(const Instruction& i, uint32_t wave) {
  switch (i.opcode) {
    case Opcode::S_WAITCNT:
      if (WaitsForVmem(i, launch_.processor.generation)) races_.WaitForVmem(wave);
      return;
    case Opcode::BUFFER_WBINVL1:
    case Opcode::BUFFER_WBINVL1_SC:
    case Opcode::BUFFER_WBINVL1_VOL:
    case Opcode::S_DCACHE_INV:
    case Opcode::S_DCACHE_INV_VOL: return races_.DiscardCache();
    case Opcode::DS_GWS_BARRIER: return races_.SynchroniseGroups(wave);
    default: return;
  }
}

void Checker::CheckAccess(const Wave& w, const Access& access, const Site& site,
                          const WaveChecks& checks) {
  if ((access.mask | access.dropped) == 0) return;
  Site with_access = site;
  with_access.access = access.type;
  if (Has(kCheckMemory)) bounds_.Check(w, access, with_access, checks.scratch);
  if (!HasRaces() || access.is_scratch || access.mask == 0) return;
  const uint64_t first = access.at[std::countr_zero(access.mask)];
  const bool is_private =
      access.space == Space::kGlobal && first - launch_.scratch_base < launch_.scratch_total;
  if (!is_private) races_.Check(w, access, with_access);
}

// The wave stops running.
void Checker::After(const Wave& w, uint64_t pc, uint64_t exec) {
  const uint32_t wave = w.state.wave_in_group;
  bool all_met = false;
  if (w.event == WaveEvent::kBarrier) all_met = barriers_.Arrive(wave, pc, exec);
  if (w.event == WaveEvent::kEnd) all_met = barriers_.End(wave, pc);
  if (all_met && HasRaces()) races_.PassBarrier();
  if (barriers_.all_ended() && HasRaces()) races_.EndGroup();
}

void Checker::MoveFindings(LaunchResult& result) {
  if (HasRaces()) {
    races_.EndGroup();
    for (auto& [number, checks] : aside_) {
      races_.group() = std::move(checks.races);
      races_.EndGroup();
    }
    races_.EndLaunch();
  }
  result.findings = findings_.Take();
  result.findings_left_out = findings_.left_out();
  result.notes = notes_.Take();
  result.notes_left_out = notes_.left_out();
  // Where the same instructions have stored something else as well, that is what there is to say.
  const auto pcs = [](const Finding& f) { return std::pair(f.site.pc, f.other ? f.other->pc : 0); };
  std::set<std::pair<uint64_t, uint64_t>> in_conflict;
  for (const Finding& finding : result.findings) {
    const bool is_race = finding.kind == FindingKind::kLaneConflict ||
                         finding.kind == FindingKind::kLdsRace ||
                         finding.kind == FindingKind::kGlobalRace;
    if (is_race) in_conflict.insert(pcs(finding));
  }
  std::erase_if(result.notes, [&](const Finding& note) { return in_conflict.contains(pcs(note)); });
}

}  // namespace gcnjit::runtime::check
