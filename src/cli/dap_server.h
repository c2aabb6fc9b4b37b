// `gcnjit debug --dap`: a server of the Debug Adapter Protocol on standard input and output.
#pragma once

#include "cli/debug_target.h"

namespace gcnjit::cli {

// Serves one client. What the client does not say of the launch is as `options` have it. Returns an
// exit code.
int ServeDap(const DebugOptions& options);

}  // namespace gcnjit::cli
