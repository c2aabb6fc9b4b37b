// Which bits of an instruction's results depend on undefined bits of its operands: it is executed
// several times, on copies of the registers in which the undefined bits differ, and what differs in
// the results is undefined. So the interpreter says itself what depends on what (a mask, a shift,
// SDWA, a comparison that is decided by the bits that are defined), and a result is never taken for
// undefined that is not; one that depends on its operands in rare cases only may pass for defined.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/check/access.h"
#include "runtime/check/shadow_registers.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::runtime::check {

class Influence {
 public:
  // For an instruction that neither accesses memory nor leaves the wave. `shadow` becomes what it
  // is after it. True: lanes in EXEC, or not, depend on what is undefined; EXEC is then taken for
  // defined.
  bool Follow(Wave& w, const CodeSlot& slot, const InstructionInfo& info, ShadowRegisters& shadow);

 private:
  // What a run puts in the place of undefined bits.
  enum class Fill : uint8_t { kZeros, kOnes, kNoise, kOther, kMoreNoise };
  static constexpr int kFills = 5;

  void Prepare(const Wave& w, const Instruction& i, const InstructionInfo& info,
               const ShadowRegisters& shadow, Fill fill, WaveState& state);
  void FillFromOther(const Wave& w, const Instruction& i, const ShadowRegisters& shadow,
                     WaveState& state);

  // Results: of the first run, and of the present one; the bits that differed so far.
  std::unique_ptr<WaveState> first_ = std::make_unique<WaveState>();
  std::unique_ptr<WaveState> other_ = std::make_unique<WaveState>();
  std::unique_ptr<ShadowRegisters> differing_ = std::make_unique<ShadowRegisters>();
  uint32_t noise_ = 0x9E3779B9;
};

}  // namespace gcnjit::runtime::check
