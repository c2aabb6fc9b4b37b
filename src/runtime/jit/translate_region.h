// From guest code to host code: all stages of the JIT one after the other.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/interpreter/code_map.h"
#include "runtime/jit/region_cache.h"
#include "runtime/jit/translated_region.h"

namespace gcnjit::runtime {

// What can be reached by direct branches from `pc`, of a wave whose kernel starts at `kernel`. If
// the back end fails there is no code, and `error` says why.
TranslatedRegion TranslateRegion(const CodeMap& code, const JitOptions& options, const JitKey& key,
                                 uint64_t pc, uint64_t kernel, std::string* error);

}  // namespace gcnjit::runtime
