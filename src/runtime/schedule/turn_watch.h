// How long a work-group runs before another one gets its host thread: until it has used its quota,
// or seems to wait for other groups. No result depends on the answer, only how soon a group runs
// that others wait for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

// Instructions a wave runs before the other waves of its group get a turn: a wave may spin on a
// value that a sibling has yet to write.
inline constexpr uint64_t kTurn = 1 << 16;

// A number that differs, most likely, if the wave computes between two looks at it: made of its PC,
// its scalar registers and a few lanes of its VGPRs. Of a wave that spins, at the same
// instruction, it is the same.
uint64_t FingerprintOf(const WaveState& state);

class TurnWatch {
 public:
  // A group begins. `is_careful`: groups of this launch have been found waiting. Most groups end in
  // their first turns, and nothing else is asked of them.
  void Begin(bool is_careful) { turn_ = is_careful ? kShortTurn : kTurn; }
  // The group has had its first turns, and not ended.
  void BeginTurns();
  // A group that was set aside is resumed.
  void GoOn(bool is_careful);

  // The turn of each of the group's waves, in instructions.
  uint64_t turn() const { return turn_; }
  // So many waves have had a turn, and executed so much together. `have_moved`: some came to a
  // barrier or ended.
  void Took(uint64_t executed, uint64_t waves, bool have_moved);
  // Is it time for Look?
  bool WantsLook() const { return since_look_ >= look_after_; }
  // `fingerprint`: of all waves of the group.
  void Look(uint64_t fingerprint);

  // The quota is used up, or the group seems to wait: another group gets the thread.
  bool IsOver() const { return is_over_; }
  // The group seems to wait for other groups.
  bool waits() const { return waits_; }

 private:
  // For a wave that polls what it waits for: 10 to 100 us.
  static constexpr uint64_t kShortTurn = 1 << 12;
  // What a wave executes until another group's turn: longer than refilling the caches takes.
  static constexpr uint64_t kQuota = 16 * kTurn;
  // Turns in which each wave gave way at once (s_sleep).
  static constexpr uint32_t kIdleTurns = 32;

  void BeginQuota();

  uint64_t turn_ = kTurn;
  uint64_t used_ = 0;        // by each wave, of its quota
  uint64_t since_look_ = 0;  // likewise, since the last look
  uint64_t look_after_ = kTurn;
  uint32_t idle_turns_ = 0;
  std::optional<uint64_t> fingerprint_;
  bool is_over_ = false;
  bool waits_ = false;
};

}  // namespace gcnjit::runtime
