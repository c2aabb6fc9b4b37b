// The confined process.
#pragma once

namespace gcnjit::confined {

// Answers the requests that come from standard input, a socket, until it ends. Returns the exit
// code. To be called before the process has done anything else.
int ServeConfined();

}  // namespace gcnjit::confined
