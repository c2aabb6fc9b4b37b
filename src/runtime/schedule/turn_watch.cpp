#include "runtime/schedule/turn_watch.h"

#include <bit>

namespace gcnjit::runtime {
namespace {

// One of them more.
uint64_t Mix(uint64_t hash, uint64_t value) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  hash = (hash ^ value) * kOdd;
  return hash ^ hash >> 29;
}

}  // namespace

uint64_t FingerprintOf(const WaveState& state) {
  uint64_t hash = Mix(state.pc, uint64_t{state.mode} << 32 | state.scc);
  for (int n = 0; n < 128; n += 2) hash = Mix(hash, state.Pair(n));
  // Of the lanes that are on, some stand for all: what computes counts in each of them.
  constexpr int kSome = 4;
  const int first = (std::countr_zero(state.exec()) & (kLanes - 1)) / kSome * kSome;
  const auto mix_registers = [&](uint32_t from, uint32_t count) {
    for (uint32_t n = from; n < from + count; ++n) {
      const uint32_t* lane = &state.vgpr[n][first];
      hash = Mix(hash, lane[0] | uint64_t{lane[1]} << 32);
      hash = Mix(hash, lane[2] | uint64_t{lane[3]} << 32);
    }
  };
  mix_registers(0, state.vgpr_count);
  mix_registers(kFirstAccVgpr, state.acc_vgpr_count);
  return hash;
}

void TurnWatch::BeginTurns() {
  fingerprint_.reset();
  waits_ = false;
  BeginQuota();
}

void TurnWatch::GoOn(bool is_careful) {
  Begin(is_careful);
  BeginQuota();
}

void TurnWatch::BeginQuota() {
  is_over_ = false;
  used_ = since_look_ = 0;
  idle_turns_ = 0;
  look_after_ = turn_;
}

void TurnWatch::Took(uint64_t executed, uint64_t waves, bool have_moved) {
  constexpr uint64_t kLeastWork = 64;
  const uint64_t each = executed / std::max<uint64_t>(waves, 1);
  used_ += each;
  since_look_ += each;
  if (have_moved || each >= kLeastWork) {
    idle_turns_ = 0;
  } else if (++idle_turns_ >= kIdleTurns) {
    waits_ = is_over_ = true;
  }
  if (used_ >= kQuota) is_over_ = true;
}

void TurnWatch::Look(uint64_t fingerprint) {
  waits_ = fingerprint == fingerprint_;
  if (waits_) is_over_ = true;
  fingerprint_ = fingerprint;
  since_look_ = 0;
  // Less and less often: a wave that computes is not to be kept from it.
  look_after_ = turn_ < kTurn ? turn_ : look_after_ * 2;
  turn_ = std::min(turn_ * 2, kTurn);
}

}  // namespace gcnjit::runtime
