// How many processors there are for this process.
#pragma once

namespace gcnjit::runtime {

// Those that its first thread may run on, 1 at least: fewer than the host has under taskset, and in
// containers with a set of processors. More threads than these only wait for each other. Those that
// a host program has bound to fewer do not count.
unsigned UsableProcessors();

}  // namespace gcnjit::runtime
