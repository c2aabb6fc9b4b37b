// What becomes of lane masks in SGPR pairs where a wave without a lane goes on: EXEC is 0, and so is
// what comes from it.
#pragma once

#include "frontend/flow/register_access.h"
#include "isa/instruction.h"

namespace gcnjit::frontend {

class MasksWithoutLanes {
 public:
  bool IsExecZero() const { return IsZero(kCodeExecLo); }
  // SGPRs that are as they were where this began.
  const SgprSet& kept() const { return kept_; }

  // `written`: by the instruction.
  void Follow(const Instruction& inst, const SgprSet& written);

 private:
  bool IsZero(int code) const { return zero_.test(code) && zero_.test(code + 1); }
  bool IsZero(const Operand& operand) const;
  bool IsKept(const Operand& operand, int code) const;
  bool IsResultZero(const Instruction& inst) const;
  bool IsResultKept(const Instruction& inst) const;
  bool IsExecZeroAfter(const Instruction& inst, const SgprSet& written) const;

  SgprSet zero_ = SgprSet().set(kCodeExecLo).set(kCodeExecHi);
  SgprSet kept_ = SgprSet().set();
};

}  // namespace gcnjit::frontend
