// One hostile kernel (R7): a compiled kernel with some bits of its code or descriptor changed, run
// in every engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gcnjit::robustness {

struct HostileResult {
  std::string name;     // file and kernel
  std::string what;     // "done", "fault: ...", "limit", "refused", of the interpreter
  std::string finding;  // what must not be; empty: fine
};

// Everything follows from the seed and the list of files. What can go wrong and is seen here: a
// canary before or after the guest's memory has changed, code has changed, a launch has not come
// back by its instruction limit, the engines say different things. Crashes are the caller's.
HostileResult RunHostile(const std::vector<std::string>& files, uint64_t seed);

}  // namespace gcnjit::robustness
