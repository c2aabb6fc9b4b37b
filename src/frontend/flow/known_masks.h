// What is known of the lane masks in SGPR pairs along code without branches: constants, and which
// are those that another pair, or the same one, had where the code began.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "frontend/flow/register_access.h"
#include "isa/instruction.h"

namespace gcnjit::frontend {

struct KnownMask {
  bool is_initial = false;  // what the pair that `value` names had at the beginning
  uint64_t value = 0;
  bool operator==(const KnownMask&) const = default;
};

class KnownMasks {
 public:
  // The same place as a beginning for a wave that has no lane.
  KnownMasks WithoutLanes() const;

  bool IsExecZero() const { return At(kCodeExecLo) == KnownMask{false, 0}; }
  // Has the SGPR what it had at the beginning?
  bool IsKept(int sgpr) const;
  // `written`: SGPRs, by the instruction.
  void Follow(const Instruction& inst, const SgprSet& written);

 private:
  using Mask = std::optional<KnownMask>;

  // Of the pair that begins at the operand code.
  Mask At(int pair) const;
  Mask ValueOf(const Operand& operand) const;
  Mask ResultOf(const Instruction& inst) const;
  Mask ExecAfter(const Instruction& inst, const SgprSet& written) const;
  bool IsInitial(int pair, const KnownMask& mask) const;

  std::map<int, KnownMask> values_;    // of pairs that are written, and constants
  std::map<int, KnownMask> at_begin_;  // constants
  SgprSet written_;
};

}  // namespace gcnjit::frontend
