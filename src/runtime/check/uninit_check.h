// Uses of what was never given a value: in an address, in what is stored to memory that others see,
// in a branch. Copying and computing with it is no use; the bits that are not defined are followed
// through registers (influence.h), LDS and scratch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/check/findings.h"
#include "runtime/check/influence.h"
#include "runtime/check/shadow_registers.h"
#include "runtime/check/unwritten_memory.h"
#include "runtime/interpreter/image_operation.h"

namespace gcnjit::runtime::check {

class UninitCheck {
 public:
  UninitCheck(const LaunchState& launch, const GuestMemory& memory, Findings& findings);

  void BeginGroup(uint32_t lds_bytes) { lds_.assign(lds_bytes, 0xFF); }
  // What is known of the LDS of the group that is checked. Another one's can be put in its place.
  std::vector<uint8_t>& lds() { return lds_; }
  // Scratch holds what another wave has left.
  void StartWave(ShadowRegisters& shadow, uint64_t scratch_begin, uint64_t scratch_end);

  // Before the instruction is executed.
  void Check(Wave& w, const CodeSlot& slot, const InstructionInfo& info, const AccessList& accesses,
             ShadowRegisters& shadow, const Site& site);

 private:
  void CheckBranch(const Wave& w, const Instruction& i, ShadowRegisters& shadow, const Site& site);
  void CheckMemory(const Wave& w, const Instruction& i, const InstructionInfo& info,
                   const AccessList& accesses, ShadowRegisters& shadow, const Site& site);
  void CheckAddress(const Wave& w, const Instruction& i, ShadowRegisters& shadow, const Site& site);
  void CheckVectorAddress(const Wave& w, int reg, uint32_t bits, ShadowRegisters& shadow,
                          const Site& site);
  void CheckScalarAddress(const Operand& operand, int count, ShadowRegisters& shadow,
                          const Site& site);
  // Coordinates and descriptors.
  void CheckImage(const Wave& w, const Instruction& i, ShadowRegisters& shadow, const Site& site);
  void Store(const Access& access, const ShadowRegisters& shadow, const Site& site);
  void StoreConverted(const Access& access, const ShadowRegisters& shadow, const Site& site);
  void Load(const Access& access, ShadowRegisters& shadow);
  void NoteWritten(const AccessList& accesses);
  // From texels that nothing has written.
  void LoadTexels(const Wave& w, const Instruction& i, const AccessList& accesses,
                  ShadowRegisters& shadow);
  void Define(const Access& access);
  void CheckAtomicData(const Wave& w, const Instruction& i, ShadowRegisters& shadow,
                       const Site& site);
  // The shadow of a byte of LDS or scratch; null: it is not followed.
  uint8_t* ShadowOf(Space space, uint64_t address);
  void Report(FindingKind kind, const Site& site, int lane, const std::string& detail);

  const LaunchState& launch_;
  Findings& findings_;
  Influence influence_;
  std::vector<uint8_t> lds_;
  UnwrittenMemory unwritten_;
  std::vector<uint8_t> scratch_;  // as far as waves have had some
};

}  // namespace gcnjit::runtime::check
