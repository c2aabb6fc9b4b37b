#include "debug/group_schedule.h"

namespace gcnjit::debug {

using runtime::WaveEvent;

GroupSchedule::GroupSchedule(uint32_t waves, bool is_careful) : waves_(waves, Status::kRunnable) {
  watch_.Begin(is_careful);
}

void GroupSchedule::Took(WaveEvent event) {
  ++turn_used_;
  ++round_used_;
  if (event == WaveEvent::kNone && turn_used_ < watch_.turn()) return;
  if (event == WaveEvent::kBarrier) {
    waves_[current()] = Status::kAtBarrier;
    ++at_barrier_;
  } else if (event == WaveEvent::kEnd) {
    waves_[current()] = Status::kEnded;
    ++ended_;
  }
  turn_used_ = 0;
  ++turn_;
  while (!ended()) {
    for (; turn_ < waves_.size(); ++turn_) {
      if (waves_[current()] == Status::kRunnable) return;
    }
    EndRound();
  }
}

void GroupSchedule::EndRound() {
  if (is_first_round_) {
    watch_.BeginTurns();
  } else {
    watch_.Took(round_used_, round_waves_, at_barrier_ + ended_ != stood_);
  }
  // A barrier waits for the waves that have not ended.
  if (at_barrier_ + ended_ == waves_.size()) {
    for (Status& status : waves_) {
      if (status == Status::kAtBarrier) status = Status::kRunnable;
    }
    at_barrier_ = 0;
  }
  is_first_round_ = false;
  stood_ = at_barrier_ + ended_;
  round_waves_ = static_cast<uint32_t>(waves_.size()) - stood_;
  round_used_ = 0;
  turn_ = 0;
}

}  // namespace gcnjit::debug
