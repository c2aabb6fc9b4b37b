// Long work that Ctrl-C, and what else Python's handlers of signals raise, can end.
#pragma once

#include <functional>

#include "gcnjit/cancellation.h"

namespace gcnjit::python {

// Does `work` without the GIL. Python runs handlers of signals on its main thread only: there,
// `work` is done by another thread while this one waits and lets handlers run. What a handler
// raises ends the work by `cancellation`, and is thrown once it has ended; so is what `work`
// throws.
void RunInterruptible(const std::function<void()>& work, Cancellation& cancellation);

}  // namespace gcnjit::python
