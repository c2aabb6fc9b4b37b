// Plain stores that take the place of atomic ones: to a word that others access by atomic
// instructions, and to a flag that another group waits for.
//
// An atomic store is the same instruction as a plain one (LLVM AMDGPUUsage, "Memory Model
// GFX6-GFX9": store atomic is buffer/global/flat_store), so it is told by what is around it. There
// a release waits for the wave's accesses before it stores (s_waitcnt vmcnt(0)), and an acquire
// discards the first-level cache after the load (buffer_wbinvl1, buffer_wbinvl1_vol):
//   * A flag orders what one group stores and another one reads if the wave that sets it has waited
//     since it stored the data, and the group that has read it discards its cache before it reads
//     the data. Data of other waves of the first group came before a barrier.
//   * A plain store and an atomic instruction of others, which nothing orders, are mixed; but not
//     where the wave has synchronised before and has no store under way: locks are released so.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/check/race_check.h"

namespace gcnjit::runtime::check {
namespace {

constexpr const char* kHowToLeaveOut =
    "--check=memory,races,waits,barriers,uninit leaves this check out";

// More flags that a group waits for are not looked at.
constexpr size_t kMostFlags = 256;

}  // namespace

std::string RaceCheck::AdviceOnMixedAtomic() {
  return fmt::format("if the store is an atomic one in the source, {}", kHowToLeaveOut);
}

void RaceCheck::WaitForVmem(uint32_t wave) {
  ++group_.waves[wave].waits;
  group_.waves[wave].has_stored = false;
}

void RaceCheck::DiscardCache() {
  for (Flag& flag : group_.flags) flag.is_acquired = true;
}

// May it be an atomic store? DS instructions of a wave are in order without any wait.
bool RaceCheck::IsRelease(const Access& access, const WaveOrder& wave) const {
  return wave.acquired != 0 && (access.space == Space::kLds || !wave.has_stored);
}

// An access to a cell that synchronises, before it orders anything.
void RaceCheck::CheckAtomics(RaceCell& cell, AccessId id, const Access& access) {
  const Record now = records_[RecordOf(id)];
  if (access.type == AccessType::kWrite) {
    const AccessId atomic = cell.atomic();
    if (atomic == 0 || access.is_coherent || now.is_release) return;
    if (InConflict(records_[RecordOf(atomic)], now)) {
      Note(FindingKind::kMixedAtomic, cell, atomic, id, access);
    }
    return;
  }
  if (access.type == AccessType::kAtomic) {
    const Record& writer = records_[RecordOf(cell.writer)];
    if (cell.writer != 0 && !writer.is_release && InConflict(writer, now)) {
      Note(FindingKind::kMixedAtomic, cell, cell.writer, id, access);
    }
    return;
  }
  const AccessId store = cell.flag();
  if (store == 0 || records_[RecordOf(store)].group == now.group) return;
  const uint64_t address = access.at[LaneOf(id)];
  const bool is_known =
      std::any_of(group_.flags.begin(), group_.flags.end(),
                  [&](const Flag& flag) { return flag.store == store && flag.address == address; });
  if (is_known || group_.flags.size() == kMostFlags) return;
  group_.flags.push_back({store, id, address, access.bytes, false});
}

// A plain load of what another group has stored plainly; something is taken to order them.
void RaceCheck::CheckPublished(const RaceCell& cell, AccessId id, const Access& access) {
  const Record& stored = records_[RecordOf(cell.writer)];
  if (stored.group == group_.number) return;
  const GroupOrder& from = groups_[stored.group];
  const GroupOrder& to = groups_[group_.number];
  if (from.released_by_atomic > stored.time && to.acquired_by_other > stored.time) return;
  const Flag* wrong = nullptr;
  bool wrong_is_released = false;
  for (const Flag& flag : group_.flags) {
    const Record& set = records_[RecordOf(flag.store)];
    if (set.group != stored.group) continue;
    const bool same_wave = set.wave == stored.wave;
    // Another wave set it before.
    if (!same_wave && set.time < stored.time) continue;
    const bool is_released = !same_wave || set.waits > stored.waits;
    if (is_released && flag.is_acquired) return;
    wrong = &flag;
    wrong_is_released = is_released;
  }
  if (wrong == nullptr) return;
  const std::pair pcs(records_[RecordOf(wrong->load)].pc, records_[RecordOf(wrong->store)].pc);
  Conflicts* conflicts = Count(FindingKind::kPlainFlag, pcs, id, access);
  if (conflicts == nullptr) return;
  const Evidence evidence{FindingKind::kPlainFlag, SiteOf(wrong->load), SiteOf(wrong->store),
                          wrong->address, wrong->bytes};
  conflicts->examples.push_back(
      {evidence, &cell, DetailOfFlag(*wrong, wrong_is_released, cell.writer, id)});
}

std::string RaceCheck::DetailOfFlag(const Flag& flag, bool is_released, AccessId stored,
                                    AccessId read) const {
  std::string why;
  if (!is_released) {
    why = "the wave that sets the flag does not wait for that store before (s_waitcnt vmcnt(0))";
  }
  if (!flag.is_acquired) {
    why += is_released ? "" : ", and ";
    why += "the group that reads it does not discard its cache afterwards (buffer_wbinvl1)";
  }
  return fmt::format(
      "what is stored at pc {:#x} is read at pc {:#x} then, but {}; atomic release and acquire, or "
      "fences, do both; if it is meant so, {}",
      records_[RecordOf(stored)].pc, records_[RecordOf(read)].pc, why, kHowToLeaveOut);
}

}  // namespace gcnjit::runtime::check
