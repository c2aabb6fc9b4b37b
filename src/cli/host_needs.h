// What HIP's runtime needs of a process's limits (ulimit). With less it ends by a signal, or goes
// on without having computed anything, and nothing says why.
#pragma once

#include "gcnjit/error.h"

namespace gcnjit::cli {

// The first limit that is too low, with the command that raises it.
Result<void> CheckHostNeeds();

}  // namespace gcnjit::cli
