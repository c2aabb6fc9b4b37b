// Which registers an instruction reads and writes, as far as its words tell. The sets are safe for
// data-flow analysis: `reads` and `may_write` are never too small, `writes` is never too large.
// Memory, MODE, the hardware registers and faults are not in them. tests/unit/frontend/flow checks
// every executable row against the interpreter.
#pragma once

#include <bitset>
#include <cstdint>

#include "isa/generation.h"
#include "isa/instruction.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend {

using VgprSet = std::bitset<kVectorRegisters>;
using SgprSet = std::bitset<128>;  // by operand code: VCC = 106, 107; M0 = 124; EXEC = 126, 127

struct RegisterSet {
  VgprSet vgprs;
  SgprSet sgprs;
  bool scc = false;

  static RegisterSet All();
  // Registers past the last one are ignored.
  void AddVgprs(int first, int count);
  void AddSgprs(int first, int count);
  bool None() const { return vgprs.none() && sgprs.none() && !scc; }

  RegisterSet& operator|=(const RegisterSet& other);
  RegisterSet& operator&=(const RegisterSet& other);
  RegisterSet& operator-=(const RegisterSet& other);  // removes other's registers
  bool operator==(const RegisterSet& other) const = default;
};

// What becomes of EXEC.
enum class ExecEffect : uint8_t {
  kNone,
  kNarrows,  // the new EXEC is a subset of the old one whatever the registers hold
  kChanges,
};

struct RegisterAccess {
  // Everything the instruction's effect can depend on. VGPRs in it are read in lanes that EXEC
  // enables, unless they are in wide_vgpr_reads too. Vector instructions read EXEC.
  RegisterSet reads;
  // Written in every case. A VGPR: in exactly the lanes that EXEC (before the instruction) enables.
  RegisterSet writes;
  // Superset of `writes`: also what is written only sometimes, or in lanes not chosen by EXEC.
  RegisterSet may_write;
  // Subset of reads.vgprs: lanes may be read that EXEC does not enable.
  VgprSet wide_vgpr_reads;
  // VGPRs of may_write whose written lanes are not chosen by EXEC (v_writelane, matrices).
  VgprSet wide_vgpr_writes;
  // Subset of those and of wide_vgpr_reads: read only for the lanes that keep their values
  // (v_writelane).
  VgprSet kept_vgprs;
  ExecEffect exec = ExecEffect::kNone;
  // The registers are chosen when it runs (s_movrel*, v_movrel*, the fork stack), or the
  // instruction is one that gcnjit refuses. The sets are safe all the same: they hold whatever may
  // be chosen.
  bool unknown = false;
};

// Of an instruction run with MODE's GPR_IDX_EN and VSKIP clear. With either set, vector
// instructions access other registers, or none: AccessOfAnyMode.
RegisterAccess AccessOf(const Instruction& instruction, Generation generation);

// The same without knowing MODE: `unknown` for the instructions that GPR_IDX_EN redirects, and
// nothing written for certain by those that VSKIP skips.
RegisterAccess AccessOfAnyMode(const Instruction& instruction, Generation generation);

}  // namespace gcnjit::frontend
