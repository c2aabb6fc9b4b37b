// Conflicting accesses that nothing orders: between lanes of one instruction, between waves of a
// group, between groups.
//
// Groups run one after another and the waves of a group take turns, so what is looked for is not
// an unlucky order but the absence of one: two accesses to a byte, one of them a store, are in
// order if the same wave made them, or waves of one group with a barrier in between. Each group
// counts its barriers: its epoch.
//
// Atomics order, too, in ways that the code does not spell out, since an atomic load or store looks
// like any other one and fences are waits. So this errs on the side of silence:
//   * An address synchronises if it is ever accessed by an atomic instruction or with GLC, if a
//     load polls it (polling.h), or if a wave reads it by one instruction before and again after
//     another one has written it, without a barrier (it spins). Accesses to it are no race, earlier
//     ones included.
//   * Whoever accesses an address that synchronises acquires and releases. Accesses of one wave
//     (group) before it releases are taken to be ordered before those of another after it acquires,
//     whether or not it was by the same address.
#pragma once

#include <cstdint>
#include <map>
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
  RaceCheck(AllocationMap& allocations, Findings& findings)
      : allocations_(allocations), findings_(findings) {
    records_.emplace_back();  // number 0 means none
  }

  void BeginGroup(uint64_t group, uint32_t waves, uint32_t lds_bytes);
  // All waves of the group that have not ended met at a barrier.
  void PassBarrier() { ++epoch_; }
  // LDS is the next group's.
  void EndGroup() { Settle(lds_conflicts_); }
  void EndLaunch() { Settle(global_conflicts_); }

  void Check(const Wave& w, const Access& access, const Site& site);

 private:
  // Accesses that are alike in what orders them.
  struct Record {
    uint64_t pc = 0;
    uint64_t group = 0;
    uint64_t time = 0;  // how many acquires and releases came before
    uint32_t epoch = 0;
    uint32_t wave = 0;
    AccessType type = AccessType::kRead;
    bool is_scalar = false;
  };
  // When a wave (group) released and acquired last; 0: never.
  struct Order {
    uint64_t released = 0;
    uint64_t acquired = 0;
  };
  // A conflict counts unless its address turns out to synchronise.
  struct Conflict {
    Evidence evidence;
    const RaceCell* cell;
  };
  struct Conflicts {
    std::vector<Conflict> examples;
    uint64_t count = 0;
    // Counted last: an access is counted once, not once a byte.
    AccessId by = 0;
    uint64_t address = 0;
  };
  using ConflictMap = std::map<std::pair<uint64_t, uint64_t>, Conflicts>;

  void CheckLanes(const Wave& w, const Access& access, const Site& site);
  uint32_t RecordFor(const Access& access, const Site& site);
  void CheckCell(RaceCell& cell, AccessId id, const Access& access);
  void Read(RaceCell& cell, AccessId id, const Access& access);
  void Synchronise(RaceCell& cell, const Record& now);
  bool InConflict(const Record& before, const Record& now) const;
  void Note(const RaceCell& cell, AccessId before, AccessId now, const Access& access);
  Site SiteOf(AccessId id) const;
  void Settle(ConflictMap& conflicts);

  AllocationMap& allocations_;
  Findings& findings_;
  std::vector<Record> records_;
  // The group's newest record by wave and PC.
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> newest_;
  CellPages global_;
  std::vector<RaceCell> lds_;
  ConflictMap lds_conflicts_;
  ConflictMap global_conflicts_;
  uint64_t time_ = 1;
  uint64_t group_ = 0;
  uint32_t epoch_ = 0;
  std::vector<Order> waves_;                    // of the group
  std::unordered_map<uint64_t, Order> groups_;  // those that ever synchronised
};

}  // namespace gcnjit::runtime::check
