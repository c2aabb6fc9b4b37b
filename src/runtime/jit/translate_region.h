// From guest code to host code: all stages of the JIT one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/interpreter/code_map.h"
#include "runtime/jit/region_cache.h"
#include "runtime/jit/translated_region.h"

namespace gcnjit::runtime {

// Thrown where the launch that wanted the code has come to its end meanwhile.
struct TranslationStopped {};

// What can be reached by direct branches from `pc`, of a wave whose kernel starts at `kernel`. If
// the back end fails there is no code, and `error` says why. Throws TranslationStopped soon after
// `stop` has become true; nullptr: it never does.
TranslatedRegion TranslateRegion(const CodeMap& code, const JitOptions& options, const JitKey& key,
                                 uint64_t pc, uint64_t kernel, std::string* error,
                                 const std::atomic<bool>* stop = nullptr);

}  // namespace gcnjit::runtime
