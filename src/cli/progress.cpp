#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/message.h"

namespace gcnjit::cli {
namespace {

size_t WidthOfTerminal() {
  constexpr size_t kUsual = 80;
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kUsual;
}

}  // namespace

Progress::Progress() : is_shown_(!IsQuiet() && ::isatty(STDERR_FILENO) == 1) {}

void Progress::Show(const std::string& text) {
  constexpr std::chrono::milliseconds kReadable(100);
  if (is_drawn_ && Clock::now() - drawn_at_ < kReadable) return;
  Begin(text);
}

void Progress::Begin(const std::string& text) {
  if (!is_shown_) return;
  // A line that fills the last column would begin another one.
  const size_t most = WidthOfTerminal() - 1;
  PrintMessage("\r\033[K{}", text.substr(0, std::min(text.size(), most)));
  is_drawn_ = true;
  drawn_at_ = Clock::now();
}

void Progress::Clear() {
  if (is_drawn_) PrintMessage("\r\033[K");
  is_drawn_ = false;
}

}  // namespace gcnjit::cli
