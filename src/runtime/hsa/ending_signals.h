// What is to be said at the end is said, too, when SIGHUP, SIGINT, SIGTERM or SIGABRT ends the
// host program.
#pragma once

#include <signal.h>

#include <functional>

#include "gcnjit/error.h"

namespace gcnjit::hsa {

// From now on, before one of these signals ends the process, `report` is called, in a thread of its
// own; then the signal does what it would have done. Once a process.
//
// The thread that got the signal waits meanwhile. It may hold a lock that `report` needs, so it
// waits no longer than a second after the last ReportGetsOn, and the process ends without the rest.
//
// The host program's own handlers stay what they are. One that is there already is called: before
// the report, which comes only if the handler lets the signal end the process (by raise); or, for
// SIGABRT, after it. One that is installed later replaces ours. What is ignored stays ignored.
// Processes that are forked off report nothing. _exit, quick_exit and other signals are not seen.
Result<void> ReportAtEndingSignals(std::function<void()> report);

// To be called again and again by a report that takes long.
void ReportGetsOn();

// While one lives, these signals do not interrupt this thread.
class EndingSignalsBlock {
 public:
  EndingSignalsBlock();
  ~EndingSignalsBlock();
  EndingSignalsBlock(const EndingSignalsBlock&) = delete;
  EndingSignalsBlock& operator=(const EndingSignalsBlock&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace gcnjit::hsa
