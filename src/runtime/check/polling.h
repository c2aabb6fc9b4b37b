// Loads that wait for another wave's store.
#pragma once

#include <cstdint>

#include "runtime/interpreter/code_map.h"

namespace gcnjit::runtime::check {

// Is the load at `pc` in a loop that neither changes its address nor stores anything, without a
// barrier? A compiler leaves only a load of an atomic or volatile object there: it would take any
// other one out of the loop.
bool IsPolling(const CodeMap& code, uint64_t pc);

}  // namespace gcnjit::runtime::check
