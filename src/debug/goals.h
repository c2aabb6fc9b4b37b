// How far a run goes on, besides to the next breakpoint. A Goal is asked at each place of a run
// that has not ended there; those for the way back depend on nothing but the place.
#pragma once

#include <functional>

#include "debug/code_lines.h"
#include "debug/machine.h"

namespace gcnjit::debug {

using Goal = std::function<bool(const Machine&)>;

// The wave has not begun, or has ended.
bool IsGone(const Machine& machine, const WaveName& wave);

// Whose way back it is from where that wave stands: its own; if it has executed nothing yet, or has
// ended, that of the wave that has executed last.
WaveName WaveBefore(const Machine& machine, const WaveName& wave);

Goal NoGoal();
// Forwards, for a wave that is at work. Each is reached, too, when the wave has ended.
Goal AfterInstruction(const WaveName& wave);
Goal AtOtherLine(const Machine& machine, CodeLines& lines, const WaveName& wave);
// Likewise, but not in what is called from the line, inlined or not.
Goal AtNextLine(const Machine& machine, CodeLines& lines, const WaveName& wave);
// In what has called this code, inlined or not.
Goal AtCaller(const Machine& machine, CodeLines& lines, const WaveName& wave);
Goal AtEnd(const WaveName& wave);
// Backwards.
Goal BeforeInstruction(const WaveName& wave);
Goal AtBeginOfLine(CodeLines& lines, const WaveName& wave);
// Both ways: a wave's turn begins; the wave has just passed a barrier.
Goal AtTurn();
Goal PastBarrier(const Machine& machine, const WaveName& wave);

}  // namespace gcnjit::debug
