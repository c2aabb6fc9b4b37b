#include "cli/loading_limit.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/commands.h"

namespace gcnjit::cli {
namespace {

std::string message;  // made before the signal may come

void End(int) {
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(kExitTimeout);
}

void SetTimer(double seconds) {
  const double whole = std::floor(seconds);
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

LoadingLimit::LoadingLimit(double seconds) {
  constexpr double kMost = 1e9;  // 30 years
  if (seconds <= 0) return;
  is_set_ = true;
  message = fmt::format(
      "gcnjit run: files and arguments were not read within {} s (--timeout). Is one a pipe that "
      "nobody writes to? No output file was written.\n",
      seconds);
  struct sigaction action = {};
  action.sa_handler = End;
  ::sigaction(SIGALRM, &action, &before_);
  SetTimer(std::min(seconds + 0.1, kMost));
}

LoadingLimit::~LoadingLimit() {
  if (!is_set_) return;
  SetTimer(0);
  ::sigaction(SIGALRM, &before_, nullptr);
}

}  // namespace gcnjit::cli
