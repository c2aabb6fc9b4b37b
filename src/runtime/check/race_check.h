// Conflicting accesses that nothing orders: between lanes of one instruction, between waves of a
// group, between groups.
//
// Groups run one after another, or take turns, and so do the waves of a group: what is looked for
// is not an unlucky order but the absence of one. Two accesses to a byte, one of them a store, are
// in order if the same wave made them, or waves of one group with a barrier in between. Each group
// counts its barriers: its epoch.
//
// Atomics order, too, in ways that the code does not spell out, since an atomic load or store looks
// like any other one and fences are waits. So this errs on the side of silence:
//   * An address synchronises if it is ever accessed by an atomic instruction or with GLC, if a
//     load polls it (polling.h), or if a wave reads it by one instruction before and again after
//     another one has written it, without a barrier (it spins). Accesses to it are no race, earlier
//     ones included.
//   * An access to an address that synchronises acquires and releases. Accesses of one wave
//     (group) before it releases are taken to be ordered before those of another after it acquires,
//     whether or not it was by the same address.
//
// Plain stores that take the place of atomic ones are looked at separately: race_atomics.cpp.
// Stores of what is there already are no mistake by themselves, whether by lanes, waves or groups:
// what memory holds does not depend on their order. They are compared byte by byte, so the widths
// of the two stores do not matter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/check/access.h"
#include "runtime/check/allocation_map.h"
#include "runtime/check/findings.h"
#include "runtime/check/race_cells.h"

namespace gcnjit::runtime::check {

class RaceCheck {
 public:
  // `checks`: kCheckRaces, kCheckAtomics or both.
  RaceCheck(uint32_t checks, AllocationMap& allocations, Findings& findings, Findings& notes)
      : checks_(checks), allocations_(allocations), findings_(findings), notes_(notes) {
    records_.emplace_back();  // number 0 means none
  }

  void BeginGroup(uint64_t group, uint32_t waves, uint32_t lds_bytes);
  // All waves of the group that have not ended met at a barrier.
  void PassBarrier() { ++group_.epoch; }
  // LDS is the next group's.
  void EndGroup() { Settle(group_.lds_conflicts, /*lds=*/true); }
  void EndLaunch() { Settle(global_conflicts_, /*lds=*/false); }
  // The wave has waited for its accesses to memory.
  void WaitForVmem(uint32_t wave);
  // What the group reads from now on is not what was in its cache before.
  void DiscardCache();
  // The wave is at a barrier with waves of other groups.
  void SynchroniseGroups(uint32_t wave);

  void Check(const Wave& w, const Access& access, const Site& site);

 private:
  // Accesses that are alike in what orders them.
  struct Record {
    uint64_t pc = 0;
    uint64_t group = 0;
    uint64_t time = 0;  // how many acquires and releases came before
    uint32_t epoch = 0;
    uint32_t wave = 0;
    uint32_t waits = 0;  // of stores: how often the wave had waited for its accesses before
    AccessType type = AccessType::kRead;
    bool is_scalar = false;
    bool is_release = false;  // a plain store that may well be an atomic one: race_atomics.cpp

    bool operator==(const Record&) const = default;
  };
  // When a wave released and acquired last; 0: never.
  struct WaveOrder {
    uint64_t released = 0;
    uint64_t acquired = 0;
    uint32_t waits = 0;
    bool has_stored = false;  // since the last wait
  };
  // Likewise a group.
  struct GroupOrder {
    uint64_t released = 0;
    uint64_t acquired = 0;
    // The same, but not by a plain store, and not by a load of what another group's plain store has
    // set.
    uint64_t released_by_atomic = 0;
    uint64_t acquired_by_other = 0;
  };
  // What another group's plain store has set, and this group has waited for.
  struct Flag {
    AccessId store = 0;
    AccessId load = 0;
    uint64_t address = 0;
    uint32_t bytes = 0;
    bool is_acquired = false;  // the cache was discarded afterwards
  };
  // A race counts unless its address turns out to synchronise.
  struct Conflict {
    Evidence evidence;
    const RaceCell* cell;
    std::string detail;  // empty: DetailOf knows
  };
  struct Conflicts {
    std::vector<Conflict> examples;
    uint64_t count = 0;
    // Counted last: an access is counted once, not once a byte.
    AccessId by = 0;
    uint64_t address = 0;
  };
  // By kind and PCs, of the later one first.
  using ConflictMap = std::map<std::tuple<FindingKind, uint64_t, uint64_t>, Conflicts>;

 public:
  // What is known of a group.
  struct Group {
    uint64_t number = 0;
    uint32_t epoch = 0;
    std::vector<WaveOrder> waves;
    std::vector<Flag> flags;
    std::vector<RaceCell> lds;
    ConflictMap lds_conflicts;
    // Its newest record by wave and PC.
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> newest;
  };
  // Of the group that is checked. Another one can be put in its place.
  Group& group() { return group_; }

 private:
  void CheckLanes(const Wave& w, const Access& access, const Site& site);
  uint32_t RecordFor(const Access& access, const Site& site);
  void CheckCell(RaceCell& cell, AccessId id, const Wave& w, const Access& access, uint64_t at);
  static bool StoresSame(const Wave& w, const Access& access, int lane, uint64_t at);
  void Read(RaceCell& cell, AccessId id, const Access& access);
  void Synchronise(RaceCell& cell, AccessId id, const Access& access);
  bool InConflict(const Record& before, const Record& now) const;
  Conflicts* Count(FindingKind kind, std::pair<uint64_t, uint64_t> pcs, AccessId now,
                   const Access& access);
  void Note(FindingKind kind, const RaceCell& cell, AccessId before, AccessId now,
            const Access& access);
  Site SiteOf(AccessId id) const;
  void Settle(ConflictMap& conflicts, bool lds);
  std::string DetailOf(const Conflict& conflict) const;

  // race_atomics.cpp
  static std::string AdviceOnMixedAtomic();
  bool IsRelease(const Access& access, const WaveOrder& wave) const;
  void CheckAtomics(RaceCell& cell, AccessId id, const Access& access);
  void CheckPublished(const RaceCell& cell, AccessId id, const Access& access);
  std::string DetailOfFlag(const Flag& flag, bool is_released, AccessId stored,
                           AccessId read) const;

  const uint32_t checks_;
  AllocationMap& allocations_;
  Findings& findings_;
  Findings& notes_;
  std::vector<Record> records_;
  CellPages global_;
  ConflictMap global_conflicts_;
  uint64_t time_ = 1;
  Group group_;
  std::unordered_map<uint64_t, GroupOrder> groups_;  // those that ever synchronised
};

}  // namespace gcnjit::runtime::check
