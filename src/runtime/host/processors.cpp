#include "runtime/host/processors.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace gcnjit::runtime {

unsigned UsableProcessors() {
  cpu_set_t usable;
  // Fails where the host has more processors than the set has bits.
  if (sched_getaffinity(getpid(), sizeof usable, &usable) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&usable)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace gcnjit::runtime
