// How far something is that takes long: a line on stderr, drawn anew each time, where that is a
// terminal and the user has not said --quiet. Elsewhere nothing.
#pragma once

#include <chrono>
#include <string>

namespace gcnjit::cli {

class Progress {
 public:
  Progress();
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_shown() const { return is_shown_; }
  // Not more often than can be read. What is wider than the terminal is cut off.
  void Show(const std::string& text);
  // Likewise, at once: a step begins.
  void Begin(const std::string& text);
  // Before anything else is printed, and at the end.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  const bool is_shown_;
  bool is_drawn_ = false;
  Clock::time_point drawn_at_ = {};
};

}  // namespace gcnjit::cli
