// The run of a machine, forwards and backwards: backwards is a snapshot from before, and from there
// forwards again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "debug/change.h"
#include "debug/machine.h"
#include "debug/page_log.h"

namespace gcnjit::debug {

class Timeline {
 public:
  Timeline(const runtime::LaunchState& launch, const KernelInfo& kernel, runtime::CodeMap& code,
           runtime::GuestMemory& memory, runtime::check::Checker* checker);

  const Machine& machine() const { return machine_; }
  uint64_t step() const { return machine_.step(); }

  // Whoever calls what follows has one of these.
  Machine::Running Run() { return Machine::Running(machine_); }
  bool NextIs(uint64_t pc, uint64_t address, uint32_t bytes) {
    return machine_.NextIs(pc, address, bytes);
  }
  // Executes an instruction. False: it faults, and the run is where it was before.
  bool Step();
  // To where `step` instructions have been executed: at most Machine::frontier().
  void Seek(uint64_t step);
  // Makes a change, which fits, here, now and whenever the run comes here again. What is known of
  // the run from here on is forgotten, with later changes.
  void Make(const Change& change);
  // To the last snapshot before that, `step` not being 0.
  void SeekSnapshotBefore(uint64_t step);

 private:
  struct Snapshot {
    uint64_t step = 0;
    std::shared_ptr<const Machine::Copy> copy;
  };

  void TakeSnapshot();
  void Thin();
  void RestoreFrom(size_t n);
  void MakeChanges();

  PageLog pages_;
  Machine machine_;
  std::vector<Snapshot> snapshots_;          // ascending; each begins an interval of pages_
  uint64_t interval_;                        // instructions between two
  std::multimap<uint64_t, Change> changes_;  // by step, in the order in which they were made
};

}  // namespace gcnjit::debug
