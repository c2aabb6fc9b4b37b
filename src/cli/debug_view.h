// What `gcnjit debug` shows on a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/debug_expression.h"
#include "cli/debug_target.h"
#include "cli/text_style.h"

namespace gcnjit::cli {

class DebugView {
 public:
  // `has_room`: for what is around the place where the run is.
  DebugView(DebugTarget& target, const TextStyle& style, bool has_room)
      : target_(target), style_(style), has_room_(has_room) {}

  // "group (1, 0, 0), wave 2 of 4, lane 3, work-item (195, 0, 0)".
  std::string Who(const DebugFocus& focus) const;
  // Why the run has stopped.
  std::string StopText(const debug::Stop& stop);
  // Where a wave stands: its source line and its next instruction.
  std::string Where(const DebugFocus& focus);
  // The line, what it is inlined at, and the function.
  std::string Frames(const DebugFocus& focus);
  // Source around a line of the file, `here` marked; empty: there is none.
  std::string Source(const std::string& file, uint32_t first, uint32_t last, uint32_t here);
  std::string Instructions(const std::vector<uint64_t>& pcs, uint64_t here);

  // The waves of the groups that have begun and not ended.
  std::string Waves(const DebugFocus& focus);
  std::string Breakpoints() const;

  // A register: of vector registers all lanes.
  std::string Register(const DebugFocus& focus, const std::string& text,
                       const debug::RegisterName& name, debug::NumberFormat format);
  // Scalar registers, and of the vector registers one lane.
  std::string ScalarRegisters(const DebugFocus& focus, debug::NumberFormat format);
  std::string VectorRegisters(const DebugFocus& focus, debug::NumberFormat format);
  // Registers that are not what they were, vector registers in the lane in focus.
  std::string Changes(const DebugFocus& focus, const runtime::WaveState& before) const;
  std::string Bytes(uint64_t address, std::span<const std::byte> bytes, debug::NumberFormat format);

 private:
  const runtime::WaveState& StateOf(const DebugFocus& focus) const;
  std::string Lanes(const runtime::WaveState& wave, const debug::RegisterName& name,
                    debug::NumberFormat format);
  std::string Mask(const std::string& text, uint64_t mask) const;

  DebugTarget& target_;
  const TextStyle style_;
  const bool has_room_;
};

}  // namespace gcnjit::cli
