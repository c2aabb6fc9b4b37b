// Registers that are used before s_waitcnt has waited for the memory instruction that writes (or
// still reads) them.
//
// The rules, by the ISA manuals (Vega ISA and GCN3 ISA, "S_WAITCNT" and "Data dependency
// resolution": which instruction counts where, what returns in order) and by LLVM's
// SIInsertWaitcnts.cpp, which inserts the waits in compiled code:
//   vmcnt    MUBUF, MTBUF, GLOBAL, SCRATCH, FLAT; loads, stores and atomics; in order
//   lgkmcnt  DS in order among themselves; SMEM out of order; messages; FLAT that reaches LDS. With
//            SMEM, or with several kinds at once, only lgkmcnt(0) says anything
//   expcnt   GDS on every generation, VMEM stores and atomics on gfx6: their data registers are
//            read late and must not be overwritten before
// A FLAT access may go to either memory; only the compiler might know to which. It is counted by
// where its lanes really went. While one that went to LDS is under way, a count other than 0 says
// nothing of vmcnt either.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "frontend/flow/register_access.h"
#include "runtime/check/access.h"
#include "runtime/check/findings.h"

namespace gcnjit::runtime::check {

// What is under way for one wave.
class PendingOperations {
 public:
  enum Counter : uint8_t { kVm, kLgkm, kExp, kCounters };
  enum class Source : uint8_t { kVmem, kLds, kSmem, kGds, kMessage, kFlat };

  // `registers`: written by the operation or, for kExp, read by it.
  void Issue(Counter counter, Source source, uint64_t pc, const frontend::RegisterSet& registers,
             size_t most);
  // s_waitcnt: at most `count` are left.
  void Wait(Counter counter, size_t count);

  bool Touches(Counter counter, const frontend::RegisterSet& registers) const;
  struct Operation {
    uint64_t pc;
    Source source;
    frontend::RegisterSet registers;
  };
  // The last one that does; null: none.
  Operation* Find(Counter counter, const frontend::RegisterSet& registers);
  // Any operation of a source; null: none.
  const Operation* Find(Counter counter, Source source) const;
  // Registers are no longer waited for: there has been a finding, or others write them now.
  void Forget(Counter counter, const frontend::RegisterSet& registers);

 private:
  bool InOrder(Counter counter) const;
  void Sum(Counter counter);

  std::array<std::deque<Operation>, kCounters> queues_;
  std::array<frontend::RegisterSet, kCounters> touched_;  // by any of a queue
};

// Is it an s_waitcnt after which no vector memory operation of the wave is under way?
bool WaitsForVmem(const Instruction& i, Generation generation);

class WaitCheck {
 public:
  WaitCheck(Generation generation, Findings& findings)
      : generation_(generation), findings_(findings) {}

  // Before the instruction is executed.
  void Check(PendingOperations& pending, const Instruction& i, const InstructionInfo& info,
             const AccessList& accesses, const Site& site);

 private:
  void CheckUse(PendingOperations& pending, const Instruction& i, const InstructionInfo& info,
                const Site& site);
  void Report(PendingOperations& pending, PendingOperations::Counter counter,
              const frontend::RegisterSet& registers, const Site& site, const char* what);
  void Issue(PendingOperations& pending, const Instruction& i, const InstructionInfo& info,
             const AccessList& accesses, const Site& site);

  const Generation generation_;
  Findings& findings_;
};

}  // namespace gcnjit::runtime::check
